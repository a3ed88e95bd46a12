-- Issues of products: why they are not sold in the markets, and what needs attention. src/resources/issues/types.ts lists the types.

-- Returns the issues of products that have one of the types, in no order. given: {types, locales, at, horizon, market: an id or null for all markets,
-- anywhere: whether products of every status are examined, in markets whose channel they are not in as well}.
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
    with good as materialized (
      select p.id, p.status, p.translated_in, p.document, p.metaobject_ids, '/api/products/' || p.id as iri from unnest(products) as each(id)
        join products p on p.tenant_id = tenant and p.id = each.id and (anywhere or p.status = 'ACTIVE')
    ), own as materialized (
      select v.product_id, v.id, v.position, v.sku, v.barcode, v.metaobject_ids, g.iri || '/variants/' || v.id as iri
        from good g join variants v on v.tenant_id = tenant and v.product_id = g.id and v.status = 'ACTIVE'
    ), place as materialized (
      select g.id as product_id, g.iri, m.id as market_id, m.channel, m.country, m.currency,
             exists (select from product_channels c where c.tenant_id = tenant and c.product_id = g.id and c.channel = m.channel) as is_assigned
        from good g join markets m on m.tenant_id = tenant and coalesce(m.id = (given ->> 'market')::uuid, true)
    ), price as materialized (
      select p.product_id, p.market_id, v.id as variant_id, v.position, v.iri as variant_iri, f.is_priced, f.draft,
             f.other, f.next_at, f.ends_at, f.next_offer, p.channel, p.country, p.currency
        from place p
        join own v on v.product_id = p.product_id
       cross join lateral (
         select coalesce(o.cover @> moment, false) as is_priced, o.draft, o.other,
                (select min(lower(r)) from unnest(o.cover) as r where lower(r) > moment) as next_at,
                (select upper(r) from unnest(o.cover) as r where r @> moment) as ends_at, o.next_offer
           from (
             select range_agg(tstzrange(s.valid_from, s.valid_until)) filter (where s.is_offered) as cover,
                    (array_agg(s.id order by s.valid_from) filter (where s.is_offered and s.valid_from > moment))[1] as next_offer,
                    (array_agg(s.id order by s.id) filter (where s.status = 'DRAFT' and s.currency = p.currency))[1] as draft,
                    (array_agg(s.id order by s.id) filter (where s.status = 'ACTIVE' and s.currency <> p.currency and is_valid_at(s.valid_from, s.valid_until, moment)))[1] as other
               from (
                 select o.*, o.status = 'ACTIVE' and o.currency = p.currency as is_offered from sale_offers o
                  where o.tenant_id = tenant and o.variant_id = v.id and o.status <> 'ARCHIVED' and o.min_quantity <= 1
                    and is_offered_in(o.channel, o.countries, p.channel, p.country) and coalesce(o.valid_until > moment, true)
               ) s
           ) o) f
       where needs_prices and (anywhere or p.is_assigned)
    ), price_issue as (
      select s.product_id, s.market_id, s.variant_id, s.position, s.type, s.resource,
             case when s.type in ('price_gap', 'price_ends') then s.ends_at end as from_at,
             case when s.type in ('price_gap', 'price_starts_later') then s.next_at end as until_at
        from (
          select p.*, t.type,
                 case when t.type = 'price_starts_later' then '/api/sale_offers/' || p.next_offer
                      when t.type = 'price_is_draft' then '/api/sale_offers/' || p.draft
                      when t.type = 'price_in_other_currency' then '/api/sale_offers/' || p.other
                      when t.type in ('price_gap', 'price_ends') then '/api/sale_offers/' || (
                        select o.id from sale_offers o
                         where o.tenant_id = tenant and o.variant_id = p.variant_id and o.status = 'ACTIVE' and o.min_quantity <= 1 and o.currency = p.currency
                           and o.valid_until = p.ends_at and is_offered_in(o.channel, o.countries, p.channel, p.country) order by o.id limit 1)
                      else p.variant_iri end as resource
            from price p
           cross join lateral (select case
             when p.is_priced and p.ends_at < 'infinity' and p.next_at is not null then 'price_gap'
             when p.is_priced and p.ends_at < horizon and p.next_at is null then 'price_ends'
             when p.is_priced then null
             when p.next_at is not null then 'price_starts_later'
             when p.draft is not null then 'price_is_draft'
             when p.other is not null then 'price_in_other_currency'
             else 'no_price' end as type) t
        ) s where s.type = any(types)
    )
    select g.id, 'product_archived', null::uuid, g.iri, null::text, null::uuid[], 0, true, '{}'::jsonb
      from good g where 'product_archived' = any(types) and g.status = 'ARCHIVED'
    union all
    select g.id, 'product_draft', null, g.iri, null, null, 0, true, '{}'
      from good g where 'product_draft' = any(types) and g.status = 'DRAFT'
    union all
    select g.id, 'no_variant', null, g.iri, null, null, 0, true, '{}'
      from good g where 'no_variant' = any(types) and not exists (select from own v where v.product_id = g.id)
    union all
    select p.product_id, 'not_in_channel', p.market_id, p.iri, null, null, 0, true, jsonb_build_object('channel', p.channel)
      from place p where 'not_in_channel' = any(types) and not p.is_assigned
    union all
    -- Without a price of any variant, the product is not sold in the market.
    select i.product_id, i.type, i.market_id, (array_agg(i.resource order by i.position))[1], null,
           (array_agg(i.variant_id order by i.position))[:10], count(*)::int,
           not exists (select from price p where p.product_id = i.product_id and p.market_id = i.market_id and p.is_priced),
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
         order by o.id limit 1) o
     where 'duplicate_barcode' = any(types);
end
$$;
