-- The price index: the spans in which a variant has a price in a market, past ones as they applied, future ones by the offers of today.
-- Lists of products are filtered and ordered by it, and changes of prices are read from it.
set local lock_timeout = '2s';

create table variant_prices (
  tenant_id uuid not null references tenants on delete cascade,
  variant_id uuid not null,
  market_id uuid not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  product_id uuid not null,
  offer_id uuid not null,
  -- In minor units of the market's currency.
  amount bigint not null,
  -- Whether the price has an amount to compare with, `compareAtAmount`.
  is_reduced boolean not null,
  -- Whether neither the variant nor its product is archived.
  is_live boolean not null,
  primary key (tenant_id, variant_id, market_id, from_at)
);
create index variant_prices_amount on variant_prices (tenant_id, market_id, amount, product_id) include (from_at, until_at) where is_live;
create index variant_prices_product on variant_prices (tenant_id, product_id, market_id, amount, from_at, until_at) where is_live;
create index variant_prices_begin on variant_prices (tenant_id, market_id, from_at, variant_id) where is_live;
create index variant_prices_end on variant_prices (tenant_id, market_id, until_at, variant_id) where is_live;
create index variant_prices_ended on variant_prices (tenant_id, until_at) where until_at < 'infinity';
call protect('variant_prices');

-- Tenants whose price index is computed again; variants from next_id on are left.
create table price_rebuilds (
  tenant_id uuid primary key references tenants on delete cascade,
  -- Another one after each request and each step.
  token uuid not null,
  next_id uuid not null,
  leased_until timestamptz not null,
  -- Whether the prices of all markets may be wrong, not only those of new ones.
  is_full boolean not null
);
create index price_rebuilds_due on price_rebuilds (leased_until);
call protect('price_rebuilds');

-- The moment since which the price index has all prices of the market.
alter table markets add column prices_complete_at timestamptz;

create trigger sale_offers_prices before insert or update on sale_offers for each statement
  when (current_setting('app.prices_kept', true) is distinct from 'true') execute function request_price_rebuild();
create trigger markets_prices after insert or update on markets for each row
  when (new.prices_complete_at is null) execute function request_price_rebuild();
create trigger variants_prices after update on variants for each row
  when (new.status <> old.status) execute function keep_live_prices();

insert into price_rebuilds (tenant_id, token, next_id, leased_until, is_full)
select distinct m.tenant_id, gen_random_uuid(), '00000000-0000-0000-0000-000000000000'::uuid, now(), true from markets m;
