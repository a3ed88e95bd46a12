-- Prices: what a variant costs in a channel, in a country, in a window of time.

create table sale_offers (
  tenant_id uuid not null,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  product_id uuid not null,
  variant_id uuid not null,
  status text not null check (status in ('DRAFT', 'ACTIVE', 'ARCHIVED')),
  channel text,
  countries text[] not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount numeric not null check (amount >= 0),
  compare_at_amount numeric,
  valid_from timestamptz,
  valid_until timestamptz,
  priority int not null check (priority between -1000 and 1000),
  min_quantity int not null check (min_quantity >= 1),
  tax_included boolean not null,
  document text not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  foreign key (tenant_id, variant_id) references variants (tenant_id, id) on delete cascade,
  constraint sale_offers_compare_at check (compare_at_amount > amount),
  constraint sale_offers_window check (valid_until > valid_from)
);
create unique index sale_offers_external_id on sale_offers (tenant_id, external_id) where status <> 'ARCHIVED';
-- What a price is resolved from, readable from the index's own order.
create index sale_offers_price on sale_offers (tenant_id, variant_id) where status = 'ACTIVE';
create index sale_offers_created on sale_offers (tenant_id, created_at desc, id) where status <> 'ARCHIVED';
create index sale_offers_created_archived on sale_offers (tenant_id, created_at desc, id) where status = 'ARCHIVED';
create index sale_offers_updated on sale_offers (tenant_id, updated_at, id);
create index sale_offers_variant on sale_offers (tenant_id, variant_id, created_at desc, id);
create index sale_offers_product on sale_offers (tenant_id, product_id, created_at desc, id);

insert into resource_kinds values ('sale_offers', 70);

call protect('sale_offers');
