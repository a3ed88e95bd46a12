-- What writes cost Postgres. A row that was inserted and then stamped was written twice, with all of its index entries: now a row
-- gets version and times as it is written, the tenant's clock being taken in front of the first such row of a batch, and not
-- earlier. So whatever does not need the clock comes before it: what belongs to a new product may be written before the product,
-- since the database looks for that one at COMMIT.
alter table product_tags alter constraint product_tags_tenant_id_product_id_fkey deferrable initially deferred;
alter table product_channels alter constraint product_channels_tenant_id_product_id_fkey deferrable initially deferred;
alter table product_categories alter constraint product_categories_tenant_id_product_id_fkey deferrable initially deferred;
alter table product_collections alter constraint product_collections_tenant_id_product_id_fkey deferrable initially deferred;
alter table product_search alter constraint product_search_tenant_id_product_id_fkey deferrable initially deferred;

-- Every event locked the row of its kind, which all writers of all tenants share, and wrote to it. That the kind is one is
-- looked up by commit().
alter table events drop constraint events_kind_fkey;

-- New words wait in a list until there are 64 kB of them, and are then sorted in together, which is half the work. A search reads
-- the list as well: it holds the words of some dozens of products.
set role catalogue_search;
alter index product_search_vector set (fastupdate = on, gin_pending_list_limit = 64);
alter index product_search_words set (fastupdate = on, gin_pending_list_limit = 64);
reset role;

-- As before; write_rows() gives rows their times besides: the place of each is how many microseconds after `first_at` it was
-- changed. A row without a place keeps its own.
drop function write_rows(text, jsonb);
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
  -- The commonest first: branches are tried in their order.
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
call make_writers();

-- Takes the tenant's clock and moves it on by so many changes and events: tells the moment of the first change and the sequence of
-- the first event. Whoever comes next waits for the end of the transaction, so this is done as late as can be.
create function move_clock(changes jsonb, out first_at timestamptz, out first_sequence bigint)
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
<<this>>
declare
  tenant uuid := current_tenant();
  amount int := jsonb_array_length(changes);
  told int := (select count(c.topic) from jsonb_to_recordset(changes) as c(topic text));
begin
  update tenant_clock t
     set last_at = greatest(clock_timestamp(), t.last_at + interval '1 microsecond') + (amount - 1) * interval '1 microsecond',
         sequence = t.sequence + told
   where t.tenant_id = tenant
  returning t.last_at - (amount - 1) * interval '1 microsecond', t.sequence - told + 1 into first_at, first_sequence;
  if first_at is null then
    raise exception 'no clock for tenant %', tenant;
  end if;
end
$$;

-- What commit() does once the clock is taken. `stamped`: the places of changes whose rows have been given version and times.
create function record_changes(envelope jsonb, changes jsonb, totals jsonb, first_at timestamptz, first_sequence bigint, stamped int[])
  returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  tenant uuid := current_tenant();
  patterns text[];
  changed record;
  told jsonb;
begin
  -- Under the clock's lock: whoever subscribed before this change is told of it, and nobody who did after.
  patterns := (select coalesce(array_agg(distinct topic), '{}') from webhook_subscriptions
               where tenant_id = tenant and status <> 'DISABLED');

  if cardinality(stamped) < jsonb_array_length(changes) then
    for changed in
      select c.*, first_at + (c.n - 1) * interval '1 microsecond' as at
        from rows from (jsonb_to_recordset(changes) as (kind text, id uuid, version int, action text))
             with ordinality as c(kind, id, version, action, n)
       where c.action <> 'deleted' and c.n - 1 <> all(stamped)
    loop
      perform stamp_row(changed.kind, changed.id, changed.version, changed.at, changed.action = 'created');
    end loop;
  end if;

  with noted as (
    select c.*, first_at + (c.n - 1) * interval '1 microsecond' as at,
           first_sequence - 1 + count(c.topic) over (order by c.n) as sequence,
           case when c.topic is not null then array[c.topic, split_part(c.topic, '/', 1) || '/*', '*'] && patterns end as awaited
      from rows from (jsonb_to_recordset(record_changes.changes) as (
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
    into told from noted;

  insert into tenant_totals as t (tenant_id, name, total)
  select tenant, key, value::bigint from jsonb_each_text(totals) where value <> '0' order by key
  on conflict (tenant_id, name) do update set total = t.total + excluded.total;

  if envelope ? 'idempotencyKey' then
    update idempotency_keys k set stamps = told
     where k.tenant_id = tenant and k.client = envelope ->> 'client' and k.key = envelope ->> 'idempotencyKey';
  end if;
  return told;
end
$$;

-- As before.
create or replace function commit(envelope jsonb, changes jsonb, totals jsonb) returns jsonb
  language plpgsql as $$
declare
  clock record;
begin
  clock := move_clock(changes);
  return record_changes(envelope, changes, totals, clock.first_at, clock.first_sequence, '{}');
end
$$;

-- As before; where variants of a product are written after its words, or not yet, they come with the product's first row:
-- {variants: [{id, sku, barcode, status}]}, and stand for those that there are.
create or replace function index_products(products jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  own record;
  written jsonb;
  codes tsvector;
begin
  for own in
    select (each ->> 'product_id')::uuid as id, jsonb_agg(each) as texts from jsonb_array_elements(products) as each group by 1 order by 1
  loop
    written := coalesce((select each -> 'variants' from jsonb_array_elements(own.texts) as each where each ? 'variants' limit 1), '[]');
    -- A tsvector holds a megabyte: the codes get a fifth of it.
    select string_agg(format('''%s'':1B', fitting.code), ' ')::tsvector into codes from (
      select spelled.code, sum(octet_length(spelled.code)) over (order by spelled.code) <= 200000 as fits from (
        select distinct part.code
          from (
            select v.sku, v.barcode from variants v
             where v.tenant_id = tenant and v.product_id = own.id and v.status = 'ACTIVE'
               and v.id <> all(array(select (each ->> 'id')::uuid from jsonb_array_elements(written) as each))
            union all
            select each ->> 'sku', each ->> 'barcode' from jsonb_array_elements(written) as each where each ->> 'status' = 'ACTIVE'
          ) v
         cross join lateral unnest(
           regexp_split_to_array(lower(v.sku), '[\s!-/:-@\[-`{-~]+')
             || regexp_replace(lower(v.sku), '[\s!-/:-@\[-`{-~]+', '', 'g')
             || regexp_replace(lower(v.barcode), '[\s!-/:-@\[-`{-~]+', '', 'g')) as part(code)
         where part.code <> ''
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

-- As before. An insert or update that tells the `places` of its rows among the changes of the commit at the end takes the clock,
-- gives its rows their times, and leaves them nothing to be stamped with. So each step behind the first such one is done under the
-- clock's lock, and no lock that somebody may hold who waits for the clock should be taken there.
create or replace function write(steps jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  last jsonb := steps -> -1;
  commits boolean := last ->> 'do' = 'commit';
  clock record;
  first_at timestamptz;
  first_sequence bigint;
  places int[];
  stamped int[] := '{}';
  step jsonb;
  committed jsonb;
begin
  foreach step in array array(select jsonb_array_elements(steps)) loop
    case step ->> 'do'
      when 'guard' then
        perform guard(step -> 'items');
      when 'insert', 'update' then
        places := null;
        if commits and step ? 'places' then
          if first_at is null then
            clock := move_clock(last -> 'changes');
            first_at := clock.first_at;
            first_sequence := clock.first_sequence;
          end if;
          places := array(select jsonb_array_elements_text(step -> 'places')::int);
          stamped := stamped || array_remove(places, null);
        end if;
        perform write_rows(concat_ws(' ', step ->> 'do', step ->> 'table'), step -> 'rows',
                           first_at, places);
      when 'delete' then
        perform write_rows(concat_ws(' ', 'delete', step ->> 'table', 'by', step ->> 'by'), step -> 'ids', null, null);
      when 'commit' then
        if first_at is null then
          clock := move_clock(step -> 'changes');
          first_at := clock.first_at;
          first_sequence := clock.first_sequence;
        end if;
        committed := record_changes(step -> 'envelope', step -> 'changes', step -> 'totals', first_at, first_sequence, stamped);
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

-- How often the rules of a tenant's collections have changed, and the rules, unless it is as often as is known.
create function read_rules(known int) returns table (version int, collections json)
  language plpgsql stable rows 1 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
  own int := coalesce((select r.version from collection_rules r where r.tenant_id = tenant), 0);
begin
  return query select own, case when own is distinct from known then (
    select coalesce(json_agg(json_build_object('id', c.id, 'rules', c.rules)), '[]') from collections c
     where c.tenant_id = tenant and c.rules is not null) end;
end
$$;

-- Offers that are drafts, or archived, were looked for among all; those that are active are most of what the list begins with. This
-- takes the place of the index of archived ones, and costs an active offer nothing.
drop index sale_offers_created_archived;
create index sale_offers_inactive on sale_offers (tenant_id, status, created_at desc, id) where status <> 'ACTIVE';
drop index purchase_offers_created_archived;
create index purchase_offers_inactive on purchase_offers (tenant_id, status, created_at desc, id) where status <> 'ACTIVE';
-- So were those of a currency or a channel that few have.
create index sale_offers_currency on sale_offers (tenant_id, currency, created_at desc, id) where status <> 'ARCHIVED';
create index sale_offers_channel on sale_offers (tenant_id, channel, created_at desc, id) where status <> 'ARCHIVED' and channel is not null;

-- Which of some codes live variants have, but for one of them; what that one has counts as asked for, since it may be restored. Its
-- own are read first: a comparison with what is read of another row finds no index behind row security.
create function variant_names_taken(skus text[], external_ids text[], own uuid) returns table (kind text, value text)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  wanted_skus text[] := skus;
  wanted_external_ids text[] := external_ids;
begin
  if own is not null then
    select skus || v.sku, external_ids || v.external_id into wanted_skus, wanted_external_ids
      from variants v where v.tenant_id = tenant and v.id = own;
  end if;
  return query
    select 'sku', v.sku from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.sku = any(wanted_skus) and v.id is distinct from own
    union all
    select 'externalId', v.external_id from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.external_id = any(wanted_external_ids)
       and v.id is distinct from own;
end
$$;
