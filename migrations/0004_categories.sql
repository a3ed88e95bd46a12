-- The category tree and which products are in it.

create table categories (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  handle text not null check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(handle) <= 255),
  title text not null,
  parent_id uuid check (parent_id <> id),
  position int not null check (position >= 0),
  -- 0 for a root; kept by the statements that move subtrees.
  level int not null check (level between 0 and 9),
  metaobject_ids uuid[] not null default '{}',
  document text not null,
  translations jsonb not null,
  primary key (tenant_id, id),
  constraint categories_has_children foreign key (tenant_id, parent_id) references categories (tenant_id, id),
  constraint categories_handle unique (tenant_id, handle),
  constraint categories_external_id unique (tenant_id, external_id),
  constraint categories_position unique nulls not distinct (tenant_id, parent_id, position) deferrable initially deferred
);
create index categories_created on categories (tenant_id, created_at desc, id);
create index categories_updated on categories (tenant_id, updated_at, id);
create index categories_title on categories (tenant_id, title, id);
create index categories_level on categories (tenant_id, level, created_at desc, id);

create table product_categories (
  tenant_id uuid not null,
  product_id uuid not null,
  category_id uuid not null,
  position int not null,
  primary key (tenant_id, product_id, category_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  constraint product_categories_category foreign key (tenant_id, category_id) references categories (tenant_id, id)
);
create index product_categories_category_idx on product_categories (tenant_id, category_id, product_id);

insert into resource_kinds values ('categories', 50);

call protect('categories');
call protect('product_categories');
