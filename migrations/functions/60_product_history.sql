-- Reads the history of the children of products for events (types and rules: src/resources/events/product-history.ts).

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

-- Returns the event of a product from the commit of its variant's event: the event before it, if the commit created both, else the next one.
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

-- Returns, for the products of some events: the moves of their children, the versions of the children that the events may show, and, for
-- products whose variants have more than `max_moves` moves, the number of variants at the sequence of each event of the product.
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
