-- Reads events (src/resources/events/read-events.ts) and the history of the children of their products (product-history.ts).

-- Returns whether two events of a tenant are of one commit: their times have the distance of their sequences.
create or replace function in_same_commit(
  one_request text, one_at timestamptz, one_sequence bigint, other_request text, other_at timestamptz, other_sequence bigint
) returns boolean language sql stable parallel safe return other_request = one_request and other_at = time_of_change(one_at, other_sequence - one_sequence);

-- The number of events among which the last child of a commit is searched. A product has fewer options, values and variants.
create or replace function searched_events() returns int language sql immutable parallel safe return 10000;

-- Returns, for a created product or option, the sequence of the last child that its commit created; else the sequence of the event.
-- It takes columns, because Postgres would read a large document to pass a whole row.
create or replace function last_of_commit(sequence bigint, kind text, version int, product uuid, request_id text, occurred_at timestamptz)
  returns bigint language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  if version > 1 or kind not in ('products', 'product_options') then
    return last_of_commit.sequence;
  end if;
  return coalesce((
    select max(c.sequence) from events c
     where c.tenant_id = current_tenant() and c.owner_id = product
       and c.sequence > last_of_commit.sequence and c.sequence <= last_of_commit.sequence + searched_events()
       and in_same_commit(last_of_commit.request_id, last_of_commit.occurred_at, last_of_commit.sequence, c.request_id, c.occurred_at, c.sequence)),
    last_of_commit.sequence);
end
$$;

-- Returns the event of a product from the commit of its variant's event. That is the event before it if the commit created both, else the next one.
create or replace function event_of_product(product uuid, variant_sequence bigint) returns setof events
  language sql stable parallel safe rows 1 as $$
  select p.* from events e
   cross join lateral (
     (select * from events n where n.tenant_id = e.tenant_id and n.kind = 'products' and n.resource_id = product
         and n.sequence > e.sequence order by n.sequence limit 1)
     union all
     (select * from events n where n.tenant_id = e.tenant_id and n.kind = 'products' and n.resource_id = product
         and n.sequence < e.sequence order by n.sequence desc limit 1)) p
   where e.tenant_id = current_tenant() and e.sequence = variant_sequence
   order by in_same_commit(e.request_id, e.occurred_at, e.sequence, p.request_id, p.occurred_at, p.sequence) desc, p.sequence desc
   limit 1
$$;

-- Returns, for the products of some events, the moves of their children, and the versions of the children that the events may show.
-- If the variants of a product have more than `max_moves` moves, it also returns their number at the sequence of each event of the product.
-- Variants that cannot have been among the first `max_variants` have no versions. Beyond `max_bytes`, versions have no documents.
create or replace function read_product_history(sequences bigint[], max_variants int, max_moves int, max_bytes bigint)
  returns table (moves json, versions json, variant_counts json)
  language plpgsql stable parallel safe rows 1 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
begin
  return query
    with event as materialized (
      select e.* from unnest(sequences) as requested(sequence)
       cross join lateral (
         select e.sequence, e.kind, e.resource_id, coalesce(e.owner_id, e.resource_id) as product_id,
                last_of_commit(e.sequence, e.kind, e.resource_version, coalesce(e.owner_id, e.resource_id), e.request_id, e.occurred_at) as last_sequence
           from events e
          where e.tenant_id = tenant and e.sequence = requested.sequence limit 1) e
       where e.kind in ('products', 'product_options', 'variants')
    ), product as materialized (
      select p.*, p.shows_variants and (
               select count(*) from (
                 select from events m where m.tenant_id = tenant and m.owner_id = p.product_id and m.moved
                    and m.kind = 'variants' and m.sequence <= p.high limit max_moves + 1) as counted
             ) > max_moves as has_too_many_moves
        from (
          select product_id, min(sequence) as low, max(last_sequence) as high, bool_or(kind = 'products') as shows_variants
            from event group by 1) p
    ), move as materialized (
      select p.product_id, p.low, p.high, e.kind, e.resource_id, e.sequence, e.request_id, e.place_after as at, e.place_option as option,
             -- Each resource that leaves or moves lets the following ones move up by one position.
             count(e.place_before) over (partition by p.product_id, e.kind order by e.sequence desc
                                         rows between unbounded preceding and 1 preceding) as moved_since,
             lead(e.sequence) over (partition by p.product_id, e.kind, e.resource_id order by e.sequence) as until
        from product p cross join lateral (
          select * from events e where e.tenant_id = tenant and e.owner_id = p.product_id and e.sequence <= p.high and e.moved
             and (e.kind in ('product_options', 'option_values') or (e.kind = 'variants' and p.shows_variants and not p.has_too_many_moves))
          offset 0) e
    ), child as (
      select distinct kind, resource_id, low, high from move
       where (until is null or until > low) and (kind <> 'variants' or at - moved_since < max_variants)
    ), version as (
      select c.resource_id as id, e.*, first.occurred_at as created_at, sum(octet_length(e.document)) over () <= max_bytes as is_read
        from child c
       cross join lateral (
         (select e.sequence, e.resource_version, e.occurred_at, e.document from events e
           where e.tenant_id = tenant and e.kind = c.kind and e.resource_id = c.resource_id and e.sequence <= c.low
           order by e.sequence desc limit 1)
         union all
         (select e.sequence, e.resource_version, e.occurred_at, e.document from events e
           where e.tenant_id = tenant and e.kind = c.kind and e.resource_id = c.resource_id and e.sequence > c.low and e.sequence <= c.high
          offset 0)) e
       cross join lateral (
         select f.occurred_at from events f where f.tenant_id = tenant and f.kind = c.kind and f.resource_id = c.resource_id
          order by f.sequence limit 1) first
       where e.document is not null
    )
    select (
      select coalesce(json_agg(json_build_object('productId', m.product_id, 'kind', m.kind, 'id', m.resource_id, 'sequence', m.sequence,
               'requestId', m.request_id, 'at', m.at, 'option', m.option) order by m.sequence), '[]') from move m
    ), (
      select coalesce(json_agg(json_build_object('id', v.id, 'sequence', v.sequence, 'version', v.resource_version,
               'createdAt', instant_text(v.created_at), 'updatedAt', instant_text(v.occurred_at), 'size', octet_length(v.document),
               'document', case when v.is_read then v.document::json end) order by v.sequence), '[]') from version v
    ), (
      select coalesce(json_agg(json_build_object('sequence', e.last_sequence, 'count', (
               select count(*) filter (where m.place_before is null) - count(*) filter (where m.place_after is null)
                 from events m where m.tenant_id = tenant and m.owner_id = p.product_id and m.moved
                  and m.kind = 'variants' and m.sequence <= e.last_sequence))), '[]')
        from product p join event e on p.has_too_many_moves and e.kind = 'products' and e.resource_id = p.product_id
    );
end
$$;

-- Returns the categories in the document of a product without their own documents.
create or replace function categories_without_documents(document text) returns jsonb
  language sql immutable parallel safe
  return (select jsonb_agg(c || '{"document": null, "translations": null, "metaobjects": null, "children": null}' order by n)
            from jsonb_array_elements(document::jsonb -> 'categories') with ordinality as each(c, n));

-- Returns the bytes of an event's changes as they are read. Larger values of old events are left out.
create or replace function bytes_of_changes(size int, limits jsonb) returns int
  language sql immutable parallel safe return least(size, (limits ->> 'changes')::int);

-- Returns the first of the given events that fit the limits of a read, at least one, and at most `max_events`.
-- `more` reports further ones; `first_at` is the time of the first.
-- An event counts with its document, its changes, and the rows of the history behind it. Those are the moves in its product until then; for a
-- further event of the same product they are the events in between.
-- A variant's write also changes or creates its product, so the product's event of the same commit contains its categories. The first event
-- of a resource contains its creation time. Documents from before `documents_from` are expired. Of a too large product, metaobjects and the
-- documents of categories are left out; of other resources the document.
-- limits: {document, changes, categories, page, row, moves}, all in bytes but `moves` (src/resources/events/event-sql.ts).
create or replace function read_events(sequences bigint[], max_events int, documents_from timestamptz, limits jsonb)
  returns table (sequence bigint, last_sequence bigint, document json, is_too_large boolean, created_at timestamptz, changed_at timestamptz,
                 categories jsonb, more boolean, first_at timestamptz)
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
declare
  tenant constant uuid := current_tenant();
  max_document constant int := limits ->> 'document';
  max_categories constant int := limits ->> 'categories';
  max_moves constant int := limits ->> 'moves';
  chosen bigint[];
begin
  with requested as materialized (
    select each.sequence, row_number() over (order by each.sequence) as n from unnest(sequences) as each(sequence)
  ), sized as materialized (
    select r.sequence, e.last_sequence, r.n, e.product_id, e.has_history,
           lag(r.sequence) over (partition by e.has_history, e.product_id order by r.sequence) as before,
           e.bytes + case when e.kind = 'variants' then least(coalesce((
             select octet_length(p.document) from event_of_product(e.owner_id, e.sequence) p), 0), max_categories) else 0 end as bytes
      from requested r
     cross join lateral (
       select e.kind, e.owner_id, e.sequence, coalesce(e.owner_id, e.resource_id) as product_id,
              e.kind in ('products', 'product_options', 'variants') as has_history,
              last_of_commit(e.sequence, e.kind, e.resource_version, coalesce(e.owner_id, e.resource_id), e.request_id, e.occurred_at) as last_sequence,
              least(coalesce(octet_length(e.document), 0), max_document) + bytes_of_changes(e.changes_size, limits) as bytes
         from events e where e.tenant_id = tenant and e.sequence = r.sequence limit 1) e
  ), weighed as (
    select s.n, s.sequence, sum(s.bytes + (limits ->> 'row')::int * case
             when not s.has_history then 0
             when s.before is null then (
               -- Products with more moves show only a total.
               select case when count(*) <= max_moves then count(*) else 0 end
                 from (select from events m where m.tenant_id = tenant and m.owner_id = s.product_id and m.sequence <= s.last_sequence and m.moved
                        limit max_moves + 1) as counted)
             else (
               select count(*)
                 from (select from events m where m.tenant_id = tenant and m.owner_id = s.product_id and m.sequence <= s.last_sequence
                          and m.sequence > s.before limit max_moves + 1) as counted)
           end) over (order by s.n) as total
      from sized s
  )
  select coalesce(array_agg(w.sequence order by w.n), '{}') into chosen
    from weighed w where w.n <= max_events and (w.n = 1 or w.total <= (limits ->> 'page')::int);
  return query
    select e.sequence, e.last_sequence,
           -- As JSON: a text within a row of JSON would be escaped twice.
           case when kept.is_young and octet_length(kept.document) <= max_document then kept.document::json end,
           coalesce(kept.is_young and octet_length(kept.document) > max_document, false),
           (select f.occurred_at from events f
             where f.tenant_id = tenant and f.kind = e.kind and f.resource_id = e.resource_id order by f.sequence limit 1),
           case when e.effective_at is not null and e.kind <> 'prices' then (
             select f.occurred_at from events f
              where f.tenant_id = tenant and f.kind = e.kind and f.resource_id = e.resource_id
                and f.sequence < e.sequence and f.effective_at is null
              order by f.sequence desc limit 1) end,
           case when e.kind = 'variants' then (
             select case when octet_length(p.document) <= max_categories then p.document::jsonb -> 'categories'
                         else categories_without_documents(p.document) end
               from event_of_product(e.owner_id, e.sequence) p) end,
           cardinality(sequences) > cardinality(chosen),
           (select f.occurred_at from events f where f.tenant_id = tenant and f.sequence = sequences[1])
      from unnest(chosen) as each(sequence)
     cross join lateral (
       select e.*, last_of_commit(e.sequence, e.kind, e.resource_version, coalesce(e.owner_id, e.resource_id), e.request_id, e.occurred_at) as last_sequence
         from events e where e.tenant_id = tenant and e.sequence = each.sequence limit 1) e
     cross join lateral (
       select e.occurred_at >= documents_from as is_young,
              case when e.kind = 'products' and octet_length(e.document) > max_document
                   then ((e.document::jsonb - 'metaobjects') || jsonb_build_object('categories', categories_without_documents(e.document)))::text
                   else e.document end as document) kept
     order by e.sequence;
end
$$;

-- Returns a UUIDv7. Postgres has no function for it before version 18.
create or replace function new_id() returns uuid
  language sql volatile parallel safe
  return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
    substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;

-- If one of the subscribed patterns matches the topic, records events price/changed of the prices that changed after a moment.
-- Each has a market, a moment and up to 1,000 variants. The clock moves past these events. The caller has moved the clock from that moment, in the same transaction and under its lock, so each change is announced once.
-- The changes are those of read_price_changes(), with unequal amounts. The stored document has the position before the first of them.
-- Beyond `remaining` changes, only the first 1,000 of a market are announced: the time limit of a statement would stop each write of the tenant.
-- A reader that follows them finds all.
-- Returns the number of events. They follow the sequence of the tenant, a microsecond apart.
create or replace function announce_price_changes(since timestamptz, patterns text[] default subscribed_patterns()) returns int
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant constant uuid := current_tenant();
  span_start timestamptz := since;
  span_end timestamptz;
  last_at timestamptz;
  last_sequence bigint;
  market markets;
  remaining bigint := 250000;
  counted bigint;
  added int;
  total int := 0;
begin
  if not topic_patterns('price/changed') && patterns then
    return 0;
  end if;
  select c.last_at, c.last_at, c.sequence into span_end, last_at, last_sequence from tenant_clock c where c.tenant_id = tenant;
  -- The times of the events are later than the changes that they announce, so they may pass further changes.
  while span_start < span_end loop
    for market in select * from markets m where m.tenant_id = tenant and m.prices_complete_at <= span_end order by m.id loop
      with recorded as (
        insert into events (tenant_id, sequence, id, topic, kind, resource_id, resource_version, occurred_at, effective_at,
                            actor, api_version, request_id, document, changes)
        select tenant, last_sequence + a.n, a.id, 'price/changed', 'prices', market.id, market.version, time_of_change(last_at, a.n), a.at,
               '{}', '', a.id::text,
               json_build_object('market', market.id, 'at', instant_text(a.at), 'count', least(a.size - a.place + 1, 1000),
                                 'after', coalesce(a.previous, '00000000-0000-0000-0000-000000000000')), '[]'
          from (
            select p.*, new_id() as id, row_number() over () as n from (
              select c.at, lag(c.variant_id) over w as previous, row_number() over w as place, count(*) over (partition by c.at) as size
                from (
                  select e.at, e.variant_id from (
                    select b.from_at as at, b.variant_id, null::bigint as before, b.amount as after from variant_prices b
                     where b.tenant_id = tenant and b.market_id = market.id and b.is_live and b.from_at > span_start and b.from_at <= span_end
                       and b.from_at >= market.prices_complete_at
                    union all
                    select b.until_at, b.variant_id, b.amount, null from variant_prices b
                     where b.tenant_id = tenant and b.market_id = market.id and b.is_live and b.until_at > span_start and b.until_at <= span_end
                       and b.until_at >= market.prices_complete_at) e
                   group by e.at, e.variant_id having max(e.before) is distinct from max(e.after)
                   order by e.at, e.variant_id limit greatest(remaining, 1000)) c
              window w as (partition by c.at order by c.variant_id)) p
             where p.place % 1000 = 1) a
        returning (document::json ->> 'count')::int as count
      )
      select count(*), coalesce(sum(r.count), 0) into added, counted from recorded r;
      remaining := remaining - counted;
      total := total + added;
      last_sequence := last_sequence + added;
      last_at := time_of_change(last_at, added);
    end loop;
    span_start := span_end;
    span_end := last_at;
  end loop;
  update tenant_clock c set last_at = span_end, sequence = last_sequence where c.tenant_id = tenant and total > 0;
  return total;
end
$$;
