-- Synonyms of a tenant for searches of products: one row for each locale.
set local lock_timeout = '2s';

create table search_synonyms (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  locale text not null check (locale ~ '^[a-z]{2,3}-([A-Z]{2}|\d{3})$'),
  -- {sets, words, config}: the words of each set as queries, and the numbers of the sets of a word or a stem (synonym_lookup()).
  lookup jsonb not null,
  document text not null,
  primary key (tenant_id, id),
  constraint search_synonyms_locale unique (tenant_id, locale)
);
create index search_synonyms_created on search_synonyms (tenant_id, created_at desc, id);
create index search_synonyms_updated on search_synonyms (tenant_id, updated_at, id);
insert into resource_kinds values ('search_synonyms', 137);
call protect('search_synonyms');
