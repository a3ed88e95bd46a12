-- Products with what they own: options, option values, variants.
-- Every row keeps its rendered document (what the row itself owns, in the tenant's default locale), its translations,
-- and beside them only the columns that are filtered, ordered by or constrained.

create table products (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  handle text not null check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(handle) <= 255),
  status text not null check (status in ('DRAFT', 'ACTIVE', 'ARCHIVED')),
  title text not null,
  vendor text,
  product_type text,
  -- The metaobjects that its fields refer to; so for variants and categories. They may be gone.
  metaobject_ids uuid[] not null default '{}',
  document text not null,
  translations jsonb not null,
  primary key (tenant_id, id)
);
create unique index products_handle on products (tenant_id, handle) where status <> 'ARCHIVED';
create unique index products_external_id on products (tenant_id, external_id) where status <> 'ARCHIVED';
create index products_archived_handle on products (tenant_id, handle) where status = 'ARCHIVED';
create index products_created on products (tenant_id, created_at desc, id) where status <> 'ARCHIVED';
create index products_created_archived on products (tenant_id, created_at desc, id) where status = 'ARCHIVED';
create index products_updated on products (tenant_id, updated_at, id);
create index products_title on products (tenant_id, title, id) where status <> 'ARCHIVED';
create index products_status on products (tenant_id, status, created_at desc, id);
create index products_vendor on products (tenant_id, vendor, created_at desc, id) where vendor is not null;
create index products_type on products (tenant_id, product_type, created_at desc, id) where product_type is not null;

create table product_tags (
  tenant_id uuid not null,
  tag text not null,
  product_id uuid not null,
  primary key (tenant_id, tag, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
);
create index product_tags_product on product_tags (tenant_id, product_id);

create table product_channels (
  tenant_id uuid not null,
  channel text not null,
  product_id uuid not null,
  primary key (tenant_id, channel, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
);
create index product_channels_product on product_channels (tenant_id, product_id);

create table product_options (
  tenant_id uuid not null,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  product_id uuid not null,
  position int not null check (position >= 0),
  -- The title in the tenant's default locale; null titles never collide.
  title text,
  -- True while its product is archived, so that its external id is free for others; so for values and variants.
  product_archived boolean not null default false,
  document text not null,
  translations jsonb not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  constraint product_options_title unique (tenant_id, product_id, title),
  constraint product_options_position unique (tenant_id, product_id, position) deferrable initially deferred
);
create unique index product_options_external_id on product_options (tenant_id, external_id) where not product_archived;
create index product_options_created on product_options (tenant_id, created_at desc, id);

create table option_values (
  tenant_id uuid not null,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  product_id uuid not null,
  option_id uuid not null,
  position int not null check (position >= 0),
  title text not null,
  product_archived boolean not null default false,
  document text not null,
  translations jsonb not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, option_id) references product_options (tenant_id, id) on delete cascade,
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  constraint option_values_title unique (tenant_id, option_id, title),
  constraint option_values_position unique (tenant_id, option_id, position) deferrable initially deferred
);
create index option_values_product on option_values (tenant_id, product_id, option_id, position);
create unique index option_values_external_id on option_values (tenant_id, external_id) where not product_archived;
create index option_values_created on option_values (tenant_id, created_at desc, id);

create table variants (
  tenant_id uuid not null,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  product_id uuid not null,
  status text not null check (status in ('ACTIVE', 'ARCHIVED')),
  -- An archived variant leaves the order; its siblings close the gap.
  position int check ((status = 'ARCHIVED') = (position is null) and position >= 0),
  sku text check (length(sku) between 1 and 255),
  barcode text,
  -- The ids of its option values, in the order of the product's options.
  option_value_ids uuid[] not null,
  -- The same ids sorted and joined: one variant a combination, held against concurrent writers.
  combination text not null,
  -- True while its product is archived, so that its SKU is free for others.
  product_archived boolean not null default false,
  sale_offer_count int not null default 0,
  metaobject_ids uuid[] not null default '{}',
  document text not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  constraint variants_sale_offer_limit check (sale_offer_count <= 1000),
  constraint variants_position unique (tenant_id, product_id, position) deferrable initially deferred
);
create unique index variants_combination on variants (tenant_id, product_id, combination) where status = 'ACTIVE';
create unique index variants_sku on variants (tenant_id, sku) where status = 'ACTIVE' and not product_archived;
create unique index variants_external_id on variants (tenant_id, external_id) where status = 'ACTIVE' and not product_archived;
create index variants_barcode on variants (tenant_id, barcode) where barcode is not null;
create index variants_any_sku on variants (tenant_id, sku) where sku is not null;
create index variants_created on variants (tenant_id, product_id, created_at desc, id);
create index variants_updated on variants (tenant_id, product_id, updated_at, id);

-- Which active variants use a value: what cannot be deleted while this table names it.
create table variant_option_values (
  tenant_id uuid not null,
  option_value_id uuid not null,
  variant_id uuid not null,
  primary key (tenant_id, option_value_id, variant_id),
  constraint variant_option_values_in_use
    foreign key (tenant_id, option_value_id) references option_values (tenant_id, id),
  foreign key (tenant_id, variant_id) references variants (tenant_id, id) on delete cascade
);
create index variant_option_values_variant on variant_option_values (tenant_id, variant_id);

insert into resource_kinds values ('products', 10), ('product_options', 20), ('option_values', 30), ('variants', 40);

call protect('products');
call protect('product_tags');
call protect('product_channels');
call protect('product_options');
call protect('option_values');
call protect('variants');
call protect('variant_option_values');
