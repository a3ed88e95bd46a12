-- The stored parts of products and categories: compact JSON, one row each, from which the Worker builds documents
-- (types: src/resources/products/stored.ts). Each write refreshes the rows of its products and categories, see refresh_changed_parts().
-- A part omits null members and empty lists. It also omits @id, @type, id, a version of 1, and a position that equals the place in a list.

-- Returns the shape of the parts that these functions store. Rows of another shape are not read.
create or replace function parts_format() returns smallint
  language sql immutable parallel safe
  return 1::smallint;

-- Returns version and times as members of a JSON object, each after a comma.
create or replace function commit_members(version int, created_at timestamptz, updated_at timestamptz) returns text
  language sql stable parallel safe
  return concat(case when version <> 1 then ',"version":' || version end, ',"createdAt":"', instant_text(created_at), '"',
                case when updated_at <> created_at then ',"updatedAt":"' || instant_text(updated_at) || '"' end);

-- Builds the parts of products from their rows, for refresh_product_parts() and for reads that need other variants or offers.
-- most: {variants: their maximum; null omits options and variants. variantBytes: their maximum size. valueBytes: the maximum size of option
-- values, beyond which only those of the variants are included; null for all. members: of the product's document; null for all.
-- offerBytes: the bytes that each offer counts. knownAt: the moment at which offers are counted; null for now}
create or replace function build_product_parts(ids uuid[], most jsonb)
  returns table (product_id uuid, parts text, translations text, category_ids uuid[], variant_ids uuid[], has_metaobjects boolean,
                 is_whole boolean)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
  most_variants int := most ->> 'variants';
  owned boolean := most_variants is not null;
  variant_bytes bigint := coalesce((most ->> 'variantBytes')::bigint, 9223372036854775807);
  value_bytes bigint := most ->> 'valueBytes';
  selected text[] := case when most ->> 'members' is not null then array(select jsonb_array_elements_text(most -> 'members')) end;
  offer_bytes int := coalesce((most ->> 'offerBytes')::int, 0);
  known_at timestamptz := most ->> 'knownAt';
begin
  return query
    select p.id,
           concat('{"document":{', d.members, '}', commit_members(p.version, p.created_at, p.updated_at),
                  ',"collections":[' || (
                    select string_agg('"' || c.collection_id || '"', ',' order by c.collection_id) from product_collections c
                     where c.tenant_id = tenant and c.product_id = p.id) || ']',
                  ',"options":[' || o.list || ']', ',"variants":[' || v.list || ']',
                  case when t.amount <> coalesce(v.amount, 0) then ',"variantsTotal":' || t.amount end, '}'),
           concat('{', concat_ws(',', case when p.translations <> '{}' then '"' || p.id || '":' || case when selected is null then p.translations::text else (
                                        select coalesce(jsonb_object_agg(each.locale, (
                                                 select coalesce(jsonb_object_agg(m.name, m.value), '{}') from jsonb_each(each.texts) as m(name, value)
                                                  where m.name = any(selected))), '{}')::text
                                          from jsonb_each(p.translations) as each(locale, texts)) end end,
                                 o.texts), '}'),
           array(select c.category_id from product_categories c where c.tenant_id = tenant and c.product_id = p.id order by c.position),
           v.ids, p.metaobject_ids <> '{}' or coalesce(v.has_metaobjects, false),
           t.amount = coalesce(v.amount, 0)
      from unnest(ids) as a(id)
     cross join lateral (select p.* from products p where p.tenant_id = tenant and p.id = a.id limit 1) p
     cross join lateral (
       select string_agg(to_json(m.name) || ':' || m.value, ',') as members from json_each(p.document::json) as m(name, value)
        where m.value::text not in ('null', '[]') and m.name not in ('@id', '@type', 'id') and (selected is null or m.name = any(selected))
     ) d
     cross join lateral (
       select coalesce(max(v.position) + 1, 0) as amount from variants v where v.tenant_id = tenant and v.product_id = p.id
     ) t
     cross join lateral (
       select string_agg(concat('{"id":"', v.id, '","document":{', d.members, '}', commit_members(v.version, v.created_at, v.updated_at),
                                ',"optionValues":["' || nullif(array_to_string(v.option_value_ids, '","'), '') || '"]',
                                case when v.position <> v.place - 1 then ',"position":' || v.position end, '}'), ',' order by v.position) as list,
              count(*) as amount, array_agg(v.id) as ids, bool_or(v.metaobject_ids <> '{}') as has_metaobjects,
              string_to_array(string_agg(array_to_string(v.option_value_ids, ','), ',') filter (where value_bytes is not null), ',')::uuid[] as shown,
              value_bytes is null or (
                select coalesce(sum(octet_length(s.document) + octet_length(s.translations::text)), 0) <= value_bytes
                  from option_values s where s.tenant_id = tenant and s.product_id = p.id) as fits
         from (
           select v.*, row_number() over (order by v.position) as place,
                  coalesce(sum(octet_length(v.document) + c.offers * offer_bytes)
                    over (order by v.position rows between unbounded preceding and 1 preceding), 0) as before
             from variants v
            cross join lateral (
              select case when offer_bytes = 0 then 0 when known_at is null then v.sale_offer_count else (
                select count(*) from sale_offer_terms o
                 where o.tenant_id = tenant and o.variant_id = v.id and o.known_until > known_at and o.known_from <= known_at
                   and o.status <> 'ARCHIVED') end as offers
            ) c
            where v.tenant_id = tenant and v.product_id = p.id and v.position < most_variants order by v.position
         ) v
        cross join lateral (
          select string_agg(to_json(m.name) || ':' || m.value, ',') as members from json_each(v.document::json) as m(name, value)
           where m.value::text not in ('null', '[]') and m.name not in ('@id', '@type', 'id')
        ) d
        where v.before < variant_bytes
     ) v
     cross join lateral (
       select string_agg(concat('{"id":"', o.id, '","document":{', d.members, '}', commit_members(o.version, o.created_at, o.updated_at),
                                ',"values":[' || n.list || ']',
                                case when o.position <> o.place - 1 then ',"position":' || o.position end,
                                case when n.total <> coalesce(n.amount, 0) then ',"valuesTotal":' || n.total end, '}'), ',' order by o.position) as list,
              string_agg(concat_ws(',', case when o.translations <> '{}' then '"' || o.id || '":' || o.translations end, n.texts), ',')
                filter (where o.translations <> '{}' or n.texts is not null) as texts
         from (
           select o.*, row_number() over (order by o.position) as place
             from product_options o where o.tenant_id = tenant and o.product_id = p.id and owned
         ) o
        cross join lateral (
          select string_agg(to_json(m.name) || ':' || m.value, ',') as members from json_each(o.document::json) as m(name, value)
           where m.value::text not in ('null', '[]') and m.name not in ('@id', '@type', 'id')
        ) d
        cross join lateral (
          select string_agg(concat('{"id":"', n.id, '","document":{', d.members, '}', commit_members(n.version, n.created_at, n.updated_at),
                                   case when n.position <> n.place - 1 then ',"position":' || n.position end, '}'), ',' order by n.position) as list,
                 count(*) as amount,
                 string_agg('"' || n.id || '":' || n.translations, ',') filter (where n.translations <> '{}') as texts,
                 (select coalesce(max(l.position) + 1, 0) from option_values l
                   where l.tenant_id = tenant and l.product_id = p.id and l.option_id = o.id) as total
            from (
              select n.*, row_number() over (order by n.position) as place
                from option_values n
               where n.tenant_id = tenant and n.product_id = p.id and n.option_id = o.id and (v.fits or n.id = any(v.shown))
            ) n
           cross join lateral (
             select string_agg(to_json(m.name) || ':' || m.value, ',') as members from json_each(n.document::json) as m(name, value)
              where m.value::text not in ('null', '[]') and m.name not in ('@id', '@type', 'id')
           ) d
        ) n
     ) o;
end
$$;

-- Builds the stored offers of a product: the active offers of its first variants, by variant id. Null beyond 100 offers or 16 kB.
create or replace function build_product_offers(product uuid) returns text
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  built text;
  amount int;
begin
  select '{' || string_agg('"' || o.variant_id || '":[' || o.list || ']', ',' order by o.variant_id) || '}', sum(o.amount)
    into built, amount
    from (
      select a.variant_id, count(*) as amount, string_agg(offer_json(a.id, a.offer), ',' order by a.id) as list
        from (
          select v.id as variant_id, o.id, o.offer from variants v
           cross join lateral (
             select o.id, o as offer from sale_offers o where o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE') o
           where v.tenant_id = tenant and v.product_id = product and v.position < 50 limit 101
        ) a group by a.variant_id
    ) o;
  return case when amount is null then '{}' when amount <= 100 and octet_length(built) <= 16000 then built end;
end
$$;

-- Returns the rows of product_parts to store. Parts of more than 200 kB are null, and readers use the source rows.
create or replace function current_product_parts(ids uuid[]) returns setof product_parts
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select current_tenant(), b.product_id, parts_format(), case when b.is_small then b.parts end::json,
           case when b.is_small then b.translations else '{}' end::json, build_product_offers(b.product_id)::json, b.category_ids,
           b.has_metaobjects, b.is_whole
      from (
        select b.*, octet_length(b.parts) <= 200000 and octet_length(b.translations) <= 1000000 as is_small
          from build_product_parts(ids, '{"variants": 50, "variantBytes": 200000}') b
      ) b;
end
$$;

-- Returns whether two rows of stored parts have the same value.
create or replace function same_parts(one product_parts, other product_parts) returns boolean
  language sql stable parallel safe
  return (one.format, one.parts::text, one.translations::text, one.offers::text, one.category_ids, one.has_metaobjects, one.is_whole)
         is not distinct from (other.format, other.parts::text, other.translations::text, other.offers::text, other.category_ids,
                               other.has_metaobjects, other.is_whole);

-- Stores the current parts of products. An unchanged row is not written.
create or replace function refresh_product_parts(ids uuid[]) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
  insert into product_parts as p select * from current_product_parts(ids) c order by c.product_id
  on conflict (tenant_id, product_id) do update
    set format = excluded.format, parts = excluded.parts, translations = excluded.translations, offers = excluded.offers,
        category_ids = excluded.category_ids, has_metaobjects = excluded.has_metaobjects, is_whole = excluded.is_whole
    where not same_parts(p, excluded);
end
$$;

-- Stores the current offers of products, for a write that changes only offers.
create or replace function refresh_product_offers(ids uuid[]) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
  update product_parts p set offers = b.offers
    from (select each.id, build_product_offers(each.id)::json as offers from unnest(ids) as each(id) offset 0) b
   where p.tenant_id = current_tenant() and p.product_id = b.id and p.offers::text is distinct from b.offers::text;
end
$$;

-- Builds the parts of categories from their rows. Children are null if a list does not show all of them.
create or replace function build_category_parts(ids uuid[])
  returns table (category_id uuid, parts text, translations text, children uuid[], children_total int)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
begin
  return query
    select c.id, concat('{"document":{', d.members, '}', commit_members(c.version, c.created_at, c.updated_at), '}'),
           nullif(c.translations, '{}')::text, case when k.amount <= 250 then k.ids end,
           case when k.amount <= 250 then k.amount else (
             select count(*)::int from categories n where n.tenant_id = tenant and n.parent_id = c.id) end
      from unnest(ids) as a(id)
     cross join lateral (select c.* from categories c where c.tenant_id = tenant and c.id = a.id limit 1) c
     cross join lateral (
       select string_agg(to_json(m.name) || ':' || m.value, ',') as members from json_each(c.document::json) as m(name, value)
        where m.value::text not in ('null', '[]') and m.name not in ('@id', '@type', 'id')
     ) d
     cross join lateral (
       select count(*)::int as amount, coalesce(array_agg(n.id order by n.position), '{}') as ids from (
         select n.id, n.position from categories n where n.tenant_id = tenant and n.parent_id = c.id order by n.position limit 251
       ) n
     ) k;
end
$$;

-- Returns the rows of category_parts to store.
create or replace function current_category_parts(ids uuid[]) returns setof category_parts
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select current_tenant(), b.category_id, parts_format(), b.parts::json, b.translations::json, ancestors_of(b.category_id), b.children,
           b.children_total
      from build_category_parts(ids) b;
end
$$;

-- Returns whether two rows of stored parts have the same value.
create or replace function same_parts(one category_parts, other category_parts) returns boolean
  language sql stable parallel safe
  return (one.format, one.parts::text, one.translations::text, one.ancestors, one.children, one.children_total)
         is not distinct from (other.format, other.parts::text, other.translations::text, other.ancestors, other.children, other.children_total);

-- Stores the parts of categories and of their old and new parents, and the ancestors of all descendants. Deletes the rows of deleted categories.
create or replace function refresh_category_parts(ids uuid[]) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  -- The parts of a parent contain its children.
  parents uuid[] := array(
    select p.ancestors[cardinality(p.ancestors)] from category_parts p where p.tenant_id = tenant and p.category_id = any(ids) and p.ancestors <> '{}'
    union select c.parent_id from categories c where c.tenant_id = tenant and c.id = any(ids) and c.parent_id is not null);
begin
  delete from category_parts p
   where p.tenant_id = tenant and p.category_id = any(ids)
     and not exists (select from categories c where c.tenant_id = tenant and c.id = p.category_id);
  insert into category_parts as p select * from current_category_parts(array(select distinct unnest(ids || parents))) c order by c.category_id
  on conflict (tenant_id, category_id) do update
    set format = excluded.format, parts = excluded.parts, translations = excluded.translations, ancestors = excluded.ancestors,
        children = excluded.children, children_total = excluded.children_total
    where not same_parts(p, excluded);
  with recursive below(id, ancestors) as (
    select c.id, p.ancestors || p.category_id
      from category_parts p join categories c on c.tenant_id = tenant and c.parent_id = p.category_id
     where p.tenant_id = tenant and p.category_id = any(ids)
    union all
    select c.id, below.ancestors || below.id from below join categories c on c.tenant_id = tenant and c.parent_id = below.id
  )
  update category_parts p set ancestors = below.ancestors from below
   where p.tenant_id = tenant and p.category_id = below.id and p.ancestors <> below.ancestors
     and p.category_id = any(array(select id from below));
end
$$;

-- Refreshes the parts of all rows that a write changed, once, under the lock of the tenant's clock. It runs in its own statement after the
-- lock, so it sees the rows of every earlier write. changes: see complete_write().
create or replace function refresh_changed_parts(changes jsonb) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  products uuid[];
  offers uuid[];
  categories uuid[];
begin
  select array_agg(distinct case c.kind when 'products' then c.id else c."ownerId" end)
           filter (where c.kind in ('products', 'product_options', 'option_values', 'variants')),
         array_agg(distinct c.id) filter (where c.kind = 'sale_offers'),
         array_agg(distinct c.id) filter (where c.kind = 'categories')
    into products, offers, categories
    from jsonb_to_recordset(changes) as c(kind text, id uuid, "ownerId" uuid);
  if products is not null then
    perform refresh_product_parts(products);
  end if;
  if offers is not null then
    offers := array(select distinct o.product_id from sale_offers o where o.tenant_id = current_tenant() and o.id = any(offers));
    perform refresh_product_offers(array(select unnest(offers) except select unnest(products)));
  end if;
  if categories is not null then
    perform refresh_category_parts(categories);
  end if;
end
$$;

-- Returns the ids of those products and categories whose stored parts differ from their rows.
create or replace function outdated_parts(products uuid[], categories uuid[]) returns setof uuid
  language sql stable begin atomic
  select c.product_id from current_product_parts(products) c
    left join product_parts p on p.tenant_id = c.tenant_id and p.product_id = c.product_id
   where p.product_id is null or not same_parts(p, c)
  union all
  select c.category_id from current_category_parts(categories) c
    left join category_parts p on p.tenant_id = c.tenant_id and p.category_id = c.category_id
   where p.category_id is null or not same_parts(p, c);
end;

-- Stores all parts of a tenant again, after rows were written by hand or the shape of the parts changed. Each step locks the tenant's clock
-- first. Other writes may commit between the steps.
create or replace procedure refresh_all_parts(tenant uuid)
  language plpgsql as $$
declare
  products uuid[] := array['00000000-0000-0000-0000-000000000000']::uuid[];
  categories uuid[] := products;
begin
  perform set_config('app.tenant', tenant::text, false);
  while products <> '{}' or categories <> '{}' loop
    perform from tenant_clock c where c.tenant_id = tenant for update;
    products := array(select p.id from products p where p.tenant_id = tenant and p.id > products[cardinality(products)] order by p.id limit 200);
    categories := array(select c.id from categories c
                         where c.tenant_id = tenant and c.id > categories[cardinality(categories)] order by c.id limit 200);
    perform refresh_product_parts(products), refresh_category_parts(categories);
    commit;
  end loop;
end
$$;
revoke all on procedure refresh_all_parts(uuid) from public;
