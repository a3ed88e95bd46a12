-- The price index. src/resources/prices/price-index.ts computes the prices; these functions read what it needs, and store the result.

-- Returns what the prices of all variants depend on: the contexts of the tenant's markets.
create or replace function markets_state() returns text
  language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return (select md5(coalesce(string_agg(concat_ws(' ', m.id, m.channel, m.country, m.currency), ',' order by m.id), ''))
            from markets m where m.tenant_id = current_tenant());
end
$$;

-- Returns the sum of the versions of a variant's offers. Each write of an offer raises it, because offers are never deleted.
create or replace function offers_state(variant uuid) returns bigint
  language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return (select coalesce(sum(o.version), 0) from sale_offers o where o.tenant_id = current_tenant() and o.variant_id = variant);
end
$$;

-- Returns what the prices of variants are computed from: {state, markets, variants: [{id, productId, state}], offers: see read_offers()}.
-- Offers that ended before a moment are left out. Without markets there are no prices.
create or replace function read_price_inputs(variants uuid[], after timestamptz) returns json
  language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  markets json := (select json_agg(json_build_object('id', m.id, 'channel', m.channel, 'country', m.country, 'currency', m.currency))
                     from markets m where m.tenant_id = tenant);
begin
  if markets is null then
    return json_build_object('state', markets_state(), 'markets', '[]'::json, 'variants', '[]'::json, 'offers', '{}'::json);
  end if;
  return json_build_object('state', markets_state(), 'markets', markets, 'variants', (
      select coalesce(json_agg(json_build_object('id', v.id, 'productId', v.product_id, 'state', offers_state(v.id)::text)), '[]')
        from variants v where v.tenant_id = tenant and v.id = any(variants)),
    'offers', read_offers(variants, jsonb_build_object('anywhere', true, 'at', after))::json);
end
$$;

-- Locks what the prices of variants depend on until the write ends: given {state, variants: [{id, state}], isRebuild}. Raises PC412 if a
-- market, or an offer of a variant, was written since it was read. A rebuild only leaves such a variant out.
create or replace function lock_variant_prices(given jsonb) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
  perform set_config('app.prices_kept', 'true', true);
  -- Writes of markets wait until no write of prices is under way.
  perform pg_advisory_xact_lock_shared(hashtextextended('markets:' || current_tenant(), 0));
  perform reject('PC412', 'markets') where markets_state() <> given ->> 'state';
  perform v.id from variants v
    where v.tenant_id = current_tenant() and v.id = any(array(select g.id from jsonb_to_recordset(given -> 'variants') as g(id uuid)))
    order by v.id for no key update;
  perform reject('PC412', 'offers') where not (given ->> 'isRebuild')::boolean and moved_variants(given -> 'variants') <> '{}';
end
$$;

-- Returns the variants, of [{id, state}], whose offers were written since their state was read.
create or replace function moved_variants(given jsonb) returns uuid[]
  language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return array(select g.id from jsonb_to_recordset(given) as g(id uuid, state bigint) where g.state <> offers_state(g.id));
end
$$;

-- Replaces the prices of variants from a moment on; earlier ones stay as they applied.
-- given: {variants: [{id, productId, state}], rows: [{v, m, f, u, a, o, r}], isRebuild}. Rows that stay the same are not written.
create or replace function save_variant_prices(given jsonb, moment timestamptz) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant constant uuid := current_tenant();
  moved constant uuid[] := case when (given ->> 'isRebuild')::boolean then moved_variants(given -> 'variants') else '{}' end;
  given_ids constant uuid[] := array(select g.id from jsonb_to_recordset(given -> 'variants') as g(id uuid));
  ids constant uuid[] := array(select each.id from unnest(given_ids) as each(id) where each.id <> all(moved));
begin
  if given_ids = '{}' then
    return;
  end if;
  -- The write that moved a variant has replaced its prices in the present markets only.
  delete from variant_prices p
   where (given ->> 'isRebuild')::boolean and p.tenant_id = tenant and p.variant_id = any(given_ids)
     and not exists (select from markets m where m.tenant_id = tenant and m.id = p.market_id);
  with span as materialized (
    select r.v, r.m, greatest(r.f, moment) as f, r.u, r.o, r.a, r.r, g."productId" as product_id, s.status = 'ACTIVE' and not s.product_archived as live
      from jsonb_to_recordset(given -> 'rows') as r(v uuid, m uuid, f timestamptz, u timestamptz, o uuid, a bigint, r boolean)
      join jsonb_to_recordset(given -> 'variants') as g(id uuid, "productId" uuid) on g.id = r.v
      join variants s on s.tenant_id = tenant and s.id = r.v
     where r.v = any(ids) and r.u > moment
  ), present as materialized (
    select p.* from variant_prices p where p.tenant_id = tenant and p.variant_id = any(ids) and p.until_at > moment
  ), continued as materialized (
    select s.v, s.m, s.u from span s
      join present p on p.variant_id = s.v and p.market_id = s.m and p.from_at < moment
       and (p.offer_id, p.amount, p.is_reduced, p.is_live) = (s.o, s.a, s.r, s.live)
     where s.f = moment
  ), ended as (
    update variant_prices p set until_at = coalesce(c.u, moment)
      from present o left join continued c on c.v = o.variant_id and c.m = o.market_id
     where o.from_at < moment and o.until_at <> coalesce(c.u, moment)
       and p.tenant_id = tenant and p.variant_id = o.variant_id and p.market_id = o.market_id and p.from_at = o.from_at
  ), removed as (
    delete from variant_prices p using present o
     where o.from_at >= moment and not exists (select from span s where s.v = o.variant_id and s.m = o.market_id and s.f = o.from_at)
       and p.tenant_id = tenant and p.variant_id = o.variant_id and p.market_id = o.market_id and p.from_at = o.from_at
  )
  insert into variant_prices as p (tenant_id, variant_id, market_id, from_at, until_at, product_id, offer_id, amount, is_reduced, is_live)
  select tenant, s.v, s.m, s.f, s.u, s.product_id, s.o, s.a, s.r, s.live from span s
   where not (s.f = moment and exists (select from continued c where c.v = s.v and c.m = s.m))
  on conflict (tenant_id, variant_id, market_id, from_at) do update
    set until_at = excluded.until_at, offer_id = excluded.offer_id, amount = excluded.amount, is_reduced = excluded.is_reduced, is_live = excluded.is_live
    where (p.until_at, p.offer_id, p.amount, p.is_reduced, p.is_live)
      is distinct from (excluded.until_at, excluded.offer_id, excluded.amount, excluded.is_reduced, excluded.is_live);
  perform save_product_prices(
    array(select distinct g."productId" from jsonb_to_recordset(given -> 'variants') as g("productId" uuid)), moment);
end
$$;

-- Replaces the cheapest prices of products by those of their live variants from a moment on. The tenant's clock is locked.
create or replace function save_product_prices(products uuid[], moment timestamptz) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant constant uuid := current_tenant();
begin
  with span as materialized (
    select p.product_id as p, p.market_id as m, p.variant_id as v, greatest(p.from_at, moment) as f, p.until_at as u
      from unnest(products) as each(id)
      join variant_prices p on p.tenant_id = tenant and p.product_id = each.id
     where p.is_live and p.until_at > moment
  ), boundary as (
    select g.p, g.m, g.variants, moments.at
      from (select s.p, s.m, array_agg(distinct s.v) as variants, array_agg(s.f) || array_agg(s.u) as moments from span s group by 1, 2) g
     cross join lateral (select distinct unnest(g.moments)) as moments(at)
  ), part as (
    -- A variant has at most one price at a moment: the last one that has begun.
    select b.p, b.m, b.at, c.amount, c.is_reduced,
           (c.amount, c.is_reduced) is distinct from (lag(c.amount) over parts, lag(c.is_reduced) over parts) as is_other
      from boundary b
     cross join lateral (
       select min(p.amount) as amount, bool_or(p.is_reduced) as is_reduced
         from unnest(b.variants) as each(id)
        cross join lateral (
          select o.amount, o.is_reduced, o.is_live, o.until_at from variant_prices o
           where o.tenant_id = tenant and o.variant_id = each.id and o.market_id = b.m and o.from_at <= b.at
           order by o.from_at desc limit 1) p
        where p.is_live and p.until_at > b.at) c
    window parts as (partition by b.p, b.m order by b.at)
  ), cheapest as materialized (
    select o.p, o.m, coalesce(b.from_at, o.at) as f, o.u, o.amount, o.is_reduced
      from (select d.p, d.m, d.at, lead(d.at, 1, 'infinity') over (partition by d.p, d.m order by d.at) as u, d.amount, d.is_reduced
              from part d where d.is_other) o
      -- The price that applies at the moment may continue.
      left join product_prices b on o.at = moment and b.tenant_id = tenant and b.product_id = o.p and b.market_id = o.m
       and b.from_at < moment and b.until_at > moment and (b.amount, b.is_reduced) = (o.amount, o.is_reduced)
     where o.amount is not null
  ), removed as (
    delete from product_prices b
     where b.tenant_id = tenant and b.product_id = any(products)
       and not exists (select from cheapest c where c.p = b.product_id and c.m = b.market_id and c.f = b.from_at)
  )
  insert into product_prices as b (tenant_id, product_id, market_id, from_at, until_at, amount, is_reduced)
  select tenant, c.p, c.m, c.f, c.u, c.amount, c.is_reduced from cheapest c
  on conflict (tenant_id, product_id, market_id, from_at) do update
    set until_at = excluded.until_at, amount = excluded.amount, is_reduced = excluded.is_reduced
    where (b.until_at, b.amount, b.is_reduced) is distinct from (excluded.until_at, excluded.amount, excluded.is_reduced);
end
$$;

-- Makes the prices of variants live, or not, from a moment on: the goods were restored or archived.
create or replace function change_live_prices(variants uuid[], live boolean, moment timestamptz) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant constant uuid := current_tenant();
begin
  with divided as (
    update variant_prices p set until_at = moment
      from variant_prices o
     where o.tenant_id = tenant and o.variant_id = any(variants) and o.from_at < moment and o.until_at > moment and o.is_live <> live
       and p.tenant_id = tenant and p.variant_id = o.variant_id and p.market_id = o.market_id and p.from_at = o.from_at
    returning o.*
  ), later as (
    update variant_prices p set is_live = live
     where p.tenant_id = tenant and p.variant_id = any(variants) and p.from_at >= moment and p.is_live <> live
  )
  insert into variant_prices (tenant_id, variant_id, market_id, from_at, until_at, product_id, offer_id, amount, is_reduced, is_live)
  select tenant, d.variant_id, d.market_id, moment, d.until_at, d.product_id, d.offer_id, d.amount, d.is_reduced, live from divided d;
  perform save_product_prices(
    array(select distinct v.product_id from variants v where v.tenant_id = tenant and v.id = any(variants)), moment);
end
$$;

-- Returns the changes of prices in a market after a position, a moment and a variant, in this order. Without `ahead_ms`, those that the tenant's
-- clock has passed; with it, those of so many milliseconds after the clock. A change of the offer alone has two equal amounts.
-- Whether an offer began or ended by its own terms follows from those that were recorded then: a later edit has no effect.
create or replace function read_price_changes(market uuid, after_at timestamptz, after_variant uuid, ahead_ms float8, max_changes int)
  returns table (at timestamptz, variant_id uuid, product_id uuid, amount_before bigint, amount_after bigint, offer_id uuid, is_window boolean)
  language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  tenant constant uuid := current_tenant();
  clock constant timestamptz := (select c.last_at from tenant_clock c where c.tenant_id = tenant);
  from_moment constant timestamptz := case when ahead_ms is null then '-infinity' else clock end;
  until_moment constant timestamptz := clock + coalesce(ahead_ms, 0) * interval '1 millisecond';
begin
  return query
    with part as materialized (
      (select p.from_at as at, p.variant_id, p.product_id, null::bigint as before, p.amount as after, null::uuid as ended, p.offer_id as begun
         from variant_prices p
        where p.tenant_id = tenant and p.market_id = market and p.is_live and (p.from_at, p.variant_id) > (after_at, after_variant)
          and p.from_at > from_moment and p.from_at <= until_moment
        order by p.from_at, p.variant_id limit max_changes)
      union all
      (select p.until_at, p.variant_id, p.product_id, p.amount, null, p.offer_id, null
         from variant_prices p
        where p.tenant_id = tenant and p.market_id = market and p.is_live and (p.until_at, p.variant_id) > (after_at, after_variant)
          and p.until_at > from_moment and p.until_at <= until_moment
        order by p.until_at, p.variant_id limit max_changes)
    ), change as (
      select p.at, p.variant_id, (array_agg(p.product_id))[1] as product_id, max(p.before) as before, max(p.after) as after,
             (array_agg(p.ended) filter (where p.ended is not null))[1] as ended, (array_agg(p.begun) filter (where p.begun is not null))[1] as begun
        from part p group by 1, 2 order by 1, 2 limit max_changes
    )
    select c.at, c.variant_id, c.product_id, c.before, c.after, c.begun, coalesce(b.valid_from = c.at, false) or coalesce(e.valid_until = c.at, false)
      from change c
      left join sale_offer_terms b on b.tenant_id = tenant and b.sale_offer_id = c.begun and b.known_from < c.at and b.known_until >= c.at
      left join sale_offer_terms e on e.tenant_id = tenant and e.sale_offer_id = c.ended and e.known_from < c.at and e.known_until >= c.at
     order by 1, 2;
end
$$;

-- Returns the start of the range that has an amount in minor units: 1, 2, 5, 10, 20, 50 and so on. The range ends before the next one.
create or replace function price_range_start(amount bigint) returns bigint
  language sql immutable parallel safe
  return (case when left(amount::text, 1) >= '5' then '5' when left(amount::text, 1) >= '2' then '2' else left(amount::text, 1) end
          || repeat('0', length(amount::text) - 1))::bigint;

-- Stores that a rebuild has computed the prices of the variants before one; null ends it. Raises PC412 if another request or worker was first.
create or replace function advance_price_rebuild(given_token uuid, next uuid) returns void
  language plpgsql as $$
begin
  if next is null then
    delete from price_rebuilds r where r.tenant_id = current_tenant() and r.token = given_token;
  else
    update price_rebuilds r set token = gen_random_uuid(), next_id = next, leased_until = now() + interval '30 seconds'
     where r.tenant_id = current_tenant() and r.token = given_token;
  end if;
  if not found then
    raise exception 'price_rebuild' using errcode = 'PC412';
  end if;
end
$$;

-- Returns the variants whose prices the steps of a write may change: see apply_write().
create or replace function priced_variants(steps jsonb) returns uuid[]
  language plpgsql stable as $$
begin
  return array(
    select (v ->> 'id')::uuid from jsonb_array_elements(steps) as s(step) cross join lateral jsonb_array_elements(s.step #> '{prices,variants}') as v
     where s.step ->> 'do' = 'save_prices'
    union
    select (r ->> 'id')::uuid from jsonb_array_elements(steps) as s(step) cross join lateral jsonb_array_elements(s.step -> 'rows') as r
     where s.step ->> 'do' = 'save' and s.step ->> 'table' = 'variants'
    union
    select v.id from jsonb_array_elements(steps) as s(step)
      join variants v on v.tenant_id = current_tenant() and v.product_id = (s.step ->> 'product')::uuid
     where s.step ->> 'do' = 'change_live_prices');
end
$$;

-- Returns the prices of variants that apply at the tenant's clock or later.
create or replace function prices_of(variants uuid[]) returns variant_prices[]
  language plpgsql stable as $$
begin
  return array(select p from variant_prices p
                where p.tenant_id = current_tenant() and p.variant_id = any(variants) and p.is_live
                  and p.until_at > (select c.last_at from tenant_clock c where c.tenant_id = current_tenant()));
end
$$;

-- Returns the moments, not before `since`, at which a price begins to differ between two states of the price index, with both prices.
create or replace function differing_prices(before variant_prices[], after variant_prices[], since timestamptz)
  returns table (market text, currency text, variant_id uuid, product_id uuid, at text, amount_before bigint, amount_after bigint)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
    with part as (
      select each.variant_id, each.product_id, each.market_id, moment.at
        from (select * from unnest(before) union all select * from unnest(after)) as each
       cross join lateral (values (greatest(each.from_at, since)), (each.until_at)) as moment(at)
       where moment.at >= since and moment.at < 'infinity'
       group by 1, 2, 3, 4
    ), compared as (
      select p.*, b.amount as before, a.amount as after, lag((b.amount, a.amount)) over variant as earlier
        from part p
        left join unnest(before) as b on (b.variant_id, b.market_id) = (p.variant_id, p.market_id) and b.from_at <= p.at and b.until_at > p.at
        left join unnest(after) as a on (a.variant_id, a.market_id) = (p.variant_id, p.market_id) and a.from_at <= p.at and a.until_at > p.at
      window variant as (partition by p.variant_id, p.market_id order by p.at)
    )
    select m.key, m.currency, c.variant_id, c.product_id, instant_text(c.at), c.before, c.after
      from compared c join markets m on m.tenant_id = current_tenant() and m.id = c.market_id
     where c.before is distinct from c.after and c.earlier is distinct from (c.before, c.after)
     order by c.at, c.variant_id, m.key;
end
$$;
