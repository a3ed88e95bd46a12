-- Brands: names under which products are sold.

set local lock_timeout = '2s';

create table brands (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  handle text not null check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(handle) <= 255),
  document text not null,
  translations jsonb not null,
  translated_in text not null generated always as (translated_in(translations)) stored,
  primary key (tenant_id, id),
  constraint brands_handle unique (tenant_id, handle),
  constraint brands_external_id unique (tenant_id, external_id)
);
create index brands_created on brands (tenant_id, created_at desc, id);
create index brands_translated on brands (tenant_id, translated_in, id);
create index brands_updated on brands (tenant_id, updated_at, id);

insert into resource_kinds values ('brands', 140);

call protect('brands');
