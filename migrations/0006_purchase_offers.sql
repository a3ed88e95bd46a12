-- What variants cost where they are bought: from a supplier, in a window of time.

alter table variants
  add column purchase_offer_count int not null default 0,
  add constraint variants_purchase_offer_limit check (purchase_offer_count <= 1000);

create table purchase_offers (
  tenant_id uuid not null,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  product_id uuid not null,
  variant_id uuid not null,
  status text not null check (status in ('DRAFT', 'ACTIVE', 'ARCHIVED')),
  supplier text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  cost numeric not null check (cost >= 0),
  valid_from timestamptz,
  valid_until timestamptz,
  document text not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  foreign key (tenant_id, variant_id) references variants (tenant_id, id) on delete cascade,
  constraint purchase_offers_window check (valid_until > valid_from)
);
create unique index purchase_offers_external_id on purchase_offers (tenant_id, external_id) where status <> 'ARCHIVED';
create index purchase_offers_created on purchase_offers (tenant_id, created_at desc, id) where status <> 'ARCHIVED';
create index purchase_offers_created_archived on purchase_offers (tenant_id, created_at desc, id) where status = 'ARCHIVED';
create index purchase_offers_updated on purchase_offers (tenant_id, updated_at, id);
create index purchase_offers_variant on purchase_offers (tenant_id, variant_id, created_at desc, id);
create index purchase_offers_product on purchase_offers (tenant_id, product_id, created_at desc, id);
create index purchase_offers_supplier on purchase_offers (tenant_id, supplier, created_at desc, id);

insert into resource_kinds values ('purchase_offers', 80);

call protect('purchase_offers');
