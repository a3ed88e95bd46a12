-- Reads what lists of products need beyond stored parts: offers, metaobjects, categories, recorded terms, and parts built from rows.

-- Returns the offers of variants by variant id, as offer_json(): those of a channel and a country that have not ended.
-- To explain a price, it returns all offers that are not archived. With `knownAt`, it returns the terms recorded at that moment.
-- options: {channel, country, at, explain, knownAt}
create or replace function read_offers(variants uuid[], options jsonb) returns text
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  explained boolean := coalesce((options ->> 'explain')::boolean, false);
  context_channel text := options ->> 'channel';
  context_country text := options ->> 'country';
  context_at timestamptz := options ->> 'at';
  known_at timestamptz := options ->> 'knownAt';
begin
  return (
    select '{' || coalesce(string_agg('"' || v.id || '":[' || f.list || ']', ','), '') || '}'
      from unnest(variants) as v(id)
     cross join lateral (
       select string_agg(m.offer, ',') as list
         from (
           select offer_json(o.id, o) as offer from sale_offers o
            where known_at is null and not explained and o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE'
              and is_offered_in(o.channel, o.countries, context_channel, context_country)
              and (o.valid_until is null or o.valid_until > context_at)
           union all
           select offer_json(o.id, o) from sale_offers o
            where known_at is null and explained and o.tenant_id = tenant and o.variant_id = v.id and o.status <> 'ARCHIVED'
           union all
           select offer_json(o.sale_offer_id, o) from sale_offer_terms o
            where o.tenant_id = tenant and o.variant_id = v.id and o.known_until > known_at and o.known_from <= known_at
              and case when explained then o.status <> 'ARCHIVED'
                  else o.status = 'ACTIVE' and is_offered_in(o.channel, o.countries, context_channel, context_country)
                   and (o.valid_until is null or o.valid_until > context_at) end
         ) m
     ) f);
end
$$;

-- Returns the published metaobjects that a product and some of its variants refer to, by the id of the product or the variant.
-- Without `variants`, it uses the first `most_variants`.
create or replace function read_embedded_metaobjects(product uuid, variants uuid[], most_variants int) returns json
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
begin
  return (
    select json_object_agg(r.id, published_metaobjects(r.metaobject_ids))
      from (
        select p.id, p.metaobject_ids from products p where p.tenant_id = current_tenant() and p.id = product
        union all
        select v.id, v.metaobject_ids from variants v
         where v.tenant_id = current_tenant() and v.product_id = product
           and case when variants is null then v.position < most_variants else v.id = any(variants) end
        offset 0
      ) r where r.metaobject_ids <> '{}');
end
$$;

-- Returns categories to embed as {"stored": […]}, or as {"rows": […]} of read_categories() if levels below them are expanded.
-- Parts and documents are null beyond `most` bytes.
create or replace function read_embedded_categories(ids uuid[], levels int, most_children int, with_translations boolean, most bigint)
  returns json
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
begin
  if levels > 0 then
    return (
      select json_build_object('rows', coalesce(json_agg(json_build_object(
               'id', c.id, 'document', c.document, 'translations', c.translations, 'metaobjects', c.metaobjects, 'parentId', c.parent_id,
               'position', c.position, 'level', c.level, 'version', c.version, 'createdAt', c.created_at, 'updatedAt', c.updated_at,
               'ancestors', c.ancestors, 'children', c.children, 'childrenTotal', c.children_total)), '[]'))
        from read_categories(ids, levels, most_children, with_translations, true, most, most) c);
  end if;
  return (
    select '{"stored":[' || coalesce(string_agg(concat(
             '{"id":"', c.id, '","parts":', case when c.before < most then c.parts else 'null' end,
             ',"translations":' || case when c.before < most then c.translations end,
             ',"metaobjects":' || case when c.metaobject_ids <> '{}' then published_metaobjects(c.metaobject_ids) end,
             ',"parentId":"' || c.parent_id || '"', ',"position":', c.position, ',"level":', c.level, ',"ancestors":', to_json(c.ancestors),
             ',"children":' || to_json(c.children), ',"childrenTotal":', c.children_total, ',"storedBytes":', c.bytes, '}'), ','), '') || ']}'
      from (
        select c.*, coalesce(sum(c.bytes) over (order by c.level, c.position, c.id rows between unbounded preceding and 1 preceding), 0) as before
          from (
            select *, octet_length(c.parts) + coalesce(octet_length(c.translations), 0) as bytes from (
            select c.id, c.level, c.position, c.parent_id, c.metaobject_ids, coalesce(p.parts::text, b.parts) as parts,
                   case when with_translations then coalesce(p.translations::text, b.translations) end as translations,
                   coalesce(p.ancestors, ancestors_of(c.id)) as ancestors,
                   case when p.category_id is null then b.children else p.children end as children,
                   coalesce(p.children_total, b.children_total) as children_total
              from categories c
              left join category_parts p
                on p.tenant_id = tenant and p.category_id = c.id and p.category_id = any(ids) and p.format = parts_format()
              -- Without `offset`, the function would run for each category.
              left join lateral (select b.* from build_category_parts(array[c.id]) b where p.category_id is null offset 0) b on true
             where c.tenant_id = tenant and c.id = any(ids)
            ) c
          ) c
      ) c);
end
$$;

-- Returns the ids of the first variants of a product to which a reduced offer applies. options: {maxVariants, channel, country, at}
create or replace function reduced_variants(product uuid, options jsonb) returns uuid[]
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  most_variants int := options ->> 'maxVariants';
  context_channel text := options ->> 'channel';
  context_country text := options ->> 'country';
  context_at timestamptz := options ->> 'at';
begin
  return array(
    select distinct o.variant_id from sale_offers o
     cross join lateral (select v.position from variants v where v.tenant_id = tenant and v.id = o.variant_id limit 1) v
     where o.tenant_id = tenant and o.product_id = product and o.status = 'ACTIVE' and o.compare_at_amount > o.amount and o.min_quantity <= 1
       and is_offered_in(o.channel, o.countries, context_channel, context_country)
       and is_valid_at(o.valid_from, o.valid_until, context_at) and v.position < most_variants);
end
$$;

-- Builds a product from rows as the members of its text, each after a comma, with its first `most_variants` variants.
-- options: see read_product_parts()
create or replace function build_members(product uuid, most_variants int, options jsonb, out members text, out category_ids uuid[],
                                         out has_metaobjects boolean, out variant_ids uuid[])
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  priced boolean := options ->> 'withPrices';
begin
  select concat(',"parts":', b.parts, case when (options ->> 'withTranslations')::boolean then ',"translations":' || b.translations end,
                case when priced then ',"offers":' || read_offers(b.variant_ids, options) end),
         b.category_ids, b.has_metaobjects, b.variant_ids
    into members, category_ids, has_metaobjects, variant_ids
    from build_product_parts(array[product], options || jsonb_build_object(
           'maxVariants', case when (options ->> 'withOptionsAndVariants')::boolean then most_variants end, 'bytesPerOffer', case when priced then offer_bytes() else 0 end)) b;
end
$$;

-- Returns the recorded terms of variants by the id of the variant, and their bytes. options: see read_product_parts()
create or replace function read_terms(variants uuid[], options jsonb, out terms text, out bytes bigint)
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
begin
  select '{' || string_agg('"' || t.variant || '":' || t.terms, ',') || '}', coalesce(sum(octet_length(t.terms)), 0) into terms, bytes
    from read_prior_terms(variants, options ->> 'channel', options ->> 'country', (options ->> 'at')::timestamptz,
                          (options ->> 'knownAt')::timestamptz, (options ->> 'priorDays')::int, (options ->> 'maxPriorTerms')::int) t;
end
$$;

-- Returns how many of the first variants of a product fit into `variantBytes` with their recorded terms.
create or replace function count_fitting(product uuid, terms jsonb, options jsonb) returns int
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
begin
  return (
    select count(*) from (
      select coalesce(sum(octet_length(v.document) + coalesce(octet_length((terms -> v.id::text)::text), 0))
               over (order by v.position rows between unbounded preceding and 1 preceding), 0) as before
        from variants v where v.tenant_id = tenant and v.product_id = product and v.position < (options ->> 'maxVariants')::int
    ) v where v.before < (options ->> 'maxVariantBytes')::bigint);
end
$$;
