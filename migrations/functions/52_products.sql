-- Products and their parts as lines of text, from which the Worker builds documents.
-- Fields are separated by tabs, lines by line feeds. Stored documents contain neither, because JSON escapes both.

-- Returns products in the order of `ids`, each as one text with these lines. The first text has 'h', the tenant's event sequence and
-- `head`. After the products follows a text for each of their categories: 'c' and the columns of read_categories().
--   id, document, texts, status, metaobjects, version, times, number of variants, ids of categories, ids of collections, edition
--   'o', id, document, title (JSON), texts, position, version, times, number of values           of each option
--   's', id, document, status, ids of its values, position, metaobjects, version, times, offers  of each variant
--   'v', id, id of its option, document, title (JSON), texts, position, version, times           of each value
-- Fields that are not requested are empty, and so is the second time if it equals the first. Offers are those of the channel and country
-- that have not ended; to explain a price, all that are not archived. A product with a rendered text is instead:
--   'k', id, version, ids of categories, ids of collections, the offers of each variant with '|' between them, the text
--
-- form: {translations, members: of a product's document or null, owned, belonging, fields, variants: how many, variantBytes,
-- valueBytes: null for all values, else beyond it only those of the shown variants, priced, explain, channel, country, at,
-- most: bytes after which no other product is read, levels: of categories, children: ids of a category's children at most,
-- categoryBytes: of all of them, rendered: the form of rendered texts}.
create or replace function tell_products(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  with_translations boolean := form ->> 'translations';
  members text[] := case when form ->> 'members' is not null then array(select jsonb_array_elements_text(form -> 'members')) end;
  owned boolean := form ->> 'owned';
  belonging boolean := form ->> 'belonging';
  with_fields boolean := form ->> 'fields';
  most_variants int := case when owned then (form ->> 'variants')::int else 0 end;
  variant_bytes bigint := form ->> 'variantBytes';
  value_bytes bigint := form ->> 'valueBytes';
  priced boolean := form ->> 'priced';
  explained boolean := form ->> 'explain';
  asked_channel text := form ->> 'channel';
  asked_country text := form ->> 'country';
  asked_at timestamptz := form ->> 'at';
  most bigint := form ->> 'most';
  rendered_form text := form ->> 'rendered';
  amount int := cardinality(ids);
  first int := 1;
  part uuid[];
  ready text[];
  told int;
  place int;
  own text;
begin
  return next concat(e'h\t', (select c.sequence from tenant_clock c where c.tenant_id = tenant), e'\t', head);
  while first <= amount and most > 0 loop
    part := ids[first : first + 29];
    ready := null;
    if rendered_form is not null then
      select array_agg(
               case when r.text is not null and octet_length(coalesce(f.told, '')) <= 50000 then
                 concat(e'k\t', asked.id, e'\t', r.version, e'\t',
                        (select string_agg(c.category_id::text, ',' order by c.position) from product_categories c
                          where c.tenant_id = tenant and c.product_id = asked.id), e'\t',
                        (select string_agg(c.collection_id::text, ',' order by c.collection_id) from product_collections c
                          where c.tenant_id = tenant and c.product_id = asked.id and exists (
                            select from collections k where k.tenant_id = tenant and k.id = c.collection_id)), e'\t',
                        f.told, e'\t', r.text) end
               order by asked.place)
        into ready
        from unnest(part) with ordinality as asked(id, place)
        left join lateral (
          select r.text, r.version, r.variant_ids
            from product_editions e
            join rendered_products r on r.tenant_id = e.tenant_id and r.product_id = e.product_id and r.form = rendered_form and r.edition = e.edition
           where e.tenant_id = tenant and e.product_id = asked.id limit 1
        ) r on true
        left join lateral (
          select string_agg(own.told, '|' order by v.place) as told
            from unnest(r.variant_ids) with ordinality as v(id, place)
           cross join lateral (
             select coalesce(string_agg(offer_text(o), ';'), '') as told from sale_offers o
              where o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE'
                and (o.channel is null or o.channel = asked_channel)
                and (o.countries = '{}' or asked_country = any(o.countries))
                and (o.valid_until is null or o.valid_until > asked_at)
           ) own
           where priced
        ) f on priced;
    end if;
    told := 0;
    for own, place in
      select concat(p.id, e'\t',
               case when members is null then p.document else (
                 select '{' || string_agg(to_json(m.name)::text || ':' || m.value, ',' order by m.place) || '}'
                   from json_each(p.document::json) with ordinality as m(name, value, place) where m.name = any(members)) end, e'\t',
               case when not with_translations then null when members is null then p.translations::text else (
                 select jsonb_object_agg(each.locale, (select coalesce(jsonb_object_agg(m.name, m.value), '{}')
                                                    from jsonb_each(each.texts) as m(name, value) where m.name = any(members)))::text
                   from jsonb_each(p.translations) as each(locale, texts)) end, e'\t',
               p.status, e'\t',
               case when with_fields and p.metaobject_ids <> '{}' then published_metaobjects(p.metaobject_ids) end, e'\t',
               p.version, e'\t', instant_text(p.created_at), e'\t',
               case when p.updated_at <> p.created_at then instant_text(p.updated_at) end, e'\t',
               (select coalesce(max(v.position) + 1, 0) from variants v where v.tenant_id = tenant and v.product_id = p.id), e'\t',
               b.categories, e'\t', b.collections, e'\t', d.edition, o.lines, n.lines, s.lines), asked.place
        from (select * from unnest(part) with ordinality as a(id, place) where ready is null or ready[a.place] is null) as asked
       cross join lateral (select * from products p where p.tenant_id = tenant and p.id = asked.id limit 1) p
       cross join lateral (
         select case when rendered_form is not null then (
           select e.edition from product_editions e where e.tenant_id = tenant and e.product_id = p.id) end as edition
       ) d
       cross join lateral (
         select (select string_agg(c.category_id::text, ',' order by c.position) from product_categories c
                  where c.tenant_id = tenant and c.product_id = p.id) as categories,
                (select string_agg(c.collection_id::text, ',' order by c.collection_id) from product_collections c
                  where c.tenant_id = tenant and c.product_id = p.id and exists (
                    select from collections k where k.tenant_id = tenant and k.id = c.collection_id)) as collections
          where belonging
         union all select null, null where not belonging
       ) b
       cross join lateral (
         select string_agg(concat(e'\no\t', o.id, e'\t', o.document, e'\t', to_json(o.title), e'\t',
                                  case when with_translations then o.translations end, e'\t', o.position, e'\t', o.version, e'\t',
                                  instant_text(o.created_at), e'\t',
                                  case when o.updated_at <> o.created_at then instant_text(o.updated_at) end, e'\t',
                                  (select coalesce(max(v.position) + 1, 0) from option_values v where v.tenant_id = tenant and v.option_id = o.id)),
                           '') as lines
           from (select * from product_options o where o.tenant_id = tenant and o.product_id = p.id and owned order by o.position) o
       ) o
       cross join lateral (
         select string_agg(concat(e'\ns\t', v.id, e'\t', v.document, e'\t', v.status, e'\t', array_to_string(v.option_value_ids, ','),
                                  e'\t', v.position, e'\t',
                                  case when v.metaobject_ids <> '{}' then published_metaobjects(v.metaobject_ids) end, e'\t',
                                  v.version, e'\t', instant_text(v.created_at), e'\t',
                                  case when v.updated_at <> v.created_at then instant_text(v.updated_at) end, e'\t',
                                  f.told),
                           '') as lines,
                string_agg(array_to_string(v.option_value_ids, ','), ',') filter (where value_bytes is not null) as shown
           from (
             select v.*, coalesce(sum(octet_length(v.document) + case when priced then v.sale_offer_count * 200 else 0 end)
                      over (order by v.position rows between unbounded preceding and 1 preceding), 0) as before
               from variants v where v.tenant_id = tenant and v.product_id = p.id and v.position < most_variants order by v.position
           ) v
          cross join lateral (
            select string_agg(offer_text(o), ';') as told
              from (
                select o from sale_offers o
                 where priced and not explained and o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE'
                   and (o.channel is null or o.channel = asked_channel)
                   and (o.countries = '{}' or asked_country = any(o.countries))
                   and (o.valid_until is null or o.valid_until > asked_at)
                union all
                select o from sale_offers o
                 where priced and explained and o.tenant_id = tenant and o.variant_id = v.id and o.status <> 'ARCHIVED'
              ) as matching(o)
          ) f
          where v.before < variant_bytes
       ) s
       cross join lateral (
         select string_agg(concat(e'\nv\t', n.id, e'\t', n.option_id, e'\t', n.document, e'\t', to_json(n.title), e'\t',
                                  case when with_translations then n.translations end, e'\t', n.position, e'\t', n.version, e'\t',
                                  instant_text(n.created_at), e'\t',
                                  case when n.updated_at <> n.created_at then instant_text(n.updated_at) end),
                           '') as lines
           from (
             select v.*, sum(octet_length(v.document) + case when with_translations then octet_length(v.translations::text) else 0 end)
                      over () as size
               from option_values v where v.tenant_id = tenant and v.product_id = p.id and owned order by v.option_id, v.position
           ) n
          where value_bytes is null or n.size <= value_bytes or n.id = any(string_to_array(s.shown, ',')::uuid[])
       ) n
       order by asked.place
    loop
      for nth in told + 1 .. place - 1 loop
        exit when most <= 0;
        continue when ready[nth] is null;
        return next ready[nth];
        most := most - octet_length(ready[nth]) * 4;
      end loop;
      exit when most <= 0;
      told := place;
      return next own;
      most := most - octet_length(own);
      exit when most <= 0;
    end loop;
    for nth in told + 1 .. coalesce(cardinality(ready), 0) loop
      exit when most <= 0;
      continue when ready[nth] is null;
      return next ready[nth];
      most := most - octet_length(ready[nth]) * 4;
    end loop;
    first := first + 30;
  end loop;
  if belonging then
    return query
      select concat(e'c\t', c.id, e'\t', c.document, e'\t', c.translations, e'\t', c.metaobjects, e'\t', c.parent_id, e'\t',
                    c.position, e'\t', c.level, e'\t', c.version, e'\t', c.created_at, e'\t', c.updated_at, e'\t', c.ancestors,
                    e'\t', c.children, e'\t', c.children_total)
        from read_categories(
               array(select distinct m.category_id from product_categories m where m.tenant_id = tenant and m.product_id = any(ids)),
               (form ->> 'levels')::int, (form ->> 'children')::int, with_translations, true,
               (form ->> 'categoryBytes')::bigint, (form ->> 'categoryBytes')::bigint) c;
  end if;
end
$$;

-- Returns products as tell_products() does, in an older form without rendered texts. read_products_known() calls it.
create or replace function read_products(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  with_translations boolean := form ->> 'translations';
  members text[] := case when form ->> 'members' is not null then array(select jsonb_array_elements_text(form -> 'members')) end;
  owned boolean := form ->> 'owned';
  belonging boolean := form ->> 'belonging';
  with_fields boolean := form ->> 'fields';
  most_variants int := case when owned then (form ->> 'variants')::int else 0 end;
  variant_bytes bigint := form ->> 'variantBytes';
  value_bytes bigint := form ->> 'valueBytes';
  priced boolean := form ->> 'priced';
  explained boolean := form ->> 'explain';
  asked_channel text := form ->> 'channel';
  asked_country text := form ->> 'country';
  asked_at timestamptz := form ->> 'at';
  most bigint := form ->> 'most';
  amount int := cardinality(ids);
  first int := 1;
  own text;
begin
  return next concat(e'h\t', (select c.sequence from tenant_clock c where c.tenant_id = tenant), e'\t', head);
  while first <= amount and most > 0 loop
    for own in
      select concat(p.id, e'\t',
               case when members is null then p.document else (
                 select '{' || string_agg(to_json(m.name)::text || ':' || m.value, ',' order by m.place) || '}'
                   from json_each(p.document::json) with ordinality as m(name, value, place) where m.name = any(members)) end, e'\t',
               case when not with_translations then null when members is null then p.translations::text else (
                 select jsonb_object_agg(each.locale, (select coalesce(jsonb_object_agg(m.name, m.value), '{}')
                                                    from jsonb_each(each.texts) as m(name, value) where m.name = any(members)))::text
                   from jsonb_each(p.translations) as each(locale, texts)) end, e'\t',
               p.status, e'\t',
               case when with_fields and p.metaobject_ids <> '{}' then published_metaobjects(p.metaobject_ids) end, e'\t',
               p.version, e'\t', instant_text(p.created_at), e'\t',
               case when p.updated_at <> p.created_at then instant_text(p.updated_at) end, e'\t',
               (select coalesce(max(v.position) + 1, 0) from variants v where v.tenant_id = tenant and v.product_id = p.id), e'\t',
               b.categories, e'\t', b.collections, o.lines, n.lines, s.lines)
        from unnest(ids[first : first + 29]) with ordinality as asked(id, place)
       cross join lateral (select * from products p where p.tenant_id = tenant and p.id = asked.id limit 1) p
       cross join lateral (
         select (select string_agg(c.category_id::text, ',' order by c.position) from product_categories c
                  where c.tenant_id = tenant and c.product_id = p.id) as categories,
                (select string_agg(c.collection_id::text, ',' order by c.collection_id) from product_collections c
                  where c.tenant_id = tenant and c.product_id = p.id and exists (
                    select from collections k where k.tenant_id = tenant and k.id = c.collection_id)) as collections
          where belonging
         union all select null, null where not belonging
       ) b
       cross join lateral (
         select string_agg(concat(e'\no\t', o.id, e'\t', o.document, e'\t', to_json(o.title), e'\t',
                                  case when with_translations then o.translations end, e'\t', o.position, e'\t', o.version, e'\t',
                                  instant_text(o.created_at), e'\t',
                                  case when o.updated_at <> o.created_at then instant_text(o.updated_at) end, e'\t',
                                  (select coalesce(max(v.position) + 1, 0) from option_values v where v.tenant_id = tenant and v.option_id = o.id)),
                           '') as lines
           from (select * from product_options o where o.tenant_id = tenant and o.product_id = p.id and owned order by o.position) o
       ) o
       cross join lateral (
         select string_agg(concat(e'\ns\t', v.id, e'\t', v.document, e'\t', v.status, e'\t', array_to_string(v.option_value_ids, ','),
                                  e'\t', v.position, e'\t',
                                  case when v.metaobject_ids <> '{}' then published_metaobjects(v.metaobject_ids) end, e'\t',
                                  v.version, e'\t', instant_text(v.created_at), e'\t',
                                  case when v.updated_at <> v.created_at then instant_text(v.updated_at) end, e'\t',
                                  coalesce(f.told, case when explained then '[]'::json end)),
                           '') as lines,
                string_agg(array_to_string(v.option_value_ids, ','), ',') filter (where value_bytes is not null) as shown
           from (
             select v.*, coalesce(sum(octet_length(v.document) + case when priced then v.sale_offer_count * 200 else 0 end)
                      over (order by v.position rows between unbounded preceding and 1 preceding), 0) as before
               from variants v where v.tenant_id = tenant and v.product_id = p.id and v.position < most_variants order by v.position
           ) v
          cross join lateral (
            select json_agg(json_build_array(o.id, o.channel, o.countries, o.currency, o.amount::text, o.compare_at_amount::text,
                                             instant_text(o.valid_from), instant_text(o.valid_until), o.priority, o.min_quantity,
                                             o.tax_included, o.status)) as told
              from (
                select o.* from sale_offers o
                 where priced and not explained and o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE'
                   and (o.channel is null or o.channel = asked_channel)
                   and (o.countries = '{}' or asked_country = any(o.countries))
                   and (o.valid_until is null or o.valid_until > asked_at)
                union all
                select o.* from sale_offers o
                 where priced and explained and o.tenant_id = tenant and o.variant_id = v.id and o.status <> 'ARCHIVED'
              ) o
          ) f
          where v.before < variant_bytes
       ) s
       cross join lateral (
         select string_agg(concat(e'\nv\t', n.id, e'\t', n.option_id, e'\t', n.document, e'\t', to_json(n.title), e'\t',
                                  case when with_translations then n.translations end, e'\t', n.position, e'\t', n.version, e'\t',
                                  instant_text(n.created_at), e'\t',
                                  case when n.updated_at <> n.created_at then instant_text(n.updated_at) end),
                           '') as lines
           from (
             select v.*, sum(octet_length(v.document) + case when with_translations then octet_length(v.translations::text) else 0 end)
                      over () as size
               from option_values v where v.tenant_id = tenant and v.product_id = p.id and owned order by v.option_id, v.position
           ) n
          where value_bytes is null or n.size <= value_bytes or n.id = any(string_to_array(s.shown, ',')::uuid[])
       ) n
       order by asked.place
    loop
      return next own;
      most := most - octet_length(own);
      exit when most <= 0;
    end loop;
    first := first + 30;
  end loop;
  if belonging then
    return query
      select concat(e'c\t', c.id, e'\t', c.document, e'\t', c.translations, e'\t', c.metaobjects, e'\t', c.parent_id, e'\t',
                    c.position, e'\t', c.level, e'\t', c.version, e'\t', c.created_at, e'\t', c.updated_at, e'\t', c.ancestors,
                    e'\t', c.children, e'\t', c.children_total)
        from read_categories(
               array(select distinct m.category_id from product_categories m where m.tenant_id = tenant and m.product_id = any(ids)),
               (form ->> 'levels')::int, (form ->> 'children')::int, with_translations, true,
               (form ->> 'categoryBytes')::bigint, (form ->> 'categoryBytes')::bigint) c;
  end if;
end
$$;

-- Returns products as read_products() does, with the offers that were recorded at `form.knownAt` instead of the current ones.
-- They follow the line of their variant: 't', the variant, its offers. The head ends in price_history().
-- Variants, and products of a list, end if too many bytes were read.
create or replace function read_products_known(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  known_at timestamptz := form ->> 'knownAt';
  explained boolean := form ->> 'explain';
  asked_channel text := form ->> 'channel';
  asked_country text := form ->> 'country';
  asked_at timestamptz := form ->> 'at';
  variant_bytes bigint := form ->> 'variantBytes';
  most bigint := form ->> 'most';
  own text;
begin
  -- `explain: null` reads no current offers, but counts their bytes.
  for own in select read_products(ids, form - 'rendered' || '{"explain": null}', concat(head, e'\t', price_history())) loop
    if starts_with(own, e'h\t') or starts_with(own, e'c\t') then
      return next own;
    elsif most > 0 then
      if strpos(own, e'\ns\t') > 0 then
        select string_agg(concat(l.line, e'\nt\t' || l.variant_id || e'\t' || l.told), e'\n' order by l.nth) into own from (
          select l.nth, l.line, v.id as variant_id, k.told,
                 coalesce(sum(octet_length(l.line) + coalesce(octet_length(k.told), 0)) filter (where v.id is not null)
                   over (order by l.nth rows between unbounded preceding and 1 preceding), 0) as before
            from string_to_table(own, e'\n') with ordinality as l(line, nth)
           cross join lateral (select case when starts_with(l.line, e's\t') then split_part(l.line, e'\t', 2)::uuid end as id offset 0) v
           cross join lateral (
             select coalesce(string_agg(offer_text(o), ';'), case when explained and v.id is not null then '' end) as told
               from sale_offer_terms o
              where o.tenant_id = tenant and o.variant_id = v.id and o.known_until > known_at and o.known_from <= known_at
                and case when explained then o.status <> 'ARCHIVED'
                    else o.status = 'ACTIVE' and (o.channel is null or o.channel = asked_channel)
                     and (o.countries = '{}' or asked_country = any(o.countries))
                     and (o.valid_until is null or o.valid_until > asked_at) end
           ) k
        ) l where l.variant_id is null or l.before < variant_bytes;
      end if;
      return next own;
      most := most - octet_length(own);
    end if;
  end loop;
end
$$;
