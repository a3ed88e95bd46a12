-- Reads products: their stored parts, or parts built from rows if the stored parts are not sufficient.

-- Returns products in the order of `ids`, each as one JSON text: {id, categoryIds, parts, translations, offers, terms, metaobjects}.
-- The first text is {sequence, total, page, history, hidden, categories}. `head` contains the members total and page. `hidden` lists deleted
-- collections, which products contain until the rebuild. `categories` is the result of read_embedded_categories().
-- options: {withTranslations, withOptionsAndVariants, withCategories, withMetaobjects, withPrices. selectedMembers, maxVariantBytes, maxValueBytes:
-- see build_product_parts(). maxVariants. maxBytes: it reads no product after them. categoryLevels, maxChildren, maxCategoryBytes: of categories.
-- priorDays, maxPriorTerms: for the prior price of a variant. maxProductTermBytes: of one product. maxTermBytes: of all. channel, country, at,
-- explain, knownAt: see read_offers()}
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
begin
  for product in
    select a.id, p.category_ids, p.has_metaobjects,
           case when p.product_id is not null and (most_variants <= listed_variants() or p.is_whole)
                 and (not priced or most_variants = 0 or (not from_rows and p.offers is not null)) then
             concat(',"parts":', p.parts, case when with_translations then ',"translations":' || p.translations::text end,
                    case when priced then ',"offers":' || p.offers::text end) end as stored_members
      from unnest(ids) with ordinality as a(id, place)
      left join lateral (
        select p.* from product_parts p
         where p.tenant_id = tenant and p.product_id = a.id and p.format = parts_format() and p.parts is not null limit 1
      ) p on true
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
    if days is not null and strpos(members, '"compareAtAmount"') > 0 then
      reduced := case when from_rows then variant_ids else reduced_variants(product.id, options) end;
      if reduced <> '{}' then
        select t.* into terms, term_bytes from read_terms(reduced, options) t;
        -- If a product has too many terms, it ends after the variants that fit.
        if term_bytes > (options ->> 'maxProductTermBytes')::bigint then
          select b.* into members, category_ids, has_metaobjects, variant_ids
            from build_members(product.id, count_fitting(product.id, terms::jsonb, options), options) b;
          select t.* into terms, term_bytes from read_terms(variant_ids, options) t;
        end if;
        left_terms := left_terms - term_bytes;
      end if;
    end if;
    metaobjects := case when has_metaobjects and (options ->> 'withMetaobjects')::boolean then read_embedded_metaobjects(product.id, variant_ids, most_variants) end;
    -- Without a subquery, which PL/pgSQL would run as a statement for each product.
    line := concat('{"id":"', product.id, '","categoryIds":', to_json(category_ids), members, ',"terms":' || terms,
                   ',"metaobjects":' || metaobjects, '}');
    lines := lines || line;
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
                                                   (options ->> 'maxCategoryBytes')::bigint) end, '}');
  return query select l.line from unnest(lines) as l(line);
end
$$;

-- Reads products in one statement, see read_alone(): those with `ids`, or those that `query` selects.
-- `query` returns an array of ids, the page for the head, and the total. If `total_name` is given, the stored total of that name replaces it.
create or replace function read_products_alone(tenant text, lock_timeout text, cached_clock text, query text, params text[],
                                               ids uuid[], total_name text, options jsonb) returns setof text
  language plpgsql stable as $$
declare
  clock text := enter_alone(tenant, lock_timeout, cached_clock);
  page json;
  total int;
  head text := '';
begin
  return next clock;
  if clock = cached_clock then
    return;
  end if;
  if ids is null then
    execute format(query, variadic params) into ids, page, total;
    if total_name is not null then
      select t.total into total from tenant_totals t where t.tenant_id = current_tenant() and t.name = total_name;
    end if;
    ids := coalesce(ids, '{}');
    head := concat(',"total":', coalesce(total, 0), ',"page":', coalesce(page, '[]'));
  end if;
  return query select read_product_parts(ids, options, head);
end
$$;
