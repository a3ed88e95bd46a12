-- A write in one statement. Sent one by one, each statement waits for its answer while its locks are held, and Postgres plans it
-- anew; what a function runs is planned once on a connection. So nothing below is built of texts when a write runs: tables and
-- kinds have their branches in functions that are made of the catalogue, whenever a table is protected.

-- Makes what differs by table: lock_row() and stamp_row() of every kind, write_rows() of every protected table. protect() calls
-- it; so does a migration that adds columns to a table, or kinds after their table was protected.
create procedure make_writers()
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
           a.attname in ('tenant_id', 'id') as is_key, a.attname in ('version', 'created_at', 'updated_at') as is_stamp,
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
           string_agg(format('r.%I', own), ', ' order by place) filter (where own <> 'tenant_id' and not is_generated) as given,
           string_agg(case when is_generated then 'null' else standard end, ', ' order by place) as standards,
           string_agg(format('%1$I = case when this.own ? %1$L then r.%1$I else t.%1$I end', own), E',\n               ' order by place)
             filter (where not is_key and not is_stamp and not is_generated) as updated,
           bool_or(own = 'id') as has_id
      from columns group by name
  )
  select string_agg(format($branch$
    when %1$L then
      insert into %2$I (tenant_id, %3$s)
      select this.tenant, %4$s from jsonb_populate_recordset(row(%5$s)::%2$I, write_rows.given) as r;$branch$,
             'insert ' || name, name, inserted, tables.given, standards)
         || case when has_id and updated is not null then format($branch$
    when %1$L then
      foreach own in array array(select jsonb_array_elements(write_rows.given)) loop
        update %2$I t
           set %3$s
          from jsonb_populate_record(null::%2$I, this.own) as r where t.tenant_id = this.tenant and t.id = r.id;
      end loop;$branch$,
             'update ' || name, name, updated) else '' end
         || coalesce((select string_agg(format($branch$
    when %1$L then
      delete from %2$I where tenant_id = this.tenant and %3$I = any(this.ids);$branch$,
             'delete ' || c.name || ' by ' || c.own, c.name, c.own), '' order by c.place)
              from columns c where c.name = tables.name and c.tells_rows), ''), '' order by name)
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
    create or replace function write_rows(what text, given jsonb) returns void language plpgsql as $body$
#variable_conflict use_column
<<this>>
declare
  tenant uuid := current_tenant();
  own jsonb;
  ids uuid[] := case when what like 'delete %%' then array(select jsonb_array_elements_text(given)::uuid) end;
begin
  case what%s
  end case;
end
$body$ $function$, writers);
end
$make$;
revoke all on procedure make_writers() from public;

create or replace procedure protect(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format('create policy tenant on %s using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', tenant_table);
  execute format('grant select, insert, update, delete on %s to catalogue_app', tenant_table);
  call make_writers();
end
$$;

call make_writers();

-- As before, in static SQL.
create or replace function guard(items jsonb) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  item record;
  found_version int;
begin
  if items @> '[{"kind": "category_tree"}]' then
    perform pg_advisory_xact_lock(hashtextextended('category_tree:' || current_tenant(), 0));
  end if;
  if items @> '[{"kind": "collection_rules_change"}]' then
    perform pg_advisory_xact_lock(hashtextextended('collection_rules:' || current_tenant(), 0));
  elsif items @> '[{"kind": "collection_rules"}]' then
    perform pg_advisory_xact_lock_shared(hashtextextended('collection_rules:' || current_tenant(), 0));
    select coalesce(max(version), 0) into found_version from collection_rules where tenant_id = current_tenant();
    if not items @> jsonb_build_array(jsonb_build_object('kind', 'collection_rules', 'version', found_version)) then
      raise exception 'collection_rules:%', current_tenant() using errcode = 'PC412', detail = found_version;
    end if;
  end if;
  for item in
    select k.kind, i.id, max(i.version) as version, k.lock_order
      from jsonb_to_recordset(items) as i(kind text, id uuid, version int)
      join resource_kinds k on k.kind = i.kind
     group by k.kind, k.lock_order, i.id
     order by k.lock_order, i.id
  loop
    found_version := lock_row(item.kind, item.id);
    if found_version is null then
      raise exception '%:%', item.kind, item.id using errcode = 'PC404';
    elsif found_version <> item.version then
      raise exception '%:%', item.kind, item.id using errcode = 'PC412', detail = found_version;
    end if;
  end loop;
end
$$;

-- As before, in static SQL.
create or replace function commit(envelope jsonb, changes jsonb, totals jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  tenant uuid := current_tenant();
  amount int := jsonb_array_length(changes);
  told int := (select count(c.topic) from jsonb_to_recordset(changes) as c(topic text));
  first_at timestamptz;
  first_sequence bigint;
  patterns text[];
  changed record;
  stamped jsonb;
begin
  update tenant_clock
     set last_at = greatest(clock_timestamp(), last_at + interval '1 microsecond') + (amount - 1) * interval '1 microsecond',
         sequence = sequence + told
   where tenant_id = tenant
  returning last_at - (amount - 1) * interval '1 microsecond', sequence - told + 1 into first_at, first_sequence;
  if first_at is null then
    raise exception 'no clock for tenant %', tenant;
  end if;
  -- Under the clock's lock: whoever subscribed before this change is told of it, and nobody who did after.
  patterns := (select coalesce(array_agg(distinct topic), '{}') from webhook_subscriptions
               where tenant_id = tenant and status <> 'DISABLED');

  for changed in
    select c.*, first_at + (c.n - 1) * interval '1 microsecond' as at
      from rows from (jsonb_to_recordset(changes) as (kind text, id uuid, version int, action text))
           with ordinality as c(kind, id, version, action, n)
     where c.action <> 'deleted'
  loop
    perform stamp_row(changed.kind, changed.id, changed.version, changed.at, changed.action = 'created');
  end loop;

  with noted as (
    select c.*, first_at + (c.n - 1) * interval '1 microsecond' as at,
           first_sequence - 1 + count(c.topic) over (order by c.n) as sequence,
           case when c.topic is not null then array[c.topic, split_part(c.topic, '/', 1) || '/*', '*'] && patterns end as awaited
      from rows from (jsonb_to_recordset(commit.changes) as (
             kind text, id uuid, version int, action text, topic text, "eventId" uuid, "ownerId" uuid,
             document text, changes jsonb))
           with ordinality as c(kind, id, version, action, topic, "eventId", "ownerId", document, changes, n)
  ), recorded as (
    insert into events (tenant_id, sequence, id, topic, kind, resource_id, owner_id, resource_version, occurred_at,
                        actor, api_version, request_id, document, changes, fanned_out_at)
    select tenant, c.sequence, c."eventId", c.topic, c.kind, c.id, c."ownerId", c.version, c.at,
           envelope -> 'actor', envelope ->> 'apiVersion', envelope ->> 'requestId', c.document, c.changes,
           case when not c.awaited then c.at end
      from noted c where c.topic is not null
  )
  select coalesce(jsonb_agg(jsonb_build_object(
           'id', id, 'kind', kind, 'version', noted.version, 'at', instant_text(at), 'sequence', sequence,
           'awaited', noted.awaited) order by n), '[]')
    into stamped from noted;

  insert into tenant_totals as t (tenant_id, name, total)
  select tenant, key, value::bigint from jsonb_each_text(totals) where value <> '0' order by key
  on conflict (tenant_id, name) do update set total = t.total + excluded.total;

  if envelope ? 'idempotencyKey' then
    update idempotency_keys k set stamps = stamped
     where k.tenant_id = tenant and k.client = envelope ->> 'client' and k.key = envelope ->> 'idempotencyKey';
  end if;
  return stamped;
end
$$;

-- Keeps the rows of products: [{product_id, locale, config, title, description, lexemes, words}], `lexemes` being the text
-- of a tsvector. The codes of their variants are read here, so that thousands of them need not travel. Product by product: the
-- planner takes what is split out of a code for many rows, and those of many products for so many that it would compile the plan.
create or replace function index_products(products jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  own record;
  codes tsvector;
begin
  for own in
    select (each ->> 'product_id')::uuid as id, jsonb_agg(each) as texts from jsonb_array_elements(products) as each group by 1 order by 1
  loop
    -- A tsvector holds a megabyte: the codes get a fifth of it.
    select string_agg(format('''%s'':1B', fitting.code), ' ')::tsvector into codes from (
      select spelled.code, sum(octet_length(spelled.code)) over (order by spelled.code) <= 200000 as fits from (
        select distinct part.code
          from variants v
         cross join lateral unnest(
           regexp_split_to_array(lower(v.sku), '[\s!-/:-@\[-`{-~]+')
             || regexp_replace(lower(v.sku), '[\s!-/:-@\[-`{-~]+', '', 'g')
             || regexp_replace(lower(v.barcode), '[\s!-/:-@\[-`{-~]+', '', 'g')) as part(code)
         where v.tenant_id = tenant and v.product_id = own.id and v.status = 'ACTIVE' and part.code <> ''
      ) as spelled
    ) as fitting where fitting.fits;
    insert into product_search (tenant_id, product_id, locale, vector, words)
    select tenant, own.id, g.locale,
           setweight(to_tsvector(g.config, g.title), 'A') || setweight(to_tsvector(g.config, g.description), 'C')
             || g.lexemes::tsvector || coalesce(codes, ''),
           g.words
      from jsonb_to_recordset(own.texts) as g(locale text, config regconfig, title text, description text, lexemes text, words text)
    on conflict (tenant_id, product_id, locale) do update set vector = excluded.vector, words = excluded.words;
  end loop;
end
$$;

-- Puts rows at their places among the children of an owner, the others keeping their order in the places between, so that all are
-- numbered from 0 without a gap; beyond the end is the end. Only rows that come to stand elsewhere are written. Everything is
-- looked up in arrays: of what is joined by number the planner knows nothing, and takes thousands of siblings for one.
create function place_rows(kind text, owner uuid, moved uuid[], places int[]) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
<<this>>
declare
  tenant uuid := current_tenant();
  others uuid[];
  stood int[];
  ids uuid[];
  positions int[];
begin
  case kind
    when 'product_options' then
      select array_agg(t.id order by t.position, t.id), array_agg(t.position order by t.position, t.id) into others, stood
        from product_options t where t.tenant_id = this.tenant and t.product_id = owner and t.id <> all(moved);
    when 'option_values' then
      select array_agg(t.id order by t.position, t.id), array_agg(t.position order by t.position, t.id) into others, stood
        from option_values t where t.tenant_id = this.tenant and t.option_id = owner and t.id <> all(moved);
    when 'variants' then
      select array_agg(t.id order by t.position, t.id), array_agg(t.position order by t.position, t.id) into others, stood
        from variants t where t.tenant_id = this.tenant and t.product_id = owner and t.status = 'ACTIVE' and t.id <> all(moved);
    when 'categories' then
      if owner is null then
        select array_agg(t.id order by t.position, t.id), array_agg(t.position order by t.position, t.id) into others, stood
          from categories t where t.tenant_id = this.tenant and t.parent_id is null and t.id <> all(moved);
      else
        select array_agg(t.id order by t.position, t.id), array_agg(t.position order by t.position, t.id) into others, stood
          from categories t where t.tenant_id = this.tenant and t.parent_id = owner and t.id <> all(moved);
      end if;
  end case;
  with free as (
    select each.slot, row_number() over (order by each.slot)::int as n
      from generate_series(0, coalesce(cardinality(others), 0) + cardinality(moved) - 1) as each(slot) where each.slot <> all(places)
  ), slots as (
    select others[free.n] as id, stood[free.n] as before, free.slot from free where free.n <= cardinality(others)
    union all
    select each.id, null, each.slot from unnest(moved, places) as each(id, slot)
  ), numbered as (
    select slots.id, slots.before, (row_number() over (order by slots.slot) - 1)::int as position from slots
  )
  select array_agg(numbered.id), array_agg(numbered.position) into ids, positions
    from numbered where numbered.before is distinct from numbered.position;
  case kind
    when 'product_options' then
      update product_options t set position = p.position from unnest(ids, positions) as p(id, position)
       where t.tenant_id = this.tenant and t.id = p.id and t.position <> p.position;
    when 'option_values' then
      update option_values t set position = p.position from unnest(ids, positions) as p(id, position)
       where t.tenant_id = this.tenant and t.id = p.id and t.position <> p.position;
    when 'variants' then
      update variants t set position = p.position from unnest(ids, positions) as p(id, position)
       where t.tenant_id = this.tenant and t.id = p.id and t.position is distinct from p.position;
    when 'categories' then
      update categories t set position = p.position from unnest(ids, positions) as p(id, position)
       where t.tenant_id = this.tenant and t.id = p.id and t.position <> p.position;
  end case;
end
$$;

-- What a write does, step by step: [{do, …}], in one statement. Each step sees the rows as they are when it begins, as statements
-- of their own would: after the locks of `guard` were waited for. Returns what `commit` did; null without that step.
--   guard {items}, commit {envelope, changes, totals}: see there
--   insert, update {table, rows}, delete {table, by, ids}: see write_rows()
--   keep_key {client, key, fingerprint, operation, result, stamps}: a request's idempotency key, free again after a day
--   place {table, owner, moved, places}: see place_rows()
--   append_categories {rows}: new categories come behind the last children of their parents, in the order given
--   archive_owned {product, archived}: what a product owns is archived, or restored, with it
--   sort_products {left, entered: [{product_id, collection_id}]}: who leaves and enters collections
--   index_products {texts, rows}: see index_products(); texts are told by their place in `texts`
--   demand_offerable {variants}: raises PC409 'archived' where one of the variants, or its product, is archived
--   count_offers {moves: [{id, sale_offer_count, purchase_offer_count}]}: by how many these grow
create function write(steps jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  step jsonb;
  committed jsonb;
begin
  foreach step in array array(select jsonb_array_elements(steps)) loop
    case step ->> 'do'
      when 'guard' then
        perform guard(step -> 'items');
      when 'insert', 'update' then
        perform write_rows(concat_ws(' ', step ->> 'do', step ->> 'table'), step -> 'rows');
      when 'delete' then
        perform write_rows(concat_ws(' ', 'delete', step ->> 'table', 'by', step ->> 'by'), step -> 'ids');
      when 'commit' then
        committed := commit(step -> 'envelope', step -> 'changes', step -> 'totals');
      when 'keep_key' then
        delete from idempotency_keys k
         where k.tenant_id = tenant and k.client = step ->> 'client' and k.key = step ->> 'key'
           and k.created_at <= now() - interval '24 hours';
        insert into idempotency_keys (tenant_id, client, key, fingerprint, operation, result, stamps)
        values (tenant, step ->> 'client', step ->> 'key', step ->> 'fingerprint', step ->> 'operation', step -> 'result',
                nullif(step -> 'stamps', 'null'));
      when 'place' then
        perform place_rows(step ->> 'table', (step ->> 'owner')::uuid,
                           array(select jsonb_array_elements_text(step -> 'moved')::uuid),
                           array(select jsonb_array_elements_text(step -> 'places')::int));
      when 'append_categories' then
        insert into categories (tenant_id, id, external_id, handle, title, parent_id, position, level, metaobject_ids, document, translations)
        select tenant, r.id, r.external_id, r.handle, r.title, r.parent_id,
               case when r.parent_id is null
                 then (select coalesce(max(c.position) + 1, 0) from categories c where c.tenant_id = tenant and c.parent_id is null)
                 else (select coalesce(max(c.position) + 1, 0) from categories c where c.tenant_id = tenant and c.parent_id = r.parent_id)
               end + row_number() over (partition by r.parent_id order by r.ordinality) - 1,
               coalesce((select p.level + 1 from categories p where p.tenant_id = tenant and p.id = r.parent_id), 0),
               r.metaobject_ids, r.document, r.translations
          from jsonb_populate_recordset(null::categories, step -> 'rows') with ordinality as r;
      when 'archive_owned' then
        update product_options set product_archived = (step ->> 'archived')::boolean
         where tenant_id = tenant and product_id = (step ->> 'product')::uuid;
        update option_values set product_archived = (step ->> 'archived')::boolean
         where tenant_id = tenant and product_id = (step ->> 'product')::uuid;
        update variants set product_archived = (step ->> 'archived')::boolean
         where tenant_id = tenant and product_id = (step ->> 'product')::uuid;
      when 'sort_products' then
        delete from product_collections m using jsonb_to_recordset(step -> 'left') as r(product_id uuid, collection_id uuid)
         where m.tenant_id = tenant and m.collection_id = r.collection_id and m.product_id = r.product_id;
        insert into product_collections (tenant_id, collection_id, product_id)
        select tenant, r.collection_id, r.product_id
          from jsonb_to_recordset(step -> 'entered') as r(product_id uuid, collection_id uuid) order by 2, 3
        on conflict do nothing;
      when 'index_products' then
        perform index_products((
          select jsonb_agg(each || jsonb_build_object(
                   'title', step -> 'texts' -> (each ->> 'title')::int, 'description', step -> 'texts' -> (each ->> 'description')::int,
                   'lexemes', step -> 'texts' -> (each ->> 'lexemes')::int, 'words', step -> 'texts' -> (each ->> 'words')::int))
            from jsonb_array_elements(step -> 'rows') as each));
      when 'demand_offerable' then
        if exists (select from variants v
                    where v.tenant_id = tenant and v.id = any(array(select jsonb_array_elements_text(step -> 'variants')::uuid))
                      and (v.status <> 'ACTIVE' or v.product_archived)) then
          raise exception 'archived' using errcode = 'PC409';
        end if;
      when 'count_offers' then
        update variants v
           set sale_offer_count = v.sale_offer_count + coalesce(m.sale_offer_count, 0),
               purchase_offer_count = v.purchase_offer_count + coalesce(m.purchase_offer_count, 0)
          from jsonb_to_recordset(step -> 'moves') as m(id uuid, sale_offer_count int, purchase_offer_count int)
         where v.tenant_id = tenant and v.id = m.id;
    end case;
  end loop;
  return committed;
end
$$;

-- Which of some names live products have, and what they own: {handle, externalId, sku, variantExternalId, optionExternalId,
-- valueExternalId}, an array of each kind.
create function product_names_taken(names jsonb) returns table (kind text, value text)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  handles text[] := array(select jsonb_array_elements_text(names -> 'handle'));
  external_ids text[] := array(select jsonb_array_elements_text(names -> 'externalId'));
  skus text[] := array(select jsonb_array_elements_text(names -> 'sku'));
  of_variants text[] := array(select jsonb_array_elements_text(names -> 'variantExternalId'));
  of_options text[] := array(select jsonb_array_elements_text(names -> 'optionExternalId'));
  of_values text[] := array(select jsonb_array_elements_text(names -> 'valueExternalId'));
begin
  return query
    select 'handle', p.handle from products p where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.handle = any(handles)
    union all
    select 'externalId', p.external_id from products p
     where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.external_id = any(external_ids)
    union all
    select 'sku', v.sku from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.sku = any(skus)
    union all
    select 'variantExternalId', v.external_id from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.external_id = any(of_variants)
    union all
    select 'optionExternalId', o.external_id from product_options o
     where o.tenant_id = tenant and not o.product_archived and o.external_id = any(of_options)
    union all
    select 'valueExternalId', o.external_id from option_values o
     where o.tenant_id = tenant and not o.product_archived and o.external_id = any(of_values);
end
$$;

-- Names of a product that another live one has: its own, or the ones that are written instead, and where it is restored those of
-- all that it owns.
create function product_names_conflicting(own uuid, written_handle text, written_external_id text, restores boolean)
  returns table (kind text, value text)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  wanted_handle text;
  wanted_external_id text;
begin
  -- Read first: a comparison with an expression over another row finds no index behind row security.
  select coalesce(written_handle, p.handle), coalesce(written_external_id, p.external_id) into wanted_handle, wanted_external_id
    from products p where p.tenant_id = tenant and p.id = own and (p.status <> 'ARCHIVED' or restores);
  return query
    select 'handle', p.handle from products p
     where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.id <> own and p.handle = wanted_handle
    union all
    select 'externalId', p.external_id from products p
     where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.id <> own and p.external_id = wanted_external_id;
  if restores then
    return query
      select 'sku', o.sku from variants v
        join variants o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id and o.sku = v.sku and o.status = 'ACTIVE'
       where v.tenant_id = tenant and v.product_id = own and v.status = 'ACTIVE'
      union all
      select 'variantExternalId', o.external_id from variants v
        join variants o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id
                       and o.external_id = v.external_id and o.status = 'ACTIVE'
       where v.tenant_id = tenant and v.product_id = own and v.status = 'ACTIVE'
      union all
      select 'optionExternalId', o.external_id from product_options v
        join product_options o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id and o.external_id = v.external_id
       where v.tenant_id = tenant and v.product_id = own
      union all
      select 'valueExternalId', o.external_id from option_values v
        join option_values o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id and o.external_id = v.external_id
       where v.tenant_id = tenant and v.product_id = own;
  end if;
end
$$;
