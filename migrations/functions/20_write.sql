-- Writes. The Worker sends each write as one call of apply_write(), so no round trip happens while rows and the tenant's clock are locked.
-- Postgres keeps the plans of these functions for a connection.

-- Takes one of the places that a tenant has for writes, until the transaction ends. Writers of a tenant wait for its clock one after the
-- other, each with a connection; with more of them, other tenants would have none. Returns whether a place was free. An error instead would
-- close the connection, and the next connection plans all statements again. With 20 writers, that took five times the CPU for a fourth of the throughput.
create or replace function take_place_of_writer(tenant text, places int) returns boolean
  language plpgsql as $$
begin
  for place in 1..places loop
    if pg_try_advisory_xact_lock(hashtextextended('writer:' || tenant, place)) then
      return true;
    end if;
  end loop;
  return false;
end $$;

-- Locks the rows that a write depends on, always in the same order, and compares their versions with those that were read.
-- locks: [{kind, id, version}]; a null version means that existence is enough. Three kinds are locks without a row:
--   category_tree: locks the tenant's category tree.
--   collection_rules: shares the rules of collections, at their version, with all writes that sort products by them.
--   collection_rules_change: waits until no write shares the rules, for a write that changes them.
-- Raises PC404 if a row is gone and PC412 if its version moved, with 'kind:id' as the message.
create or replace function lock_rows(locks jsonb) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  tenant uuid := current_tenant();
  item record;
  stored int;
begin
  if locks @> '[{"kind": "category_tree"}]' then
    perform pg_advisory_xact_lock(hashtextextended('category_tree:' || tenant, 0));
  end if;
  if locks @> '[{"kind": "collection_rules_change"}]' then
    perform pg_advisory_xact_lock(hashtextextended('collection_rules:' || tenant, 0));
  elsif locks @> '[{"kind": "collection_rules"}]' then
    perform pg_advisory_xact_lock_shared(hashtextextended('collection_rules:' || tenant, 0));
    select coalesce(max(version), 0) into stored from collection_rules where tenant_id = tenant;
    if not locks @> jsonb_build_array(jsonb_build_object('kind', 'collection_rules', 'version', stored)) then
      raise exception 'collection_rules:%', tenant using errcode = 'PC412';
    end if;
  end if;
  for item in
    select k.kind, i.id, max(i.version) as version
      from jsonb_to_recordset(locks) as i(kind text, id uuid, version int)
      join resource_kinds k on k.kind = i.kind
     group by k.kind, k.lock_order, i.id
     order by k.lock_order, i.id
  loop
    case item.kind
      when 'products' then select version into stored from products where tenant_id = tenant and id = item.id for no key update;
      when 'product_options' then select version into stored from product_options where tenant_id = tenant and id = item.id for no key update;
      when 'option_values' then select version into stored from option_values where tenant_id = tenant and id = item.id for no key update;
      when 'variants' then select version into stored from variants where tenant_id = tenant and id = item.id for no key update;
      when 'categories' then select version into stored from categories where tenant_id = tenant and id = item.id for no key update;
      when 'collections' then select version into stored from collections where tenant_id = tenant and id = item.id for no key update;
      when 'collection_rebuilds' then select version into stored from collection_rebuilds where tenant_id = tenant and id = item.id for no key update;
      when 'sale_offers' then select version into stored from sale_offers where tenant_id = tenant and id = item.id for no key update;
      when 'campaigns' then select version into stored from campaigns where tenant_id = tenant and id = item.id for no key update;
      when 'markets' then select version into stored from markets where tenant_id = tenant and id = item.id for no key update;
      when 'search_synonyms' then select version into stored from search_synonyms where tenant_id = tenant and id = item.id for no key update;
      when 'bulk_operations' then select version into stored from bulk_operations where tenant_id = tenant and id = item.id for no key update;
      when 'purchase_offers' then select version into stored from purchase_offers where tenant_id = tenant and id = item.id for no key update;
      when 'metaobject_definitions' then select version into stored from metaobject_definitions where tenant_id = tenant and id = item.id for no key update;
      when 'metaobjects' then select version into stored from metaobjects where tenant_id = tenant and id = item.id for no key update;
      when 'webhook_subscriptions' then select version into stored from webhook_subscriptions where tenant_id = tenant and id = item.id for no key update;
    end case;
    if stored is null then
      raise exception '%:%', item.kind, item.id using errcode = 'PC404';
    elsif stored <> item.version then
      raise exception '%:%', item.kind, item.id using errcode = 'PC412';
    end if;
  end loop;
end $$;

-- Takes the tenant's clock and moves it by a number of changes and events. Without changes it moves by one, as prices begin at its moment.
-- Returns the moment of the first change, the sequence of the first event, and the clock before.
-- The next writer waits until this transaction ends, so a write calls this as late as possible.
-- The previous definitions of both have one result, or parameter, less.
drop function if exists move_clock(jsonb), complete_write(jsonb, jsonb, jsonb, timestamptz, bigint);
create or replace function move_clock(changes jsonb, out first_at timestamptz, out first_sequence bigint, out clock_before timestamptz)
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  tenant uuid := current_tenant();
  amount int := greatest(jsonb_array_length(changes), 1);
  event_count int := (select count(c.topic) from jsonb_to_recordset(changes) as c(topic text));
begin
  select t.last_at into clock_before from tenant_clock t where t.tenant_id = tenant for no key update;
  update tenant_clock t
     set last_at = greatest(clock_timestamp(), t.last_at + interval '1 microsecond') + (amount - 1) * interval '1 microsecond',
         sequence = t.sequence + event_count
   where t.tenant_id = tenant
  returning t.last_at - (amount - 1) * interval '1 microsecond', t.sequence - event_count + 1 into first_at, first_sequence;
  if first_at is null then
    raise exception 'no clock for tenant %', tenant;
  end if;
end $$;

-- Returns the time of a change by its place in its commit, from 0. Both times and sequences of a commit have no gaps: in_same_commit() relies on it.
create or replace function time_of_change(first_at timestamptz, place bigint) returns timestamptz
  language sql stable parallel safe return first_at + place * interval '1 microsecond';

-- Gives changed rows their version and times, except deleted ones and those that a step has saved with them.
create or replace function stamp_rows(changes jsonb, first_at timestamptz) returns void
  language plpgsql as $$
declare
  stamped record;
begin
  for stamped in
    select r.kind, array_agg(r.id) as ids, array_agg(r.version) as versions, array_agg(r.at) as times, array_agg(r.created_at) as creations
      from (select c.kind, c.id, max(c.version) as version, max(c.at) as at, min(c.at) filter (where c.action = 'created') as created_at
              from (select j.*, time_of_change(first_at, j.n - 1) as at
                      from rows from (jsonb_to_recordset(changes) as (kind text, id uuid, version int, action text, "isSaved" boolean))
                           with ordinality as j(kind, id, version, action, is_saved, n)) c
             where c.action <> 'deleted' and not c.is_saved group by c.kind, c.id) r
     group by r.kind
  loop
    execute format('update %I t set version = s.version, updated_at = s.at, created_at = coalesce(s.created_at, t.created_at)
                      from unnest($1, $2, $3, $4) as s(id, version, at, created_at)
                     where t.tenant_id = current_tenant() and t.id = s.id', stamped.kind)
      using stamped.ids, stamped.versions, stamped.times, stamped.creations;
  end loop;
end $$;

-- Returns a topic and the patterns of subscriptions that match it. A subscription has to name price/changed.
create or replace function topic_patterns(topic text) returns text[]
  language sql immutable parallel safe
  return array[topic, split_part(topic, '/', 1) || '/*', case when topic = 'price/changed' then topic else '*' end];

-- Returns the topics and patterns of the tenant's subscriptions. It is called under the clock's lock: subscriptions from before a change
-- receive it, later ones do not.
create or replace function subscribed_patterns() returns text[]
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  return (select coalesce(array_agg(distinct s.topic), '{}') from webhook_subscriptions s
           where s.tenant_id = current_tenant() and s.status <> 'DISABLED');
end $$;

-- Completes a write under the clock's lock: stamps rows, records events, refreshes stored parts, updates totals, and announces changed prices.
-- envelope: {actor, apiVersion, requestId}. changes: [{kind, id, version, action, topic, eventId, ownerId, document, changes, locale, isSaved}],
-- one event each, in order; a change without a topic records no event.
-- Returns [{id, kind, version, at, sequence, awaited}] in the same order; awaited means that a webhook subscription has that topic.
create or replace function complete_write(
    envelope jsonb, changes jsonb, totals jsonb, first_at timestamptz, first_sequence bigint, clock_before timestamptz) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  tenant uuid := current_tenant();
  patterns text[] := subscribed_patterns();
  stamps jsonb;
begin
  perform stamp_rows(changes, first_at) where changes @> '[{"isSaved": false}]';
  with numbered as (
    select c.*, time_of_change(first_at, c.n - 1) as at,
           first_sequence - 1 + count(c.topic) over (order by c.n) as sequence,
           case when c.topic is not null then topic_patterns(c.topic) && patterns end as awaited
      from rows from (jsonb_to_recordset(complete_write.changes) as (
             kind text, id uuid, version int, action text, topic text, "eventId" uuid, "ownerId" uuid,
             document text, changes jsonb, locale text))
           with ordinality as c(kind, id, version, action, topic, "eventId", "ownerId", document, changes, locale, n)
  ), recorded as (
    insert into events (tenant_id, sequence, id, topic, kind, resource_id, owner_id, resource_version, occurred_at,
                        actor, api_version, request_id, locale, document, changes, fanned_out_at)
    select tenant, c.sequence, c."eventId", c.topic, c.kind, c.id, c."ownerId", c.version, c.at,
           envelope -> 'actor', envelope ->> 'apiVersion', envelope ->> 'requestId', c.locale, c.document, c.changes,
           case when not c.awaited then c.at end
      from numbered c where c.topic is not null
  )
  select coalesce(jsonb_agg(jsonb_build_object(
           'id', id, 'kind', kind, 'version', numbered.version, 'at', instant_text(at), 'sequence', sequence,
           'awaited', numbered.awaited) order by n), '[]')
    into stamps from numbered;

  perform refresh_changed_parts(changes);

  insert into tenant_totals as t (tenant_id, name, total)
  select tenant, key, value::bigint from jsonb_each_text(totals) where value <> '0' order by key
  on conflict (tenant_id, name) do update set total = t.total + excluded.total;
  if announce_price_changes(clock_before, patterns) > 0 and stamps <> '[]' then
    return jsonb_set(stamps, '{0,awaited}', 'true');
  end if;
  return stamps;
end $$;

-- Puts rows at positions among the children of an owner. The other children keep their order in the positions between.
-- The result is numbered from 0 without gaps; a position beyond the end is the end. Only rows that move are updated.
-- Everything is looked up in arrays: the planner would expect thousands of siblings from a join by number.
create or replace function place_rows(kind text, owner uuid, moved uuid[], places int[]) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  others uuid[];
  old_positions int[];
  ids uuid[];
  positions int[];
begin
  execute format('select array_agg(t.id order by t.position, t.id), array_agg(t.position order by t.position, t.id) from %I t
                   where t.tenant_id = $1 and t.id <> all($3) and %s', kind,
                 case when kind = 'option_values' then 't.option_id = $2'
                      when kind = 'variants' then 't.product_id = $2 and t.status = ''ACTIVE'''
                      when kind = 'categories' then case when owner is null then 't.parent_id is null' else 't.parent_id = $2' end
                      else 't.product_id = $2' end)
     into others, old_positions using tenant, owner, moved;
  with free as (
    select each.slot, row_number() over (order by each.slot)::int as n
      from generate_series(0, coalesce(cardinality(others), 0) + cardinality(moved) - 1) as each(slot) where each.slot <> all(places)
  ), slots as (
    select others[free.n] as id, old_positions[free.n] as before, free.slot from free where free.n <= cardinality(others)
    union all
    select each.id, null, each.slot from unnest(moved, places) as each(id, slot)
  ), numbered as (
    select slots.id, slots.before, (row_number() over (order by slots.slot) - 1)::int as position from slots
  )
  select array_agg(numbered.id), array_agg(numbered.position) into ids, positions
    from numbered where numbered.before is distinct from numbered.position;
  execute format('update %I t set position = p.position from unnest($2, $3) as p(id, position)
                   where t.tenant_id = $1 and t.id = p.id and t.position is distinct from p.position', kind) using tenant, ids, positions;
end $$;

-- Returns how long an idempotency key counts. test/schema.test.ts compares it with the Worker's.
create or replace function key_lifetime() returns interval language sql immutable parallel safe return interval '24 hours';

-- Performs a whole write in one statement, which commits itself: {writersAtOnce, key, locks, steps, readBack, changes, envelope, totals, parts}.
--   writersAtOnce: the number of the tenant's writes that run at once. If others take all places, the result is {isBusy: true}
--   key {client, subject, key, fingerprint, operation, result}: an idempotency key, stored for a day with the result
--   locks: see lock_rows()
--   steps: [{do, …}], in this order: those of the plan's `beforeClock`, then those of `underClock`, whose saves have places
--     save {table, rows, places}: calls save_<table>(). `places` are those of the rows among the changes; null means stamp_rows() later.
--     delete {table, ids}: deletes rows. A foreign key that still references a row fails with its constraint's name.
--     replace_links {table, owners, rows}: see replace_links()
--     place_rows {table, owner, ids, positions}: see place_rows()
--     change_memberships {removed, added: [{product_id, collection_id}]}: removes products from collections and adds them
--     index_products {texts, rows}: see index_products(); a row refers to its texts by their place in `texts`
--     set_product_archived {product, archived, channels}: archives or restores options, values and variants with it, and stores its channels
--     lock_prices {prices}: see lock_variant_prices()
--     save_prices {prices}: see save_variant_prices()
--     change_live_prices {product, live}: see change_live_prices(), of the variants that are not archived themselves
--     require_offerable {variants}: raises PC409 'archived' if a variant or its product is archived
--     count_offers {counts: [{id, sale_offer_count, purchase_offer_count}]}: adds to the counts of variants
--     run {query, params}: runs a statement, a template of format() that is filled with the parameters
--   readBack {query, params}: selects rows after the steps. A change gets the row of its id as document. P0002 if {readBack: true} gets none.
--   changes, envelope, totals: see complete_write(); a write without `changes` leaves the clock
--   parts [{key, readBack, places}]: joint writes of several requests instead, each with its own key and query; `places` are those of its changes
-- The clock is taken before the first row with a place, and before prices. Later steps run under its lock: they take no lock whose holder may wait for it.
-- Returns {rows: those of readBack, stamps: those of complete_write()}, with `parts` the rows of each part. The time limit of a statement is a setting of the role.
create or replace function apply_write(tenant text, lock_timeout text, write jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  parts jsonb := coalesce(write -> 'parts', jsonb_build_array(write));
  part jsonb;
  sent_key jsonb;
  changes jsonb := write -> 'changes';
  tenant_uuid uuid;
  step jsonb;
  clock record;
  first_at timestamptz;
  rows_after jsonb;
  rows_of_parts jsonb := '[]';
  written jsonb;
begin
  perform set_config('app.tenant', tenant, true), set_config('lock_timeout', lock_timeout, true);
  tenant_uuid := current_tenant();
  if write ? 'writersAtOnce' and not take_place_of_writer(tenant, (write ->> 'writersAtOnce')::int) then
    return '{"isBusy": true}';
  end if;
  for sent_key in select p.part -> 'key' from jsonb_array_elements(parts) as p(part) where p.part ? 'key' order by p.part #>> '{key,key}' loop
    delete from idempotency_keys k
     where k.tenant_id = tenant_uuid and k.client = sent_key ->> 'client' and k.subject = sent_key ->> 'subject' and k.key = sent_key ->> 'key'
       and k.created_at <= now() - key_lifetime();
    insert into idempotency_keys (tenant_id, client, subject, key, fingerprint, operation, result, stamps)
    values (tenant_uuid, sent_key ->> 'client', sent_key ->> 'subject', sent_key ->> 'key', sent_key ->> 'fingerprint', sent_key ->> 'operation',
            sent_key -> 'result', case when changes is null then '[]'::jsonb end);
  end loop;
  perform lock_rows(write -> 'locks') where write ? 'locks';
  for step in select jsonb_array_elements(write -> 'steps') loop
    case step ->> 'do'
      when 'save' then
        if first_at is null and step -> 'places' -> 0 <> 'null' then
          clock := move_clock(changes);
          first_at := clock.first_at;
        end if;
        execute format('select %I($1, $2)', 'save_' || (step ->> 'table')) using step -> 'rows', array(
          select coalesce(time_of_change(first_at, p.place::int), '-infinity')
            from jsonb_array_elements_text(step -> 'places') as p(place));
      when 'delete' then
        execute format('delete from %I where tenant_id = $1 and id = any($2)', step ->> 'table')
          using tenant_uuid, array(select jsonb_array_elements_text(step -> 'ids')::uuid);
      when 'replace_links' then
        perform replace_links(step ->> 'table', array(select jsonb_array_elements_text(step -> 'owners')::uuid), step -> 'rows');
      when 'place_rows' then
        perform place_rows(step ->> 'table', (step ->> 'owner')::uuid, array(select jsonb_array_elements_text(step -> 'ids')::uuid),
                           array(select jsonb_array_elements_text(step -> 'positions')::int));
      when 'change_memberships' then
        delete from product_collections m using jsonb_to_recordset(step -> 'removed') as r(product_id uuid, collection_id uuid)
         where m.tenant_id = tenant_uuid and m.collection_id = r.collection_id and m.product_id = r.product_id;
        insert into product_collections (tenant_id, collection_id, product_id)
        select tenant_uuid, r.collection_id, r.product_id
          from jsonb_to_recordset(step -> 'added') as r(product_id uuid, collection_id uuid) order by 2, 3
        on conflict do nothing;
      when 'index_products' then
        perform index_products((
          select jsonb_agg(each || jsonb_build_object(
                   'title', step -> 'texts' -> (each ->> 'title')::int, 'description', step -> 'texts' -> (each ->> 'description')::int,
                   'lexemes', step -> 'texts' -> (each ->> 'lexemes')::int, 'words', step -> 'texts' -> (each ->> 'words')::int))
            from jsonb_array_elements(step -> 'rows') as each));
      when 'set_product_archived' then
        update product_options set product_archived = (step ->> 'archived')::boolean where tenant_id = tenant_uuid and product_id = (step ->> 'product')::uuid;
        update option_values set product_archived = (step ->> 'archived')::boolean where tenant_id = tenant_uuid and product_id = (step ->> 'product')::uuid;
        update variants set product_archived = (step ->> 'archived')::boolean where tenant_id = tenant_uuid and product_id = (step ->> 'product')::uuid;
        update products set archived_channels = array(select jsonb_array_elements_text(step -> 'channels'))
         where tenant_id = tenant_uuid and id = (step ->> 'product')::uuid;
      when 'lock_prices' then
        perform lock_variant_prices(step -> 'prices');
      when 'save_prices' then
        if first_at is null then
          clock := move_clock(coalesce(changes, '[]'));
          first_at := clock.first_at;
        end if;
        perform save_variant_prices(step -> 'prices', first_at);
      when 'change_live_prices' then
        perform change_live_prices(array(select v.id from variants v where v.tenant_id = tenant_uuid and v.product_id = (step ->> 'product')::uuid
                                            and v.status = 'ACTIVE'), (step ->> 'live')::boolean, first_at);
      when 'require_offerable' then
        perform reject('PC409', 'archived') from variants v
         where v.tenant_id = tenant_uuid and v.id = any(array(select jsonb_array_elements_text(step -> 'variants')::uuid))
           and (v.status <> 'ACTIVE' or v.product_archived);
      when 'count_offers' then
        update variants v
           set sale_offer_count = v.sale_offer_count + coalesce(m.sale_offer_count, 0),
               purchase_offer_count = v.purchase_offer_count + coalesce(m.purchase_offer_count, 0)
          from (select c.id, sum(c.sale_offer_count) as sale_offer_count, sum(c.purchase_offer_count) as purchase_offer_count
                  from jsonb_to_recordset(step -> 'counts') as c(id uuid, sale_offer_count int, purchase_offer_count int) group by 1) as m
         where v.tenant_id = tenant_uuid and v.id = m.id;
      when 'run' then
        execute format(step ->> 'query', variadic array(select jsonb_array_elements_text(step -> 'params')));
    end case;
  end loop;
  for part in select jsonb_array_elements(parts) loop
    rows_after := null;
    if part ? 'readBack' then
      execute format('select coalesce(jsonb_agg(to_jsonb(r)), ''[]'') from (' || (part #>> '{readBack,query}') || ') as r',
                     variadic array(select jsonb_array_elements_text(part #> '{readBack,params}'))) into rows_after;
      changes := (select coalesce(jsonb_agg(case when r.after is null then c.change
                                            else c.change || jsonb_build_object('document', r.after::text) end order by c.n), '[]')
                    from jsonb_array_elements(changes) with ordinality as c(change, n)
                    left join jsonb_array_elements(rows_after) as r(after) on r.after ->> 'id' = c.change ->> 'id');
    end if;
    rows_of_parts := rows_of_parts || jsonb_build_array(rows_after);
  end loop;
  if changes is not null then
    perform reject('P0002', 'readBack') where changes @> '[{"document": {"readBack": true}}]';
    if first_at is null then
      clock := move_clock(changes);
      first_at := clock.first_at;
    end if;
    written := complete_write(write -> 'envelope', changes, write -> 'totals', first_at, clock.first_sequence, clock.clock_before);
    update idempotency_keys k
       set stamps = case when p.part ? 'places' then (select coalesce(jsonb_agg(written -> each.place::int order by each.n), '[]')
                                                        from jsonb_array_elements_text(p.part -> 'places') with ordinality as each(place, n))
                         else written end,
           result = k.result || case when p.part ? 'readBack' then jsonb_build_object('readBack', rows_of_parts -> (p.n - 1)::int) else '{}' end
      from jsonb_array_elements(parts) with ordinality as p(part, n)
     where p.part ? 'key' and k.tenant_id = tenant_uuid and k.client = p.part #>> '{key,client}' and k.subject = p.part #>> '{key,subject}'
       and k.key = p.part #>> '{key,key}';
  end if;
  return jsonb_build_object('rows', case when write ? 'parts' then rows_of_parts else rows_of_parts -> 0 end, 'stamps', written);
end $$;

-- Performs a write as apply_write() does, checks the deferred constraints, and undoes everything. The rows of `report` {query, params}, a
-- template of format(), are read before.
-- Returns the result of apply_write(), with `report`: the rows, and `prices`: see differing_prices(), at most 1,000.
-- An exception that is caught undoes the write; an error would end the connection, and lose the result.
create or replace function rehearse_write(tenant text, lock_timeout text, write jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  variants uuid[];
  before variant_prices[];
  report jsonb;
  result jsonb;
begin
  perform set_config('app.tenant', tenant, true);
  variants := priced_variants(write -> 'steps');
  before := prices_of(variants);
  begin
    result := apply_write(tenant, lock_timeout, write);
    if not result ? 'isBusy' then
      set constraints all immediate;
      execute format('select coalesce(jsonb_agg(to_jsonb(r)), ''[]'') from (' || (write #>> '{report,query}') || ') as r',
                     variadic array(select jsonb_array_elements_text(write #> '{report,params}'))) into report;
      result := result || jsonb_build_object('report', report, 'prices', (
        select coalesce(jsonb_agg(to_jsonb(d)), '[]') from (
          select * from differing_prices(before, prices_of(variants), (select c.last_at from tenant_clock c where c.tenant_id = current_tenant()))
           limit 1000) as d));
    end if;
    raise exception 'undo' using errcode = 'PC000';
  exception when sqlstate 'PC000' then
    null;
  end;
  return result;
end $$;
