-- Writes. One statement calls write() with all steps, so no round trip happens while rows and the tenant's clock are locked.
-- Postgres keeps the plans of these functions for a connection. make_writers() generates the branches that differ by table.

-- Locks the rows that a write depends on, always in the same order, and compares their versions with those that were read.
-- items: [{kind, id, version}]; a null version means that existence is enough. Three kinds are locks without a row:
--   category_tree: locks the tenant's category tree.
--   collection_rules: shares the rules of collections, at their version, with all writes that sort products by them.
--   collection_rules_change: waits until no write shares the rules, for a write that changes them.
-- Raises PC404 if a row is gone and PC412 if its version moved, with 'kind:id' as the message.
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

-- Takes the tenant's clock and moves it by a number of changes and events.
-- Returns the moment of the first change and the sequence of the first event.
-- The next writer waits until this transaction ends, so a write calls this as late as possible.
create or replace function move_clock(changes jsonb, out first_at timestamptz, out first_sequence bigint)
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

-- Completes a write under the clock's lock: stamps rows, records events, updates totals, completes the idempotency key.
-- changes: [{kind, id, version, action, topic, eventId, ownerId, document, changes}], one event each, in order.
-- A change without a topic stamps its row and records no event. `stamped`: places of changes whose rows have their stamps.
-- Returns [{id, kind, version, at, sequence, awaited}] in the same order; awaited means that a webhook subscription has that topic.
create or replace function record_changes(envelope jsonb, changes jsonb, totals jsonb, first_at timestamptz, first_sequence bigint, stamped int[])
  returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  tenant uuid := current_tenant();
  patterns text[];
  changed record;
  told jsonb;
begin
  -- Under the clock's lock: subscriptions from before this change receive it, later ones do not.
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

  perform refresh_changed_parts(changes);

  insert into tenant_totals as t (tenant_id, name, total)
  select tenant, key, value::bigint from jsonb_each_text(totals) where value <> '0' order by key
  on conflict (tenant_id, name) do update set total = t.total + excluded.total;

  if envelope ? 'idempotencyKey' then
    update idempotency_keys k set stamps = told
     where k.tenant_id = tenant and k.client = envelope ->> 'client' and k.subject = coalesce(envelope ->> 'subject', '')
       and k.key = envelope ->> 'idempotencyKey';
  end if;
  return told;
end
$$;

-- Moves the clock and records changes, for a write without steps that need the clock earlier.
create or replace function commit(envelope jsonb, changes jsonb, totals jsonb) returns jsonb
  language plpgsql as $$
declare
  clock record;
begin
  clock := move_clock(changes);
  return record_changes(envelope, changes, totals, clock.first_at, clock.first_sequence, '{}');
end
$$;

-- Puts rows at positions among the children of an owner. The other children keep their order in the positions between.
-- The result is numbered from 0 without gaps; a position beyond the end is the end. Only rows that move are updated.
-- Everything is looked up in arrays: the planner would expect thousands of siblings from a join by number.
create or replace function place_rows(kind text, owner uuid, moved uuid[], places int[]) returns void
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

-- Runs the steps of a write, [{do, …}], in one statement. Each step sees the rows of the steps before it.
-- Returns the result of `commit`; null without that step.
--   guard {items}, commit {envelope, changes, totals}: see guard() and record_changes()
--   insert, update {table, rows, places}, delete {table, by, ids}: see write_rows() in make_writers()
--   keep_key {client, subject, key, fingerprint, operation, result, stamps}: stores an idempotency key, which expires after a day
--   place {table, owner, moved, places}: see place_rows()
--   append_categories {rows}: adds new categories behind the last children of their parents, in this order
--   archive_owned {product, archived}: archives or restores the options, values and variants of a product
--   sort_products {left, entered: [{product_id, collection_id}]}: removes products from collections and adds them
--   index_products {texts, rows}: see index_products(); a row refers to its texts by their place in `texts`
--   demand_offerable {variants}: raises PC409 'archived' if a variant or its product is archived
--   count_offers {moves: [{id, sale_offer_count, purchase_offer_count}]}: adds to the counts of variants
-- An insert or update with `places`, its rows' places among the changes, takes the clock and stamps its rows itself.
-- Later steps run under the clock's lock: they take no lock whose holder may wait for the clock.
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
         where k.tenant_id = tenant and k.client = step ->> 'client' and k.subject = coalesce(step ->> 'subject', '') and k.key = step ->> 'key'
           and k.created_at <= now() - interval '24 hours';
        insert into idempotency_keys (tenant_id, client, subject, key, fingerprint, operation, result, stamps)
        values (tenant, step ->> 'client', coalesce(step ->> 'subject', ''), step ->> 'key', step ->> 'fingerprint', step ->> 'operation', step -> 'result',
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
        if step -> 'left' <> '[]' then
        delete from product_collections m using jsonb_to_recordset(step -> 'left') as r(product_id uuid, collection_id uuid)
         where m.tenant_id = tenant and m.collection_id = r.collection_id and m.product_id = r.product_id;
        end if;
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

-- Makes the settings of a write and runs it. The statement then commits itself, without a transaction around it.
-- The time limit of a statement counts from its beginning, so it is a setting of the role.
create or replace function write_alone(tenant text, lock_timeout text, steps jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform set_config('app.tenant', tenant, true), set_config('lock_timeout', lock_timeout, true);
  return write(steps);
end
$$;
