-- The cheapest price of a product in a market, by the spans in which it applies: lists are filtered and ordered by it.
-- save_product_prices() derives it from variant_prices.
set local lock_timeout = '2s';

create table product_prices (
  tenant_id uuid not null references tenants on delete cascade,
  product_id uuid not null,
  market_id uuid not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  -- In minor units of the market's currency.
  amount bigint not null,
  -- Whether a variant has a reduced price.
  is_reduced boolean not null,
  primary key (tenant_id, product_id, market_id, from_at)
);
create index product_prices_amount on product_prices (tenant_id, market_id, amount, product_id) include (from_at, until_at, is_reduced);
create index product_prices_ended on product_prices (tenant_id, until_at) where until_at < 'infinity';
call protect('product_prices');

drop trigger variants_prices on variants;
create trigger variants_prices after update on variants referencing old table as before new table as after
  for each statement execute function keep_live_prices();

-- Lists by price are 503 until all prices are computed again. The functions are applied within the minute.
insert into price_rebuilds (tenant_id, token, next_id, leased_until, is_full)
select distinct m.tenant_id, gen_random_uuid(), '00000000-0000-0000-0000-000000000000'::uuid, now() + interval '1 minute', true from markets m
on conflict (tenant_id) do update
  set token = excluded.token, next_id = excluded.next_id, leased_until = excluded.leased_until, is_full = true;
