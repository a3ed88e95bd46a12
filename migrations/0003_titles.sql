-- The title of each resource as lists show it, one row per locale of the tenant, and an index for the order of each language.
set local lock_timeout = '2s';

create table titles (
  tenant_id uuid not null references tenants on delete cascade,
  -- The table of the resource.
  kind text not null,
  id uuid not null,
  locale text not null,
  -- The collation of the locale: a language with an order of its own, or `und`. See title_language().
  language text collate "C" not null,
  -- With the fallbacks of the locale. Empty for an option without a title.
  title text not null,
  primary key (tenant_id, kind, id, locale)
);
call protect('titles');
-- The Worker reads titles; only functions write them.
revoke insert, update, delete on titles from catalogue_app;

create index titles_cs on titles (tenant_id, kind, locale, (title collate "cs-x-icu"), id) where language = 'cs';
create index titles_da on titles (tenant_id, kind, locale, (title collate "da-x-icu"), id) where language = 'da';
create index titles_es on titles (tenant_id, kind, locale, (title collate "es-x-icu"), id) where language = 'es';
create index titles_et on titles (tenant_id, kind, locale, (title collate "et-x-icu"), id) where language = 'et';
create index titles_fi on titles (tenant_id, kind, locale, (title collate "fi-x-icu"), id) where language = 'fi';
create index titles_hr on titles (tenant_id, kind, locale, (title collate "hr-x-icu"), id) where language = 'hr';
create index titles_hu on titles (tenant_id, kind, locale, (title collate "hu-x-icu"), id) where language = 'hu';
create index titles_is on titles (tenant_id, kind, locale, (title collate "is-x-icu"), id) where language = 'is';
create index titles_ja on titles (tenant_id, kind, locale, (title collate "ja-x-icu"), id) where language = 'ja';
create index titles_ko on titles (tenant_id, kind, locale, (title collate "ko-x-icu"), id) where language = 'ko';
create index titles_lt on titles (tenant_id, kind, locale, (title collate "lt-x-icu"), id) where language = 'lt';
create index titles_lv on titles (tenant_id, kind, locale, (title collate "lv-x-icu"), id) where language = 'lv';
create index titles_nb on titles (tenant_id, kind, locale, (title collate "nb-x-icu"), id) where language = 'nb';
create index titles_nn on titles (tenant_id, kind, locale, (title collate "nn-x-icu"), id) where language = 'nn';
create index titles_pl on titles (tenant_id, kind, locale, (title collate "pl-x-icu"), id) where language = 'pl';
create index titles_ro on titles (tenant_id, kind, locale, (title collate "ro-x-icu"), id) where language = 'ro';
create index titles_sk on titles (tenant_id, kind, locale, (title collate "sk-x-icu"), id) where language = 'sk';
create index titles_sl on titles (tenant_id, kind, locale, (title collate "sl-x-icu"), id) where language = 'sl';
create index titles_sv on titles (tenant_id, kind, locale, (title collate "sv-x-icu"), id) where language = 'sv';
create index titles_tr on titles (tenant_id, kind, locale, (title collate "tr-x-icu"), id) where language = 'tr';
create index titles_uk on titles (tenant_id, kind, locale, (title collate "uk-x-icu"), id) where language = 'uk';
create index titles_vi on titles (tenant_id, kind, locale, (title collate "vi-x-icu"), id) where language = 'vi';
create index titles_zh on titles (tenant_id, kind, locale, (title collate "zh-x-icu"), id) where language = 'zh';
create index titles_und on titles (tenant_id, kind, locale, (title collate "und-x-icu"), id) where language = 'und';

-- The versions of the collations that the indexes were built with. `npm run migrate` builds an index again if its collation has changed.
create table title_collations (
  language text primary key,
  version text not null
);
insert into title_collations
select split_part(c.collname, '-', 1), pg_collation_actual_version(c.oid)
  from pg_collation c
 where c.collnamespace = 'pg_catalog'::regnamespace
   and c.collname in (select substr(i.relname, 8) || '-x-icu' from pg_class i where i.relname ~ '^titles_[a-z]+$' and i.relname <> 'titles_pkey');

create trigger products_titles_new after insert on products referencing new table as rows for each statement execute function keep_titles();
create trigger products_titles after update of translations on products for each row
  when (old.translations is distinct from new.translations) execute function keep_changed_titles();
create trigger products_titles_gone after delete on products referencing old table as rows for each statement execute function remove_titles();
create trigger product_options_titles_new after insert on product_options referencing new table as rows for each statement execute function keep_titles();
create trigger product_options_titles after update of translations on product_options for each row
  when (old.translations is distinct from new.translations) execute function keep_changed_titles();
create trigger product_options_titles_gone after delete on product_options referencing old table as rows for each statement execute function remove_titles();
create trigger option_values_titles_new after insert on option_values referencing new table as rows for each statement execute function keep_titles();
create trigger option_values_titles after update of translations on option_values for each row
  when (old.translations is distinct from new.translations) execute function keep_changed_titles();
create trigger option_values_titles_gone after delete on option_values referencing old table as rows for each statement execute function remove_titles();
create trigger categories_titles_new after insert on categories referencing new table as rows for each statement execute function keep_titles();
create trigger categories_titles after update of translations on categories for each row
  when (old.translations is distinct from new.translations) execute function keep_changed_titles();
create trigger categories_titles_gone after delete on categories referencing old table as rows for each statement execute function remove_titles();
create trigger collections_titles_new after insert on collections referencing new table as rows for each statement execute function keep_titles();
create trigger collections_titles after update of translations on collections for each row
  when (old.translations is distinct from new.translations) execute function keep_changed_titles();
create trigger collections_titles_gone after delete on collections referencing old table as rows for each statement execute function remove_titles();
