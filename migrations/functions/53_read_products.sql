-- Reads products: their stored parts with offers, metaobjects, categories and recorded terms, or parts built from rows if the stored ones
-- are not sufficient.

-- Returns the offers of variants by variant id, as offer_json(): those of a channel and a country that have not ended, or all of these.
-- To explain a price, it returns all offers that are not archived. With `knownAt`, it returns the terms recorded at that moment.
-- options: {channel, country, at, explain, knownAt, withEnded, anywhere: those of all channels and countries}
create or replace function read_offers(variants uuid[], options jsonb) returns text
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  explained boolean := coalesce((options ->> 'explain')::boolean, false);
  anywhere boolean := coalesce((options ->> 'anywhere')::boolean, false);
  context_channel text := options ->> 'channel';
  context_country text := options ->> 'country';
  context_at timestamptz := options ->> 'at';
  known_at timestamptz := options ->> 'knownAt';
  -- Offers that end later than this moment are returned.
  after_moment timestamptz := case when (options ->> 'withEnded')::boolean then '-infinity' else context_at end;
begin
  return (
    select '{' || coalesce(string_agg('"' || v.id || '":[' || f.list || ']', ','), '') || '}'
      from unnest(variants) as v(id)
     cross join lateral (
       select string_agg(m.offer, ',') as list
         from (
           select offer_json(o.id, o) as offer from sale_offers o
            where known_at is null and not explained and o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE'
              and (anywhere or is_offered_in(o.channel, o.countries, context_channel, context_country))
              and (o.valid_until is null or o.valid_until > after_moment)
           union all
           select offer_json(o.id, o) from sale_offers o
            where known_at is null and explained and o.tenant_id = tenant and o.variant_id = v.id and o.status <> 'ARCHIVED'
           union all
           select offer_json(o.sale_offer_id, o) from sale_offer_terms o
            where o.tenant_id = tenant and o.variant_id = v.id and o.known_until > known_at and o.known_from <= known_at
              and case when explained then o.status <> 'ARCHIVED'
                  else o.status = 'ACTIVE' and (anywhere or is_offered_in(o.channel, o.countries, context_channel, context_country))
                   and (o.valid_until is null or o.valid_until > after_moment) end
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

-- Returns the reference units of unit prices by category: its own, then those of its ancestors, the nearest first. Null if none has one.
create or replace function read_reference_units(ids uuid[]) returns json
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
begin
  return (
    with path as materialized (
      select c.id, above.id as holder, above.place
        from (
          select each.id, coalesce(p.ancestors, ancestors_of(each.id)) || each.id as holders
            from (select distinct unnest(ids) as id) each
            left join lateral (
              select p.ancestors from category_parts p
               where p.tenant_id = tenant and p.category_id = each.id and p.format = parts_format() limit 1) p on true
        ) c
       cross join lateral unnest(c.holders) with ordinality as above(id, place)
    ), units as materialized (
      select each.holder as id, c.document::json -> 'referenceUnit' as unit
        from (select distinct holder from path) each
       cross join lateral (select c.document from categories c where c.tenant_id = tenant and c.id = each.holder limit 1) c
       where strpos(c.document, '"referenceUnit":{') > 0
    )
    select json_object_agg(found.id, found.units)
      from (select path.id, json_agg(units.unit order by path.place desc) as units from path join units on units.id = path.holder group by path.id) found);
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

-- Returns products in the order of `ids`, each as one JSON text: {id, categoryIds, parts, translations, offers, terms, metaobjects}.
-- The first text is {sequence, total, page, history, hidden, categories, referenceUnits}. `head` contains the members total and page. `hidden` lists deleted
-- collections, which products contain until the rebuild. `categories` is the result of read_embedded_categories().
-- options: partsOptionsOf() in src/resources/products/read.ts declares and describes them
create or replace function read_product_parts(ids uuid[], options jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 31 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  with_translations boolean := options ->> 'withTranslations';
  most_variants int := case when (options ->> 'withOptionsAndVariants')::boolean then (options ->> 'maxVariants')::int else 0 end;
  priced boolean := options ->> 'withPrices';
  -- Whether stored offers are not sufficient.
  from_rows boolean := priced and ((options ->> 'explain')::boolean or options ->> 'knownAt' is not null);
  days int := options ->> 'priorDays';
  context_channel text := options ->> 'channel';
  context_country text := options ->> 'country';
  context_at timestamptz := options ->> 'at';
  left_bytes bigint := options ->> 'maxBytes';
  left_terms bigint := options ->> 'maxTermBytes';
  product record;
  members text;
  category_ids uuid[];
  has_metaobjects boolean;
  variant_ids uuid[];
  reduced uuid[];
  terms text;
  term_bytes bigint;
  metaobjects text;
  line text;
  lines text[] := '{}';
  categories uuid[] := '{}';
  -- Whether a variant has a measure, also one that is read apart from its product.
  is_measured boolean := priced and most_variants = 0;
begin
  for product in
    select a.id, p.category_ids, p.has_metaobjects,
           case when p.product_id is not null and (most_variants <= listed_variants() or p.is_whole)
                 and (not priced or most_variants = 0 or (not from_rows and p.offers is not null)) then
             concat(',"parts":', p.parts, case when with_translations then ',"translations":' || p.translations::text end,
                    case when priced then ',"offers":' || p.offers::text end) end as stored_members,
           -- The first variants to which a reduced offer applies.
           case when days is not null and not from_rows then array(
             select distinct o.variant_id from sale_offers o
              cross join lateral (select v.position from variants v where v.tenant_id = tenant and v.id = o.variant_id limit 1) v
              where o.tenant_id = tenant and o.product_id = a.id and o.status = 'ACTIVE' and o.compare_at_amount > o.amount
                and o.min_quantity <= 1 and is_offered_in(o.channel, o.countries, context_channel, context_country)
                and is_valid_at(o.valid_from, o.valid_until, context_at) and v.position < (options ->> 'maxVariants')::int) end as reduced
      from unnest(ids) with ordinality as a(id, place)
      left join lateral (
        select p.* from product_parts p
         where p.tenant_id = tenant and p.product_id = a.id and p.format = parts_format() and p.parts is not null limit 1
      ) p on true
     where a.id is not null
     order by a.place
  loop
    exit when left_bytes <= 0 or left_terms <= 0;
    if product.stored_members is not null then
      members := product.stored_members;
      category_ids := product.category_ids;
      has_metaobjects := product.has_metaobjects;
      variant_ids := null;
    else
      select b.* into members, category_ids, has_metaobjects, variant_ids from build_members(product.id, most_variants, options) b;
      continue when members is null;
    end if;
    terms := null;
    reduced := case when from_rows then variant_ids else product.reduced end;
    if days is not null and reduced <> '{}' then
      select t.* into terms, term_bytes from read_terms(reduced, options) t;
      -- If a product has too many terms, it ends after the variants that fit.
      if term_bytes > (options ->> 'maxProductTermBytes')::bigint then
        select b.* into members, category_ids, has_metaobjects, variant_ids
          from build_members(product.id, count_fitting(product.id, terms::jsonb, options), options) b;
        select t.* into terms, term_bytes from read_terms(variant_ids, options) t;
      end if;
      left_terms := left_terms - term_bytes;
    end if;
    metaobjects := case when has_metaobjects and (options ->> 'withMetaobjects')::boolean then read_embedded_metaobjects(product.id, variant_ids, most_variants) end;
    -- Without a subquery, which PL/pgSQL would run as a statement for each product.
    line := concat('{"id":"', product.id, '","categoryIds":', to_json(category_ids), members, ',"terms":' || terms,
                   ',"metaobjects":' || metaobjects, '}');
    lines := lines || line;
    is_measured := is_measured or priced and strpos(members, '"measure":{') > 0;
    categories := categories || category_ids;
    -- Documents are larger than their parts, small ones by more.
    left_bytes := left_bytes - least(4 * octet_length(line), octet_length(line) + 60000);
  end loop;
  return next concat('{"sequence":', (select c.sequence from tenant_clock c where c.tenant_id = tenant), head,
    ',"history":"' || case when days is not null or options ->> 'knownAt' is not null then price_history() end || '"',
    ',"hidden":' || (select json_agg(r.id) from collection_rebuilds r where r.tenant_id = tenant and not exists (
                       select from collections c where c.tenant_id = tenant and c.id = r.id)),
    case when (options ->> 'withCategories')::boolean and categories <> '{}' then
      ',"categories":' || read_embedded_categories(categories, (options ->> 'categoryLevels')::int, (options ->> 'maxChildren')::int, with_translations,
                                                   (options ->> 'maxCategoryBytes')::bigint) end,
    case when is_measured and categories <> '{}' then ',"referenceUnits":' || read_reference_units(categories) end, '}');
  return query select l.line from unnest(lines) as l(line);
end
$$;
