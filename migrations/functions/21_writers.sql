-- The functions that write rows, generated from the catalogue: lock_row(), stamp_row() and write_rows().
-- They run again after each migration, because their text depends on the columns of the tables.

-- Generates lock_row() and stamp_row() with a branch for each kind of resource, write_rows() for each protected table.
-- write_rows() sets times: the place of a row is how many microseconds after `first_at` it changed. Without a place a row keeps its own times.
create or replace procedure make_writers()
  language plpgsql as $make$
declare
  locks text;
  stamps text;
  writers text;
begin
  select string_agg(format($branch$
    when %1$L then
      select version into this.found from %1$I where tenant_id = this.tenant and id = lock_row.row_id for no key update;$branch$, k.kind), '' order by k.lock_order),
         string_agg(format($branch$
    when %1$L then
      update %1$I set version = stamp_row.row_version, updated_at = stamp_row.at,
             created_at = case when stamp_row.is_new then stamp_row.at else created_at end
       where tenant_id = this.tenant and id = stamp_row.row_id;$branch$, k.kind), '' order by k.lock_order)
           filter (where exists (select from pg_attribute a where a.attrelid = to_regclass(quote_ident(k.kind)) and a.attname = 'updated_at'))
    into locks, stamps
    from resource_kinds k;

  with columns as (
    select c.relname as name, a.attname as own, a.attnum as place,
           a.attname in ('tenant_id', 'id') as is_key,
           a.attgenerated <> '' as is_generated,
           coalesce(pg_get_expr(d.adbin, d.adrelid), 'null') as standard,
           a.atttypid = 'uuid'::regtype and a.attname <> 'tenant_id' and exists (
             select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)) as tells_rows
      from pg_class c
      join pg_policy p on p.polrelid = c.oid and p.polname = 'tenant'
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = 'public'::regnamespace and c.relforcerowsecurity
  ), tables as (
    select name,
           string_agg(format('%I', own), ', ' order by place) filter (where own <> 'tenant_id' and not is_generated) as inserted,
           string_agg(case when own in ('created_at', 'updated_at')
                        then format('coalesce(write_rows.first_at + write_rows.places[r.ordinality] * interval ''1 microsecond'', r.%I)', own)
                        else format('r.%I', own) end, ', ' order by place) filter (where own <> 'tenant_id' and not is_generated) as given,
           string_agg(case when is_generated then 'null' else standard end, ', ' order by place) as standards,
           string_agg(case when own = 'updated_at'
                        then 'updated_at = coalesce(write_rows.first_at + write_rows.places[this.nth] * interval ''1 microsecond'', t.updated_at)'
                        else format('%1$I = case when this.own ? %1$L then r.%1$I else t.%1$I end', own) end, E',\n               ' order by place)
             filter (where not is_key and own <> 'created_at' and not is_generated) as updated,
           bool_or(own = 'id') as has_id
      from columns group by name
  )
  -- The most frequent branches first, because they are tried in this order.
  select string_agg(format($branch$
    when %1$L then
      insert into %2$I (tenant_id, %3$s)
      select this.tenant, %4$s from jsonb_populate_recordset(row(%5$s)::%2$I, write_rows.given) with ordinality as r;$branch$,
             'insert ' || name, name, inserted, tables.given, standards), '' order by name)
         || string_agg(format($branch$
    when %1$L then
      foreach own in array array(select jsonb_array_elements(write_rows.given)) loop
        nth := nth + 1;
        update %2$I t
           set %3$s
          from jsonb_populate_record(null::%2$I, this.own) as r where t.tenant_id = this.tenant and t.id = r.id;
      end loop;$branch$,
             'update ' || name, name, updated), '' order by name) filter (where has_id and updated is not null)
         || string_agg((select string_agg(format($branch$
    when %1$L then
      delete from %2$I where tenant_id = this.tenant and %3$I = any(this.ids);$branch$,
             'delete ' || c.name || ' by ' || c.own, c.name, c.own), '' order by c.place)
              from columns c where c.name = tables.name and c.tells_rows), '' order by name)
    into writers
    from tables;

  execute format($function$
    create or replace function lock_row(kind text, row_id uuid) returns int language plpgsql as $body$
<<this>>
declare
  tenant uuid := current_tenant();
  found int;
begin
  case kind%s
  end case;
  return found;
end
$body$ $function$, locks);

  execute format($function$
    create or replace function stamp_row(kind text, row_id uuid, row_version int, at timestamptz, is_new boolean) returns void language plpgsql as $body$
<<this>>
declare
  tenant uuid := current_tenant();
begin
  case kind%s
    else null;
  end case;
end
$body$ $function$, stamps);

  execute format($function$
    create or replace function write_rows(what text, given jsonb, first_at timestamptz, places int[]) returns void language plpgsql as $body$
#variable_conflict use_column
<<this>>
declare
  tenant uuid := current_tenant();
  own jsonb;
  nth int := 0;
  ids uuid[] := case when what like 'delete %%' then array(select jsonb_array_elements_text(given)::uuid) end;
begin
  case what%s
  end case;
end
$body$ $function$, writers);
end
$make$;
revoke all on procedure make_writers() from public;
call make_writers();
