-- The price index. src/resources/prices/price-index.ts computes the prices; these functions read what it needs, and store the result.

-- Returns what the prices of all variants depend on: the contexts of the tenant's markets.
create or replace function markets_state() returns text
  language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return (select md5(coalesce(string_agg(concat_ws(' ', m.id, m.channel, m.country, m.currency), ',' order by m.id), ''))
            from markets m where m.tenant_id = current_tenant());
end
$$;

-- Returns what the prices of a variant depend on: each write of one of its offers raises the sum of their versions, and none is deleted.
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

-- Replaces the prices of variants: {markets, variants: [{id, productId, state}], rows: [{v, m, f, u, a, o, r}], isRebuild}.
-- Rows that are the same stay untouched. Raises PC412 if a market, or an offer of a variant, was written since it was read. A rebuild leaves
-- such a variant out: the other write has stored its prices, or has requested another rebuild.
create or replace function save_variant_prices(given jsonb) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  ids uuid[] := array(select v.id from jsonb_to_recordset(given -> 'variants') as v(id uuid));
  moved uuid[];
begin
  perform set_config('app.prices_kept', 'true', true);
  -- Writes of markets wait until no write of prices is under way.
  perform pg_advisory_xact_lock_shared(hashtextextended('markets:' || tenant, 0));
  perform reject('PC412', 'markets') where markets_state() <> given ->> 'state';
  if ids = '{}' then
    return;
  end if;
  perform v.id from variants v where v.tenant_id = tenant and v.id = any(ids) order by v.id for no key update;
  moved := array(select v.id from jsonb_to_recordset(given -> 'variants') as v(id uuid, state bigint) where v.state <> offers_state(v.id));
  perform reject('PC412', 'offers') where moved <> '{}' and not (given ->> 'isRebuild')::boolean;
  insert into variant_prices as p (tenant_id, variant_id, market_id, from_at, until_at, product_id, offer_id, amount, is_reduced, is_live)
  select tenant, r.v, r.m, r.f, r.u, v."productId", r.o, r.a, r.r, coalesce(s.status = 'ACTIVE' and not s.product_archived, true)
    from jsonb_to_recordset(given -> 'rows') as r(v uuid, m uuid, f timestamptz, u timestamptz, o uuid, a bigint, r boolean)
    join jsonb_to_recordset(given -> 'variants') as v(id uuid, "productId" uuid) on v.id = r.v
    left join variants s on s.tenant_id = tenant and s.id = r.v
   where r.v <> all(moved)
  on conflict (tenant_id, variant_id, market_id, from_at) do update
    set until_at = excluded.until_at, offer_id = excluded.offer_id, amount = excluded.amount, is_reduced = excluded.is_reduced
    where (p.until_at, p.offer_id, p.amount, p.is_reduced)
      is distinct from (excluded.until_at, excluded.offer_id, excluded.amount, excluded.is_reduced);
  delete from variant_prices p
   where p.tenant_id = tenant and p.variant_id = any(ids) and p.variant_id <> all(moved)
     and (p.variant_id, p.market_id, p.from_at) not in (
       select r.v, r.m, r.f from jsonb_to_recordset(given -> 'rows') as r(v uuid, m uuid, f timestamptz));
end
$$;

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
