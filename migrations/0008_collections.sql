-- Collections of products: chosen one by one, or by rules that follow every change of a product.

create table collections (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  handle text not null check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(handle) <= 255),
  type text not null check (type in ('MANUAL', 'RULE_BASED')),
  title text not null,
  -- What a product must be to be in it; null where products are chosen one by one.
  rules jsonb check ((type = 'RULE_BASED') = (rules is not null)),
  document text not null,
  translations jsonb not null,
  primary key (tenant_id, id),
  constraint collections_handle unique (tenant_id, handle),
  constraint collections_external_id unique (tenant_id, external_id)
);
create index collections_created on collections (tenant_id, created_at desc, id);
create index collections_updated on collections (tenant_id, updated_at, id);
create index collections_title on collections (tenant_id, title, id);
create index collections_rules on collections (tenant_id, id) where rules is not null;

-- An archived product keeps its place in those that were chosen for it, hidden and uncounted until it is restored. How many
-- products a collection shows is the total `collection:<id>`.
create table product_collections (
  tenant_id uuid not null,
  -- No foreign key: the rows of a deleted collection go with the rebuild that tells each product, until then nothing shows them.
  collection_id uuid not null,
  product_id uuid not null,
  primary key (tenant_id, collection_id, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
);
create index product_collections_product on product_collections (tenant_id, product_id, collection_id);

-- How many times the rules of a tenant's collections changed, all together: what guard() shows to whoever sorts a product.
create table collection_rules (
  tenant_id uuid primary key references tenants on delete cascade,
  version int not null
);

-- Collections whose products have still to be sorted by new rules, or told that it is gone; products from next_id on are left.
create table collection_rebuilds (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null,
  next_id uuid not null,
  leased_until timestamptz not null,
  -- Who changed the rules: in whose name the products' events are recorded.
  actor jsonb not null,
  api_version text not null,
  request_id text not null,
  primary key (tenant_id, id)
);
create index collection_rebuilds_due on collection_rebuilds (leased_until);

-- Tenants with rebuilds that nobody is at work on.
create function tenants_rebuilding(most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public
  begin atomic
    select distinct r.tenant_id from collection_rebuilds r where r.leased_until < now() limit most;
  end;
revoke all on function tenants_rebuilding(int) from public;
grant execute on function tenants_rebuilding(int) to catalogue_app;

insert into resource_kinds values ('collections', 60), ('collection_rebuilds', 65);

call protect('collections');
call protect('product_collections');
call protect('collection_rules');
call protect('collection_rebuilds');
