-- The tables of the service, by resource, with their constraints, indexes, policies, grants and triggers.
-- Every row of a tenant begins with its tenant_id, and protect() puts its table behind row security.
-- Functions are in functions/*.sql. Those that tables are built with, functions/00_basics.sql, run before this file.

-- Roles ----------------------------------------------------------------------------------------------------------------------------

-- The Worker's role owns nothing and cannot bypass row security. It reads tenants only through functions such as tenant_by_host().
-- It has no password until `npm run migrate -- --app-password` sets one.
do $$
begin
  if not exists (select from pg_roles where rolname = 'catalogue_app') then
    create role catalogue_app nologin nobypassrls;
  end if;
end
$$;
grant usage on schema public to catalogue_app;

-- Planner settings belong to the role, so that every Postgres plans alike. All databases of a server share them, and two migrations
-- at once cannot both update them. So they are set only if they differ.
do $$
begin
  if not exists (
    select from pg_db_role_setting s
     where s.setrole = 'catalogue_app'::regrole and s.setdatabase = 0
       and s.setconfig @> '{random_page_cost=1.1,jit=off,statement_timeout=5s,enable_seqscan=off}'
  ) then
    -- Pages are in memory or on solid state disks, where a random page costs about as much as the next one.
    alter role catalogue_app set random_page_cost = 1.1;
    -- No statement runs for as long as its compilation takes.
    alter role catalogue_app set jit = off;
    -- A single statement takes its time limit when it begins, before any setting that it could make itself.
    alter role catalogue_app set statement_timeout = '5s';
    -- Every query begins with the tenant, which each table has an index for. If one tenant has most rows of a table,
    -- reading the table costs about the same, and the planner would choose it by chance.
    alter role catalogue_app set enable_seqscan = off;
  end if;
end
$$;

-- Owns the words of the search. No client can log in as this role.
do $$
begin
  if not exists (select from pg_roles where rolname = 'catalogue_search') then
    create role catalogue_search nologin nobypassrls;
  end if;
end
$$;
grant catalogue_search to current_user;
grant usage on schema public to catalogue_search;

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Tenants --------------------------------------------------------------------------------------------------------------------------

create table tenants (
  id uuid primary key,
  -- The primary host, which links are written with.
  host text not null unique check (host = lower(host) and host !~ '[:/\s]' and right(host, 1) <> '.'),
  name text not null,
  -- The first locale is the one that stored documents are rendered in.
  locales text[] not null check (cardinality(locales) between 1 and 10),
  -- The constraint rejects a typing error when an operator makes it. It checks only the form, so a new version needs no migration.
  default_api_version text not null
    constraint tenants_default_api_version check (default_api_version ~ '^([0-9]{4}-(0[1-9]|1[0-2])|unstable)$'),
  issuer text not null,
  audience text not null,
  jwks jsonb,
  jwks_uri text,
  algorithms text[] not null default '{ES256}' check (algorithms <@ '{ES256,RS256,EdDSA}' and cardinality(algorithms) > 0),
  token_profile text not null default 'rfc9068' check (token_profile in ('rfc9068', 'generic')),
  tokens_valid_after bigint,
  created_at timestamptz not null default now(),
  -- A tenant in status REMOVING is never served again.
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED', 'REMOVING')),
  suspended_at timestamptz,
  -- Until then nothing is deleted for its age, so that deliveries which waited during a suspension can be sent first.
  kept_until timestamptz not null default '-infinity',
  webhook_subscriptions_limit int not null default 100 check (webhook_subscriptions_limit between 0 and 1000),
  webhook_host_limit int not null default 20 check (webhook_host_limit between 0 and 1000),
  -- Locales that products are yet to be indexed for, and locales that are being removed: readable, but not writable.
  arriving text[] not null default '{}',
  leaving text[] not null default '{}',
  -- Days before a reduction in which the prior price is looked up. Directive 98/6/EC, article 6a requires at least 30.
  prior_price_days int not null default 30 constraint tenants_prior_price_days check (prior_price_days between 30 and 36500),
  -- The IANA name of the time zone in which pages display times. Times are stored in UTC.
  time_zone text not null default 'UTC' constraint tenants_time_zone check (length(time_zone) between 1 and 64),
  -- Other hosts from which the tenant's /admin loads pictures over https.
  image_hosts text[] not null default '{}' constraint tenants_image_hosts check (
    cardinality(image_hosts) <= 20 and array_position(image_hosts, null) is null and array_to_string(image_hosts, ',') ~ '^[a-z0-9.,-]*$'),
  check ((jwks is null) <> (jwks_uri is null)),
  constraint tenants_suspended check ((status = 'ACTIVE') = (suspended_at is null)),
  constraint tenants_locale_changes
    check (arriving <@ locales and leaving <@ locales and not (arriving && leaving) and locales[1] <> all (arriving || leaving))
);

-- Every host that a tenant is found by, its primary host included.
create table tenant_hosts (
  tenant_id uuid not null references tenants on delete cascade,
  host text not null check (host = lower(host) and host !~ '[:/\s]' and right(host, 1) <> '.'),
  primary key (tenant_id, host),
  -- A host belongs to one tenant of all.
  constraint tenant_hosts_host unique (host)
);
alter table tenants
  add constraint tenants_primary_host foreign key (id, host) references tenant_hosts (tenant_id, host) deferrable initially deferred;
create trigger tenants_host after insert or update of host on tenants for each row execute function tenant_host_of_primary();

create table revoked_tokens (
  tenant_id uuid not null references tenants on delete cascade,
  jti text not null,
  expires_at timestamptz not null,
  primary key (tenant_id, jti)
);

-- Locales that products are being indexed for, or that texts are being removed from: in passes from the first row to the last.
create table locale_changes (
  tenant_id uuid not null references tenants on delete cascade,
  locale text not null,
  action text not null check (action in ('index', 'remove')),
  -- Counts the steps: a worker continues only from where it left the work.
  version int not null default 1,
  asked_at timestamptz not null default now(),
  -- From then on every Worker has the new settings. A pass that began earlier misses writes of Workers without them.
  settles_at timestamptz not null default now() + interval '2 minutes',
  pass_began_at timestamptz not null default now(),
  -- The progress of the pass: the part of the work, and the last row that is done in it.
  part int not null default 0,
  last_id uuid not null default '00000000-0000-0000-0000-000000000000',
  done bigint not null default 0,
  due_at timestamptz not null default now(),
  primary key (tenant_id, locale)
);
create index locale_changes_due on locale_changes (due_at);
call protect('locale_changes');

-- Writes and events ----------------------------------------------------------------------------------------------------------------

-- Kinds of rows that writes lock and stamp, in the order in which locks are taken. Each resource adds its row.
create table resource_kinds (
  kind text primary key,
  lock_order int not null unique
);
grant select on resource_kinds to catalogue_app;

-- One row for each tenant. Every write updates it, so writes of a tenant commit one after the other.
create table tenant_clock (
  tenant_id uuid primary key references tenants on delete cascade,
  last_at timestamptz not null default '2000-01-01T00:00:00Z',
  -- Of the last event.
  sequence bigint not null default 0
);
create trigger tenant_clock_moves before update on tenant_clock
  for each row when (new.last_at <= old.last_at) execute function clock_moves();
call protect('tenant_clock');

create table tenant_totals (
  tenant_id uuid not null references tenants on delete cascade,
  name text not null,
  total bigint not null,
  primary key (tenant_id, name)
);
call protect('tenant_totals');

-- One row is one change: audit trail, change feed and outbox in one. The kind is checked by complete_write():
-- a foreign key would lock one row that the writers of all tenants share.
create table events (
  tenant_id uuid not null references tenants on delete cascade,
  sequence bigint not null,
  id uuid not null,
  topic text not null,
  kind text not null,
  resource_id uuid not null,
  -- The product of an option, a value or a variant; null for a resource that is not part of another.
  owner_id uuid,
  resource_version int not null,
  occurred_at timestamptz not null,
  actor jsonb not null,
  api_version text not null,
  request_id text not null,
  -- The stored form of the resource after the change. Its document can be rendered from it in any locale and version.
  document text,
  changes jsonb not null,
  -- Whether the change moved the resource among its siblings. The order at a past moment is computed from these events.
  moved boolean not null generated always as (changes @> '[{"path": "position"}]') stored,
  -- When its deliveries were created: at once if no subscription has its topic.
  fanned_out_at timestamptz,
  -- Parts of the changes in columns of their own. The history of a product reads them for each event,
  -- and `changes` may have half a megabyte. Postgres can read the size of a text without its content, but not that of a jsonb.
  place_before int generated always as
    ((jsonb_path_query_first(changes, '$[*] ? (@.path == "position").before') #>> '{}')::int) stored,
  place_after int generated always as
    ((jsonb_path_query_first(changes, '$[*] ? (@.path == "position").after') #>> '{}')::int) stored,
  -- The option of a value, as an IRI.
  place_option text generated always as
    (jsonb_path_query_first(changes, '$[*] ? (@.path == "option").after') #>> '{}') stored,
  changes_size int not null generated always as (octet_length(changes::text)) stored,
  -- The moment at which an offer began or ended, for an event without a change.
  effective_at timestamptz,
  primary key (tenant_id, sequence),
  unique (tenant_id, id)
);
create index events_resource on events (tenant_id, kind, resource_id, sequence desc);
create index events_owner on events (tenant_id, owner_id, sequence desc) where owner_id is not null;
create index events_moved on events (tenant_id, owner_id, sequence)
  include (kind, resource_id, place_before, place_after) where moved;
create index events_topic on events (tenant_id, topic, sequence);
create index events_waiting on events (tenant_id, sequence) where fanned_out_at is null;
create index events_documents on events (tenant_id, occurred_at) where document is not null;
-- Each boundary happens once, even if two workers find it.
create unique index events_boundary on events (tenant_id, kind, resource_id, topic, effective_at) where effective_at is not null;
create trigger events_record_terms after insert on events referencing new table as rows
  for each statement execute function record_terms();
call protect('events');

create table idempotency_keys (
  tenant_id uuid not null references tenants on delete cascade,
  client text not null,
  key text not null,
  fingerprint text not null,
  operation text not null,
  -- The result of the operation without its stamps, which apply_write() adds in the same transaction.
  result jsonb not null,
  stamps jsonb,
  created_at timestamptz not null default now(),
  -- Users of the same client must not get each other's responses. Empty for a client without users.
  subject text not null default '',
  primary key (tenant_id, client, subject, key)
);
create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);
call protect('idempotency_keys');

-- Products -------------------------------------------------------------------------------------------------------------------------

-- Each row of a resource stores its document, rendered in the tenant's default locale, and its translations. Other columns exist
-- only for filters, orders and constraints.
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
  -- The metaobjects that custom fields refer to; they may be deleted. The same for variants and categories.
  metaobject_ids uuid[] not null default '{}',
  document text not null,
  translations jsonb not null,
  translated_in text not null generated always as (translated_in(translations)) stored,
  -- The channels of an archived product, which restoring it brings back.
  archived_channels text[] not null default '{}',
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
create index products_translated on products (tenant_id, translated_in, id) where status <> 'ARCHIVED';
insert into resource_kinds values ('products', 10);
call protect('products');

-- Foreign keys from the rows of a product to the product are deferred. A write may insert these rows before it takes the
-- tenant's clock. It inserts the product itself under the clock's lock.
create table product_tags (
  tenant_id uuid not null,
  tag text not null,
  product_id uuid not null,
  primary key (tenant_id, tag, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade deferrable initially deferred
);
create index product_tags_product on product_tags (tenant_id, product_id);
call protect('product_tags');

create table product_channels (
  tenant_id uuid not null,
  channel text not null,
  product_id uuid not null,
  primary key (tenant_id, channel, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade deferrable initially deferred
);
create index product_channels_product on product_channels (tenant_id, product_id);
call protect('product_channels');

-- Product options and option values ------------------------------------------------------------------------------------------------

create table product_options (
  tenant_id uuid not null,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  product_id uuid not null,
  position int not null check (position >= 0),
  -- In the tenant's default locale. Several options without a title may exist.
  title text,
  -- True while the product is archived, so that other options can take the external id. The same for values and variants.
  product_archived boolean not null default false,
  document text not null,
  translations jsonb not null,
  translated_in text not null generated always as (translated_in(translations)) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  constraint product_options_title unique (tenant_id, product_id, title),
  constraint product_options_position unique (tenant_id, product_id, position) deferrable initially deferred
);
create unique index product_options_external_id on product_options (tenant_id, external_id) where not product_archived;
create index product_options_created on product_options (tenant_id, created_at desc, id);
create index product_options_translated on product_options (tenant_id, translated_in, id) where not product_archived;
insert into resource_kinds values ('product_options', 20);
call protect('product_options');

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
  translated_in text not null generated always as (translated_in(translations)) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, option_id) references product_options (tenant_id, id) on delete cascade,
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  constraint option_values_title unique (tenant_id, option_id, title),
  constraint option_values_position unique (tenant_id, option_id, position) deferrable initially deferred
);
create unique index option_values_external_id on option_values (tenant_id, external_id) where not product_archived;
create index option_values_any_external_id on option_values (tenant_id, external_id) where external_id is not null;
create index option_values_product on option_values (tenant_id, product_id, option_id, position);
create index option_values_created on option_values (tenant_id, created_at desc, id);
create index option_values_by_title on option_values (tenant_id, title, id);
create index option_values_by_position on option_values (tenant_id, position, id);
create index option_values_translated on option_values (tenant_id, translated_in, id) where not product_archived;
insert into resource_kinds values ('option_values', 30);
call protect('option_values');

-- Variants -------------------------------------------------------------------------------------------------------------------------

create table variants (
  tenant_id uuid not null,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  product_id uuid not null,
  status text not null check (status in ('ACTIVE', 'ARCHIVED')),
  -- An archived variant has no position; its siblings close the gap.
  position int check ((status = 'ARCHIVED') = (position is null) and position >= 0),
  sku text check (length(sku) between 1 and 255),
  barcode text,
  -- The ids of its option values, in the order of the product's options.
  option_value_ids uuid[] not null,
  -- The same ids sorted and joined, for an index that allows one active variant for each combination.
  combination text not null,
  product_archived boolean not null default false,
  sale_offer_count int not null default 0 constraint variants_sale_offer_limit check (sale_offer_count <= 1000),
  metaobject_ids uuid[] not null default '{}',
  document text not null,
  purchase_offer_count int not null default 0 constraint variants_purchase_offer_limit check (purchase_offer_count <= 1000),
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  constraint variants_position unique (tenant_id, product_id, position) deferrable initially deferred
);
create unique index variants_combination on variants (tenant_id, product_id, combination) where status = 'ACTIVE';
create unique index variants_sku on variants (tenant_id, sku) where status = 'ACTIVE' and not product_archived;
create unique index variants_external_id on variants (tenant_id, external_id) where status = 'ACTIVE' and not product_archived;
create index variants_any_sku on variants (tenant_id, sku) where sku is not null;
create index variants_barcode on variants (tenant_id, barcode) where barcode is not null;
create index variants_created on variants (tenant_id, product_id, created_at desc, id);
create index variants_updated on variants (tenant_id, product_id, updated_at, id);
insert into resource_kinds values ('variants', 40);
call protect('variants');

-- The option values that active variants use. A value in this table cannot be deleted.
create table variant_option_values (
  tenant_id uuid not null,
  option_value_id uuid not null,
  variant_id uuid not null,
  primary key (tenant_id, option_value_id, variant_id),
  constraint variant_option_values_in_use foreign key (tenant_id, option_value_id) references option_values (tenant_id, id),
  foreign key (tenant_id, variant_id) references variants (tenant_id, id) on delete cascade
);
create index variant_option_values_variant on variant_option_values (tenant_id, variant_id);
call protect('variant_option_values');

-- Categories -----------------------------------------------------------------------------------------------------------------------

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
  -- 0 for a root. Statements that move subtrees update it.
  level int not null check (level between 0 and 9),
  metaobject_ids uuid[] not null default '{}',
  document text not null,
  translations jsonb not null,
  translated_in text not null generated always as (translated_in(translations)) stored,
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
create index categories_any_position on categories (tenant_id, position, id);
create index categories_roots on categories (tenant_id, position, id) where parent_id is null;
create index categories_translated on categories (tenant_id, translated_in, id);
insert into resource_kinds values ('categories', 50);
call protect('categories');

create table product_categories (
  tenant_id uuid not null,
  product_id uuid not null,
  category_id uuid not null,
  position int not null,
  primary key (tenant_id, product_id, category_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade deferrable initially deferred,
  constraint product_categories_category foreign key (tenant_id, category_id) references categories (tenant_id, id)
);
create index product_categories_category_idx on product_categories (tenant_id, category_id, product_id);
call protect('product_categories');

-- Collections ----------------------------------------------------------------------------------------------------------------------

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
  -- The conditions that a product must match; null if products are added one by one.
  rules jsonb check ((type = 'RULE_BASED') = (rules is not null)),
  document text not null,
  translations jsonb not null,
  translated_in text not null generated always as (translated_in(translations)) stored,
  primary key (tenant_id, id),
  constraint collections_handle unique (tenant_id, handle),
  constraint collections_external_id unique (tenant_id, external_id)
);
create index collections_created on collections (tenant_id, created_at desc, id);
create index collections_updated on collections (tenant_id, updated_at, id);
create index collections_title on collections (tenant_id, title, id);
create index collections_type on collections (tenant_id, type, created_at desc, id);
create index collections_rules on collections (tenant_id, id) where rules is not null;
create index collections_translated on collections (tenant_id, translated_in, id);
insert into resource_kinds values ('collections', 60);
call protect('collections');

-- An archived product stays in the collections that it was added to, hidden and uncounted until it is restored.
-- The number of products that a collection shows is the total `collection:<id>`.
create table product_collections (
  tenant_id uuid not null,
  -- No foreign key: the rebuild after a deletion removes these rows and records the products' events. Until then reads skip them.
  collection_id uuid not null,
  product_id uuid not null,
  primary key (tenant_id, collection_id, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade deferrable initially deferred
);
create index product_collections_product on product_collections (tenant_id, product_id, collection_id);
call protect('product_collections');

-- How often the rules of a tenant's collections changed, all together. lock_rows() compares it for writes that sort products by rules.
create table collection_rules (
  tenant_id uuid primary key references tenants on delete cascade,
  version int not null
);
call protect('collection_rules');

-- Collections whose products have yet to be sorted by new rules, or removed after a deletion; products from next_id on are left.
create table collection_rebuilds (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null,
  next_id uuid not null,
  leased_until timestamptz not null,
  -- The author of the change, whom the products' events name.
  actor jsonb not null,
  api_version text not null,
  request_id text not null,
  primary key (tenant_id, id)
);
create index collection_rebuilds_due on collection_rebuilds (leased_until);
insert into resource_kinds values ('collection_rebuilds', 65);
call protect('collection_rebuilds');

-- Sale offers ----------------------------------------------------------------------------------------------------------------------

-- The price of a variant in a channel, in countries, in a window of time.
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
  country_set text collate "C" not null generated always as (country_set(countries)) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
  foreign key (tenant_id, variant_id) references variants (tenant_id, id) on delete cascade,
  constraint sale_offers_compare_at check (compare_at_amount > amount),
  constraint sale_offers_window check (valid_until > valid_from)
);
create unique index sale_offers_external_id on sale_offers (tenant_id, external_id) where status <> 'ARCHIVED';
create index sale_offers_price on sale_offers (tenant_id, variant_id) where status = 'ACTIVE';
create index sale_offers_created on sale_offers (tenant_id, created_at desc, id) where status <> 'ARCHIVED';
-- Most offers are active: a filter for the others would read most of the list.
create index sale_offers_inactive on sale_offers (tenant_id, status, created_at desc, id) where status <> 'ACTIVE';
create index sale_offers_updated on sale_offers (tenant_id, updated_at, id);
create index sale_offers_variant on sale_offers (tenant_id, variant_id, created_at desc, id);
create index sale_offers_product on sale_offers (tenant_id, product_id, created_at desc, id);
create index sale_offers_currency on sale_offers (tenant_id, currency, created_at desc, id) where status <> 'ARCHIVED';
create index sale_offers_channel on sale_offers (tenant_id, channel, created_at desc, id)
  where status <> 'ARCHIVED' and channel is not null;
-- The few sets of countries of a tenant's offers, from which its markets are listed.
create index sale_offers_countries on sale_offers (tenant_id, country_set) where status <> 'ARCHIVED';
create index sale_offers_begin on sale_offers (tenant_id, valid_from) where status = 'ACTIVE' and valid_from is not null;
create index sale_offers_end on sale_offers (tenant_id, valid_until) where status = 'ACTIVE' and valid_until is not null;
insert into resource_kinds values ('sale_offers', 70);
call protect('sale_offers');

-- The terms of sale offers, and when they were the recorded ones. A trigger on events writes them in the transaction of each change,
-- so the offers and their history cannot differ.
create table sale_offer_terms (
  tenant_id uuid not null,
  sale_offer_id uuid not null,
  variant_id uuid not null,
  -- The terms were recorded from the first moment, inclusive, until the second, exclusive.
  known_from timestamptz not null,
  known_until timestamptz not null default 'infinity',
  -- The events that recorded them and that ended them.
  recorded_by uuid not null,
  ended_by uuid,
  status text not null,
  channel text,
  countries text[] not null,
  currency text not null,
  amount numeric not null,
  compare_at_amount numeric,
  valid_from timestamptz,
  valid_until timestamptz,
  priority int not null,
  min_quantity int not null,
  tax_included boolean not null,
  primary key (tenant_id, sale_offer_id, known_from),
  foreign key (tenant_id, sale_offer_id) references sale_offers (tenant_id, id) on delete cascade,
  constraint sale_offer_terms_span check (known_until > known_from),
  constraint sale_offer_terms_ended check ((known_until = 'infinity') = (ended_by is null))
);
-- An offer has one current row of terms.
create unique index sale_offer_terms_open on sale_offer_terms (tenant_id, sale_offer_id) where known_until = 'infinity';
create index sale_offer_terms_known on sale_offer_terms (tenant_id, variant_id, known_until, known_from);
-- Moments at which recorded terms begin and cease to apply: not before they were recorded, and not after they were changed.
-- At the moment of the change they still apply, as in src/resources/prices/timeline.ts.
create index sale_offer_terms_started on sale_offer_terms (tenant_id, valid_from, sale_offer_id)
  where status = 'ACTIVE' and valid_from > known_from and valid_from <= known_until;
create index sale_offer_terms_ended on sale_offer_terms (tenant_id, valid_until, sale_offer_id)
  where status = 'ACTIVE' and valid_until > known_from and valid_until <= known_until;
call protect('sale_offer_terms');
-- The Worker reads terms; only functions write them.
revoke insert, update, delete on sale_offer_terms from catalogue_app;

-- The last boundary of each tenant that has an event. Terms that are recorded later have no boundaries before it.
create table sale_offer_boundaries (
  tenant_id uuid primary key references tenants on delete cascade,
  recorded_at timestamptz not null default '-infinity',
  recorded_topic text collate "C" not null default '',
  recorded_offer uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Until this time the queue has messages for later boundaries.
  queued_until timestamptz not null default '-infinity'
);
call protect('sale_offer_boundaries');

-- Purchase offers ------------------------------------------------------------------------------------------------------------------

-- The cost of a variant from a supplier, in a window of time.
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
create index purchase_offers_inactive on purchase_offers (tenant_id, status, created_at desc, id) where status <> 'ACTIVE';
create index purchase_offers_updated on purchase_offers (tenant_id, updated_at, id);
create index purchase_offers_variant on purchase_offers (tenant_id, variant_id, created_at desc, id);
create index purchase_offers_product on purchase_offers (tenant_id, product_id, created_at desc, id);
create index purchase_offers_supplier on purchase_offers (tenant_id, supplier, created_at desc, id);
create index purchase_offers_begin on purchase_offers (tenant_id, valid_from) where status = 'ACTIVE' and valid_from is not null;
create index purchase_offers_end on purchase_offers (tenant_id, valid_until) where status = 'ACTIVE' and valid_until is not null;
insert into resource_kinds values ('purchase_offers', 80);
call protect('purchase_offers');

-- Metaobjects ----------------------------------------------------------------------------------------------------------------------

-- A definition names the fields of a tenant's own type of record; a metaobject has their values.
create table metaobject_definitions (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  type text not null check (type ~ '^[a-z][a-z0-9_]{0,63}$'),
  document text not null,
  primary key (tenant_id, id),
  constraint metaobject_definitions_type unique (tenant_id, type),
  constraint metaobject_definitions_external_id unique (tenant_id, external_id)
);
create index metaobject_definitions_created on metaobject_definitions (tenant_id, created_at desc, id);
create index metaobject_definitions_updated on metaobject_definitions (tenant_id, updated_at, id);
insert into resource_kinds values ('metaobject_definitions', 110);
call protect('metaobject_definitions');

create table metaobjects (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  definition_id uuid not null,
  handle text not null check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(handle) <= 255),
  status text not null check (status in ('DRAFT', 'ACTIVE')),
  -- Values of fields that are the same in every locale: {"key": "value"}.
  fields jsonb not null,
  -- Values of translatable fields: {"fr-FR": {"key": "value"}}.
  translations jsonb not null,
  -- The metaobjects that the values of all locales refer to. A reference does not prevent their deletion.
  reference_ids uuid[] not null,
  document text not null,
  primary key (tenant_id, id),
  constraint metaobjects_definition foreign key (tenant_id, definition_id) references metaobject_definitions (tenant_id, id),
  constraint metaobjects_handle unique (tenant_id, definition_id, handle),
  constraint metaobjects_external_id unique (tenant_id, external_id)
);
create index metaobjects_created on metaobjects (tenant_id, created_at desc, id);
create index metaobjects_updated on metaobjects (tenant_id, updated_at, id);
create index metaobjects_status on metaobjects (tenant_id, status, created_at desc, id);
create index metaobjects_of_definition on metaobjects (tenant_id, definition_id, created_at desc, id);
insert into resource_kinds values ('metaobjects', 120);
call protect('metaobjects');

-- Webhooks -------------------------------------------------------------------------------------------------------------------------

create table webhook_subscriptions (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  -- A topic, `product/*` or `*`. A subscription may have no topic or address yet; it receives nothing until it has both.
  topic text,
  callback_url text check (length(callback_url) <= 2048),
  -- The host of the address, with its port unless it is the scheme's own. Limits and failures are counted for each host.
  callback_host text,
  -- The pinned version of payloads; null is the tenant's default at the time of the fan-out.
  payload_version text,
  locale text,
  -- Dot paths in the names of the current version; null or empty is the whole document.
  include_fields jsonb check (jsonb_typeof(include_fields) = 'array'),
  status text not null check (status in ('ACTIVE', 'PAUSED', 'DISABLED')),
  -- Encrypted. The previous secret signs as well until it expires.
  secret text not null check (secret like 'v1.%'),
  previous_secret text check (previous_secret like 'v1.%'),
  previous_secret_until timestamptz,
  -- The scopes of the last writer of address, topic, version and paths: payloads contain no more than that writer could read.
  -- For a person, the scopes of those with the person's permission.
  scopes text[] not null,
  -- Since when every attempt has failed, and why no attempt is made any more.
  failing_since timestamptz,
  disabled_reason text check (disabled_reason is null or status = 'DISABLED'),
  document text not null,
  primary key (tenant_id, id),
  check ((previous_secret is null) = (previous_secret_until is null)),
  constraint webhook_subscriptions_host_of_url check ((callback_url is null) = (callback_host is null))
);
create index webhook_subscriptions_created on webhook_subscriptions (tenant_id, created_at desc, id);
create index webhook_subscriptions_updated on webhook_subscriptions (tenant_id, updated_at, id);
create index webhook_subscriptions_host on webhook_subscriptions (tenant_id, callback_host);
insert into resource_kinds values ('webhook_subscriptions', 130);
call protect('webhook_subscriptions');

-- One delivery for each event and each subscription that matches it.
create table webhook_deliveries (
  tenant_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  event_id uuid not null,
  event_sequence bigint not null,
  topic text not null,
  kind text not null,
  resource_id uuid not null,
  resource_version int not null,
  -- Fixed when the event is fanned out, so that every attempt sends the same bytes.
  payload_version text not null,
  locale text not null,
  include_fields jsonb check (jsonb_typeof(include_fields) = 'array'),
  scopes text[] not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Attempts that began, with or without a recorded outcome: since it was last opened, and before.
  attempts int not null default 0,
  earlier_attempts int not null default 0,
  next_attempt_at timestamptz not null,
  -- Until when its message is expected to be on the way to a worker.
  queued_until timestamptz,
  -- The worker that attempts it, and until when it may.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  -- How often in a row a failure of this service put it back without an attempt, and why; null after the next attempt.
  deferrals int not null default 0,
  deferred_for text constraint webhook_deliveries_check1 check ((deferred_for is null) = (deferrals = 0)),
  primary key (tenant_id, id),
  -- An event may be fanned out more than once.
  constraint webhook_deliveries_once unique (tenant_id, subscription_id, event_id),
  foreign key (tenant_id, subscription_id) references webhook_subscriptions (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_check check ((status = 'PENDING') = (completed_at is null))
);
create index webhook_deliveries_log on webhook_deliveries (tenant_id, subscription_id, created_at desc, id);
create index webhook_deliveries_due on webhook_deliveries (tenant_id, subscription_id, next_attempt_at, event_sequence)
  where status = 'PENDING';
create index webhook_deliveries_order on webhook_deliveries (tenant_id, resource_id, event_sequence) where status = 'PENDING';
create index webhook_deliveries_leased on webhook_deliveries (tenant_id, lease) where lease is not null;
create index webhook_deliveries_age on webhook_deliveries (tenant_id, created_at);
call protect('webhook_deliveries');

-- Inserted when an attempt begins and completed when it ends: an attempt without an end was interrupted.
create table webhook_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number int not null,
  callback_url text not null,
  started_at timestamptz not null,
  milliseconds int,
  http_status int,
  error text,
  primary key (tenant_id, delivery_id, number),
  foreign key (tenant_id, delivery_id) references webhook_deliveries (tenant_id, id) on delete cascade
);
call protect('webhook_attempts');

-- Callback hosts with recent failures, how many in a row, and until when no request is sent to them.
create table webhook_hosts (
  tenant_id uuid not null references tenants on delete cascade,
  host text not null,
  failures int not null,
  open_until timestamptz,
  primary key (tenant_id, host)
);
call protect('webhook_hosts');

-- Search ---------------------------------------------------------------------------------------------------------------------------

-- The words of a product in one locale. This is the only table whose row security is not forced: under a policy, operators that are not
-- leakproof (full text, trigrams) use no index. So it belongs to catalogue_search, the Worker's role has no rights to it, and the
-- functions that read and write it are bound to the tenant of the session.
create table product_search (
  tenant_id uuid not null,
  product_id uuid not null,
  locale text not null,
  -- Stems of the title (weight A) and of the description (C). As written: words of the title (A), and of vendor, type, tags, handle,
  -- SKUs and barcodes (B). After ~: most of these with one letter left out.
  vector tsvector not null,
  -- The words that a misspelled word may mean.
  words text not null,
  primary key (tenant_id, product_id, locale),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade deferrable initially deferred
);
-- Up to 64 kB of new words wait in a list and are then sorted in together, for half the work. A search reads the list as well.
create index product_search_vector on product_search using gin (tenant_id, locale, vector)
  with (fastupdate = on, gin_pending_list_limit = 64);
-- Begins with expressions that no other search uses. With the columns the planner would answer searches for words from this index.
create index product_search_words on product_search using gin ((tenant_id::text), (locale || ''), words gin_trgm_ops)
  with (fastupdate = on, gin_pending_list_limit = 64);
alter table product_search enable row level security;
create policy tenant on product_search using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
grant select on variants to catalogue_search;
grant create on schema public to catalogue_search;
alter table product_search owner to catalogue_search;
revoke create on schema public from catalogue_search;

-- Stored parts -----------------------------------------------------------------------------------------------------------------------

-- Compact JSON from which documents of products are built: one row for each product, which every write refreshes in its transaction
-- (functions/52_product_parts.sql). `parts` is null if it would be too large, and `offers` if there are too many. Readers then use rows.
create table product_parts (
  tenant_id uuid not null,
  product_id uuid not null,
  -- The shape of the JSON. Rows of another shape are not read.
  format smallint not null,
  -- The values of the product, its options with their values, and its first 50 variants.
  parts json,
  -- The texts in all languages, by the id of the product, the option or the value.
  translations json not null,
  -- The active offers of these variants, by the id of the variant.
  offers json,
  category_ids uuid[] not null,
  -- Whether custom fields of the product or of these variants refer to metaobjects, which are read with the parts.
  has_metaobjects boolean not null,
  -- Whether these are all variants of the product.
  is_whole boolean not null,
  primary key (tenant_id, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
);
call protect('product_parts');

-- The same for categories. A category that moves changes the ancestors of all below it, so these are a column.
create table category_parts (
  tenant_id uuid not null references tenants on delete cascade,
  category_id uuid not null,
  format smallint not null,
  parts json not null,
  translations json,
  ancestors uuid[] not null,
  -- Null if there are more than 250.
  children uuid[],
  children_total int not null,
  primary key (tenant_id, category_id)
);
call protect('category_parts');
