-- Titles in the order of their language.

-- Adds the missing titles of the next rows of a table after an id, for a new locale or rows from before the table of titles.
-- Returns the last id; null if no rows follow.
create or replace function add_titles(kind text, after uuid, most int) returns uuid
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  last uuid;
begin
  execute format('with page as materialized (
      select r.tenant_id, r.id, r.translations from %I r where r.tenant_id = current_tenant() and r.id > $2 order by r.id limit $3
    ), added as (
      insert into titles as t (tenant_id, kind, id, locale, language, title)
      select p.tenant_id, $1, p.id, of_row.* from page p cross join lateral titles_of(p.tenant_id, p.translations) of_row
      on conflict (tenant_id, kind, id, locale) do update set title = excluded.title where t.title <> excluded.title
    )
    select id from page order by id desc limit 1', kind) into last using kind, after, most;
  return last;
end
$$;
revoke all on function add_titles(text, uuid, int) from public;
grant execute on function add_titles(text, uuid, int) to catalogue_app;

-- Deletes some titles of a locale that is being removed, which no trigger adds any more. Returns their number.
create or replace function remove_titles_of(removed_locale text, most int) returns int
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  removed int;
begin
  delete from titles where ctid = any(array(
    select t.ctid from titles t where t.tenant_id = current_tenant() and t.locale = removed_locale limit most));
  get diagnostics removed = row_count;
  return removed;
end
$$;
revoke all on function remove_titles_of(text, int) from public;
grant execute on function remove_titles_of(text, int) to catalogue_app;

-- Returns the version of a language's collation, as the server has it now. Cursors contain it, because another version may order otherwise.
create or replace function title_edition(language text) returns text
  language sql stable parallel safe
  return (select pg_collation_actual_version(c.oid) from pg_collation c
           where c.collnamespace = 'pg_catalog'::regnamespace and c.collname = language || '-x-icu');

-- Ends a statement whose cursor has another order than the list: another locale, or another version of the collation.
create or replace function require_title_order(expected text, given text) returns boolean
  language plpgsql stable as $$
begin
  if given is distinct from expected then
    raise exception 'title_order' using errcode = 'PC422';
  end if;
  return true;
end
$$;
