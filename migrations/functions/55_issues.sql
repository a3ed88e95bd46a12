-- Issues of products: why they are not sold in the markets, and what needs attention. src/resources/issues/types.ts lists the types.

-- Returns the issues of products that have one of the types, in no order. given: {types, locales, at, horizon, market, anywhere}.
-- market: an id, or null for all. anywhere: products of every status are examined, also in markets whose channel they are not in.
-- Prices that end before the horizon, with no later one, are issues. variants: the ids of the first ten variants that the issue is about.
create or replace function find_issues(products uuid[], given jsonb)
  returns table (product_id uuid, type text, market_id uuid, resource text, related text, variants uuid[], variants_total int, is_blocking boolean, details jsonb)
  language plpgsql stable parallel safe rows 100 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant constant uuid := current_tenant();
  types constant text[] := array(select jsonb_array_elements_text(given -> 'types'));
  locales constant text[] := array(select jsonb_array_elements_text(given -> 'locales'));
  moment constant timestamptz := given ->> 'at';
  horizon constant timestamptz := given ->> 'horizon';
  anywhere constant boolean := given ->> 'anywhere';
  needs_prices constant boolean := types && '{no_price,price_starts_later,price_is_draft,price_in_other_currency,price_gap,price_ends}';
begin
  return query
    -- Nothing joins two of these tables by product: Postgres estimates few products, and would compare each row with all others.
    with place as materialized (
      select m.* from markets m where m.tenant_id = tenant and coalesce(m.id = (given ->> 'market')::uuid, true)
    ), good as materialized (
      select p.id, p.status, p.translated_in, p.document, p.metaobject_ids, '/api/products/' || p.id as iri,
             array(select m.id from place m where exists (
               select from product_channels c where c.tenant_id = tenant and c.product_id = p.id and c.channel = m.channel)) as market_ids
        from unnest(products) as each(id)
        join products p on p.tenant_id = tenant and p.id = each.id and (anywhere or p.status = 'ACTIVE')
    ), own as materialized (
      select v.product_id, v.id, v.position, v.sku, v.barcode, v.metaobject_ids, g.iri || '/variants/' || v.id as iri, g.market_ids
        from good g join variants v on v.tenant_id = tenant and v.product_id = g.id and v.status = 'ACTIVE'
    ), price as materialized (
      select v.product_id, v.id as variant_id, v.position, v.iri as variant_iri, m.id as market_id, m.channel, m.country, m.currency,
             f.next_at, f.ends_at, l.is_lasting or coalesce(f.is_priced, false) as is_priced,
             bool_or(l.is_lasting or f.is_priced) over (partition by v.product_id, m.id) as is_sold
        from own v
        join place m on anywhere or m.id = any(v.market_ids)
       -- Most variants have a price without an end.
       cross join lateral (
         select exists (select from sale_offers o
                         where o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE' and o.min_quantity <= 1 and o.currency = m.currency
                           and o.valid_until is null and coalesce(o.valid_from <= moment, true)
                           and is_offered_in(o.channel, o.countries, m.channel, m.country)) as is_lasting) l
        left join lateral (
         select coalesce(c.cover @> moment, false) as is_priced,
                (select min(lower(r)) from unnest(c.cover) as r where lower(r) > moment) as next_at,
                (select upper(r) from unnest(c.cover) as r where r @> moment) as ends_at
           from (select range_agg(tstzrange(o.valid_from, o.valid_until)) as cover from sale_offers o
                  where o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE' and o.min_quantity <= 1 and o.currency = m.currency
                    and coalesce(o.valid_until > moment, true) and is_offered_in(o.channel, o.countries, m.channel, m.country)) c) f on not l.is_lasting
       where needs_prices
    ), price_issue as (
      select p.product_id, p.market_id, p.variant_id, p.position, p.is_sold, t.type, coalesce('/api/sale_offers/' || t.offer_id, p.variant_iri) as resource,
             case when t.type in ('price_gap', 'price_ends') then p.ends_at end as from_at,
             case when t.type in ('price_gap', 'price_starts_later') then p.next_at end as until_at
        from price p
       cross join lateral (
         -- The offer that ends then, that starts then, or that could apply now.
         select o.type, o.id as offer_id
           from (
             select case when p.is_priced then case when p.next_at is null then 'price_ends' else 'price_gap' end
                         when o.status = 'DRAFT' then 'price_is_draft'
                         when o.currency <> p.currency then 'price_in_other_currency'
                         else 'price_starts_later' end as type, o.id
               from sale_offers o
              where o.tenant_id = tenant and o.variant_id = p.variant_id and o.status <> 'ARCHIVED' and o.min_quantity <= 1
                and is_offered_in(o.channel, o.countries, p.channel, p.country) and coalesce(o.valid_until > moment, true)
                and case when p.is_priced then o.status = 'ACTIVE' and o.currency = p.currency and o.valid_until = p.ends_at
                         when p.next_at is not null then o.status = 'ACTIVE' and o.currency = p.currency and o.valid_from = p.next_at
                         when o.status = 'DRAFT' then o.currency = p.currency
                         else is_valid_at(o.valid_from, o.valid_until, moment) end
              union all
             select 'no_price', null where not p.is_priced) o
          order by array_position('{price_starts_later,price_is_draft,price_in_other_currency,no_price}', o.type), o.id limit 1) t
       where t.type = any(types) and (not p.is_priced or (p.ends_at < 'infinity' and (p.next_at is not null or p.ends_at < horizon)))
    )
    select g.id, 'product_archived', null::uuid, g.iri, null::text, null::uuid[], 0, true, '{}'::jsonb
      from good g where 'product_archived' = any(types) and g.status = 'ARCHIVED'
    union all
    select g.id, 'product_draft', null, g.iri, null, null, 0, true, '{}'
      from good g where 'product_draft' = any(types) and g.status = 'DRAFT'
    union all
    select g.id, 'no_variant', null, g.iri, null, null, 0, true, '{}'
      from good g where 'no_variant' = any(types) and not exists (select from variants v where v.tenant_id = tenant and v.product_id = g.id and v.status = 'ACTIVE')
    union all
    select g.id, 'not_in_channel', m.id, g.iri, null, null, 0, true, jsonb_build_object('channel', m.channel)
      from good g join place m on m.id <> all(g.market_ids) where 'not_in_channel' = any(types)
    union all
    -- Without a price of any variant, the product is not sold in the market.
    select i.product_id, i.type, i.market_id, (array_agg(i.resource order by i.position))[1], null,
           (array_agg(i.variant_id order by i.position))[:10], count(*)::int,
           not bool_or(i.is_sold),
           jsonb_strip_nulls(jsonb_build_object('from', instant_text(i.from_at), 'until', instant_text(i.until_at)))
      from price_issue i group by i.product_id, i.type, i.market_id, i.from_at, i.until_at
    union all
    select g.id, 'no_picture', null, g.iri, null, null, 0, false, '{}'
      from good g where 'no_picture' = any(types)
       and not exists (select from json_array_elements(g.document::json -> 'media') as m where m ->> 'type' = 'IMAGE')
    union all
    select g.id, 'no_translation', null, g.iri || '/translations', null, null, 0, false, jsonb_build_object('locale', l.name)
      from good g cross join unnest(locales) as l(name)
     where 'no_translation' = any(types) and g.translated_in <> '*' and strpos(g.translated_in, ',' || l.name || ',') = 0
    union all
    select v.product_id, 'no_sku', null, (array_agg(v.iri order by v.position))[1], null, (array_agg(v.id order by v.position))[:10], count(*)::int, false, '{}'
      from own v where 'no_sku' = any(types) and v.sku is null group by v.product_id
    union all
    select v.product_id, 'duplicate_barcode', null, v.iri, '/api/products/' || o.product_id || '/variants/' || o.id, array[v.id], 1, false,
           jsonb_build_object('barcode', v.barcode)
      from own v cross join lateral (
        select o.product_id, o.id from variants o
         where o.tenant_id = tenant and o.barcode = v.barcode and o.status = 'ACTIVE' and not o.product_archived and o.id <> v.id
         -- Without an order: a barcode may have many variants.
         limit 1) o
     where 'duplicate_barcode' = any(types)
    union all
    -- The price index has the winners of prices. Of several costs in the currency, the lowest counts.
    select v.product_id, 'below_cost', m.id, '/api/sale_offers/' || o.id, '/api/purchase_offers/' || b.id, array[v.id], 1, false,
           jsonb_build_object('amount', o.amount::text, 'cost', b.cost::text, 'currency', o.currency)
      from own v
      join place m on anywhere or m.id = any(v.market_ids)
      join variant_prices s on s.tenant_id = tenant and s.variant_id = v.id and s.market_id = m.id and s.from_at <= moment and s.until_at > moment
      join sale_offers o on o.tenant_id = tenant and o.id = s.offer_id
     cross join lateral (
        select b.id, b.cost from purchase_offers b
         where b.tenant_id = tenant and b.variant_id = v.id and b.status = 'ACTIVE' and b.currency = o.currency
           and is_valid_at(b.valid_from, b.valid_until, moment)
         order by b.cost, b.id limit 1) b
     where 'below_cost' = any(types) and b.cost > o.amount
    union all
    select v.product_id, 'never_wins', null, '/api/sale_offers/' || o.id, null, array[v.id], 1, false, '{}'
      from own v
      join sale_offers o on o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE' and o.min_quantity <= 1 and coalesce(o.valid_until > moment, true)
     where 'never_wins' = any(types)
       and exists (select from place m where m.currency = o.currency and is_offered_in(o.channel, o.countries, m.channel, m.country))
       and not exists (select from variant_prices s where s.tenant_id = tenant and s.variant_id = v.id and s.offer_id = o.id and s.until_at > moment)
       and not exists (select from markets m where m.tenant_id = tenant and m.prices_complete_at is null)
       and not exists (select from price_rebuilds r where r.tenant_id = tenant and r.is_full)
    union all
    -- Offers that start together with the same priority, for the same places: only their amounts decide.
    select v.product_id, 'tie', null, '/api/sale_offers/' || (array_agg(o.id order by o.id))[1], '/api/sale_offers/' || (array_agg(o.id order by o.id))[2],
           array[v.id], 1, false, '{}'
      from own v
      join sale_offers o on o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE' and coalesce(o.valid_until > moment, true)
     where 'tie' = any(types)
     group by v.product_id, v.id, o.currency, o.channel, o.country_set, o.min_quantity, o.priority, o.valid_from, o.valid_until is null
    having count(*) > 1
    union all
    select r.product_id, 'draft_reference', null, '/api/metaobjects/' || o.id, null, (array_agg(r.variant_id order by r.position) filter (where r.variant_id is not null))[:10],
           count(r.variant_id)::int, false, jsonb_build_object('name', o.handle)
      from (select g.id as product_id, null::uuid as variant_id, 0 as position, unnest(g.metaobject_ids) as id from good g
            union all select v.product_id, v.id, v.position, unnest(v.metaobject_ids) from own v) r
      join metaobjects o on o.tenant_id = tenant and o.id = r.id and o.status = 'DRAFT'
     where 'draft_reference' = any(types)
     group by r.product_id, o.id, o.handle;
end
$$;
