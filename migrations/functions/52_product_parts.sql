-- The stored parts of products and categories: compact JSON, one row each, from which the Worker builds documents
-- (types: src/resources/products/stored.ts). Each write refreshes the rows of its products and categories, see refresh_changed_parts().
-- A part omits null members and empty lists. It also omits @id, @type, id, a version of 1, and a position that equals the place in a list.

-- Returns the shape of the parts that these functions store. Rows of another shape are not read.
create or replace function parts_format() returns smallint language sql immutable parallel safe return 2::smallint;

-- Limits of lists, which the Worker has too: test/schema.test.ts compares them. Parts depend on them, so a change needs another shape.
create or replace function listed_variants() returns int language sql immutable parallel safe return 50;
create or replace function listed_variant_bytes() returns int language sql immutable parallel safe return 200000;
create or replace function listed_children() returns int language sql immutable parallel safe return 250;

-- Limits of the stored offers of a product.
create or replace function stored_offers() returns int language sql immutable parallel safe return 100;
create or replace function stored_offer_bytes() returns int language sql immutable parallel safe return 16000;

-- Returns the estimated bytes of an offer, as a row and in an explained price.
create or replace function offer_bytes() returns int language sql immutable parallel safe return 200;

-- Returns version and times as members of a JSON object, each after a comma.
create or replace function commit_members(version int, created_at timestamptz, updated_at timestamptz) returns text
  language sql stable parallel safe
  return concat(case when version <> 1 then ',"version":' || version end, ',"createdAt":"', instant_text(created_at), '"',
                case when updated_at <> created_at then ',"updatedAt":"' || instant_text(updated_at) || '"' end);

-- Returns the members of a document that a part stores, after one another. selected: their names; null for all.
create or replace function stored_members(document text, selected text[] default null) returns setof text
  language sql stable parallel safe rows 1
  begin atomic
    select string_agg(to_json(member.key) || ':' || member.value, ',') from json_each(document::json) as member
     where member.value::text not in ('null', '[]') and member.key not in ('@id', '@type', 'id')
       and (selected is null or member.key = any(selected));
  end;

-- Returns the parts of a product's first variants as a list, and what else follows from these variants.
-- The list ends after `variant_bytes`, of which each offer counts `offer_bytes`. Offers are counted at `known_at`; null for now.
create or replace function variant_parts(product uuid, most_variants int, variant_bytes bigint, offer_bytes int, known_at timestamptz,
                                         with_value_ids boolean)
  returns table (list text, amount bigint, ids uuid[], has_metaobjects boolean, value_ids uuid[])
  language sql stable parallel safe rows 1 as $$
    select string_agg(concat('{"id":"', variant.id, '","document":{', document.members, '}',
                             commit_members(variant.version, variant.created_at, variant.updated_at),
                             ',"optionValues":["' || nullif(array_to_string(variant.option_value_ids, '","'), '') || '"]',
                             case when variant.position <> variant.place - 1 then ',"position":' || variant.position end, '}'),
                      ',' order by variant.position),
           count(*), array_agg(variant.id), bool_or(variant.metaobject_ids <> '{}'),
           string_to_array(string_agg(array_to_string(variant.option_value_ids, ','), ',') filter (where with_value_ids), ',')::uuid[]
      from (
        select v.*, row_number() over (order by v.position) as place,
               coalesce(sum(octet_length(v.document) + offers.amount * offer_bytes)
                 over (order by v.position rows between unbounded preceding and 1 preceding), 0) as bytes_before
          from variants v
         cross join lateral (
           select case when offer_bytes = 0 then 0 when known_at is null then v.sale_offer_count else (
             select count(*) from sale_offer_terms o
              where o.tenant_id = current_tenant() and o.variant_id = v.id and o.known_until > known_at and o.known_from <= known_at
                and o.status <> 'ARCHIVED') end as amount
         ) offers
         where v.tenant_id = current_tenant() and v.product_id = product and v.position < most_variants order by v.position
      ) variant
     cross join lateral stored_members(variant.document) as document(members)
     where variant.bytes_before < variant_bytes;
  $$;

-- Returns the parts of an option's values as a list, their translations by id, and how many values the option has.
-- value_ids: the only values to return, unless `all_fit`.
create or replace function value_parts(product uuid, option uuid, all_fit boolean, value_ids uuid[])
  returns table (list text, amount bigint, texts text, total int)
  language sql stable parallel safe rows 1 as $$
    select string_agg(concat('{"id":"', value.id, '","document":{', document.members, '}',
                             commit_members(value.version, value.created_at, value.updated_at),
                             case when value.position <> value.place - 1 then ',"position":' || value.position end, '}'),
                      ',' order by value.position),
           count(*),
           string_agg('"' || value.id || '":' || value.translations, ',') filter (where value.translations <> '{}'),
           (select coalesce(max(v.position) + 1, 0) from option_values v
             where v.tenant_id = current_tenant() and v.product_id = product and v.option_id = option)
      from (
        select v.*, row_number() over (order by v.position) as place from option_values v
         where v.tenant_id = current_tenant() and v.product_id = product and v.option_id = option and (all_fit or v.id = any(value_ids))
      ) value
     cross join lateral stored_members(value.document) as document(members);
  $$;

-- Returns the parts of a product's options as a list, and the translations of options and values by id; null unless `owned`.
-- Beyond `value_bytes` of all values, only those of `value_ids` are included; null for all.
create or replace function option_parts(product uuid, owned boolean, value_bytes bigint, value_ids uuid[]) returns table (list text, texts text)
  language sql stable parallel safe rows 1 as $$
    select string_agg(concat('{"id":"', option.id, '","document":{', document.members, '}',
                             commit_members(option.version, option.created_at, option.updated_at), ',"values":[' || value.list || ']',
                             case when option.position <> option.place - 1 then ',"position":' || option.position end,
                             case when value.total <> value.amount then ',"valuesTotal":' || value.total end, '}'),
                      ',' order by option.position),
           string_agg(concat_ws(',', case when option.translations <> '{}' then '"' || option.id || '":' || option.translations end,
                                value.texts), ',') filter (where option.translations <> '{}' or value.texts is not null)
      from (
        select value_bytes is null or coalesce(sum(octet_length(v.document) + octet_length(v.translations::text)), 0) <= value_bytes as all_fit
          from option_values v where v.tenant_id = current_tenant() and v.product_id = product and value_bytes is not null
      ) size
     cross join (
       select o.*, row_number() over (order by o.position) as place
         from product_options o where o.tenant_id = current_tenant() and o.product_id = product and owned
     ) option
     cross join lateral stored_members(option.document) as document(members)
     cross join lateral value_parts(product, option.id, size.all_fit, value_ids) value;
  $$;

-- Returns the texts of a product in all locales. selected: the names of the texts; null for all.
create or replace function product_texts(translations jsonb, selected text[]) returns setof text
  language sql stable parallel safe rows 1
  begin atomic
    select case when selected is null then translations::text else (
             select coalesce(jsonb_object_agg(locale.key, (
                      select coalesce(jsonb_object_agg(member.key, member.value), '{}') from jsonb_each(locale.value) as member
                       where member.key = any(selected))), '{}')::text
               from jsonb_each(translations) as locale) end;
  end;

-- Builds the parts of products from their rows, for refresh_product_parts() and for reads that need other variants or offers.
-- options: {maxVariants: null omits options and variants. maxVariantBytes. maxValueBytes: the size of option values, beyond which only those of
-- the variants are included; null for all. selectedMembers: of the product's document; null for all. bytesPerOffer: counted for each offer.
-- knownAt: the moment at which offers are counted; null for now}
-- Postgres inlines the functions that return lists, so this is planned as one query.
create or replace function build_product_parts(ids uuid[], options jsonb)
  returns table (product_id uuid, parts text, translations text, category_ids uuid[], variant_ids uuid[], has_metaobjects boolean,
                 is_whole boolean)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
  most_variants int := options ->> 'maxVariants';
  variant_bytes bigint := coalesce((options ->> 'maxVariantBytes')::bigint, 9223372036854775807);
  value_bytes bigint := options ->> 'maxValueBytes';
  selected text[] := case when options ->> 'selectedMembers' is not null then array(select jsonb_array_elements_text(options -> 'selectedMembers')) end;
  offer_bytes int := coalesce((options ->> 'bytesPerOffer')::int, 0);
  known_at timestamptz := options ->> 'knownAt';
begin
  return query
    select product.id,
           concat('{"document":{', document.members, '}', commit_members(product.version, product.created_at, product.updated_at),
                  ',"collections":[' || (
                    select string_agg('"' || c.collection_id || '"', ',' order by c.collection_id) from product_collections c
                     where c.tenant_id = tenant and c.product_id = product.id) || ']',
                  ',"options":[' || option.list || ']', ',"variants":[' || variant.list || ']',
                  case when total.amount <> variant.amount then ',"variantsTotal":' || total.amount end, '}'),
           concat('{', concat_ws(',', case when product.translations <> '{}' then '"' || product.id || '":' || own.texts end, option.texts), '}'),
           array(select c.category_id from product_categories c where c.tenant_id = tenant and c.product_id = product.id order by c.position),
           variant.ids, product.metaobject_ids <> '{}' or coalesce(variant.has_metaobjects, false), total.amount = variant.amount
      from unnest(ids) as each(id)
     cross join lateral (select p.* from products p where p.tenant_id = tenant and p.id = each.id limit 1) product
     cross join lateral stored_members(product.document, selected) as document(members)
     cross join lateral product_texts(product.translations, selected) as own(texts)
     cross join lateral (
       select coalesce(max(v.position) + 1, 0) as amount from variants v where v.tenant_id = tenant and v.product_id = product.id
     ) total
     cross join lateral variant_parts(product.id, most_variants, variant_bytes, offer_bytes, known_at, value_bytes is not null) variant
     cross join lateral option_parts(product.id, most_variants is not null, value_bytes, variant.value_ids) option;
end
$$;

-- Builds the stored offers of a product: the active offers of its first variants, by variant id. Null beyond the limits.
create or replace function build_product_offers(product uuid) returns text
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  built text;
  amount int;
begin
  select '{' || string_agg('"' || variant.id || '":[' || variant.offers || ']', ',' order by variant.id) || '}', sum(variant.amount)
    into built, amount
    from (
      select active.variant_id as id, count(*) as amount, string_agg(offer_json(active.id, active.offer), ',' order by active.id) as offers
        from (
          select v.id as variant_id, offers.id, offers.offer from variants v
           cross join lateral (
             select o.id, o as offer from sale_offers o where o.tenant_id = tenant and o.variant_id = v.id and o.status = 'ACTIVE') offers
           where v.tenant_id = tenant and v.product_id = product and v.position < listed_variants() limit stored_offers() + 1
        ) active group by active.variant_id
    ) variant;
  return case when amount is null then '{}' when amount <= stored_offers() and octet_length(built) <= stored_offer_bytes() then built end;
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
          from build_product_parts(ids, jsonb_build_object('maxVariants', listed_variants(), 'maxVariantBytes', listed_variant_bytes())) b
      ) b;
end
$$;

-- Returns whether two rows of stored parts have the same value.
create or replace function same_parts(one product_parts, other product_parts) returns boolean
  language sql stable parallel safe
  return (one.format, one.parts::text, one.translations::text, one.offers::text, one.category_ids, one.has_metaobjects, one.is_whole)
         is not distinct from (other.format, other.parts::text, other.translations::text, other.offers::text, other.category_ids,
                               other.has_metaobjects, other.is_whole);

-- Returns the rows of product_values to store: the values of options that active variants use, and those of custom fields with a countable type.
-- Longer texts than a filter can contain are omitted.
create or replace function current_product_values(ids uuid[]) returns setof product_values
  language plpgsql stable parallel safe rows 300 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
begin
  return query
    select tenant, 'option.' || o.title, x.title, o.product_id, bit_or(set_bit(none.bits, v.position, 1))::varbit
      from unnest(ids) as each(id)
     cross join lateral (
       select repeat('0', max(v.position) + 1)::varbit as bits from variants v where v.tenant_id = tenant and v.product_id = each.id
     ) none
     cross join lateral (
       select v.position, v.option_value_ids from variants v
        where v.tenant_id = tenant and v.product_id = each.id and v.position is not null offset 0
     ) v
     cross join lateral unnest(v.option_value_ids) as used(id)
     -- Look-ups: without statistics, Postgres would join all values and variants of the tenant.
     cross join lateral (
       select x.title, x.option_id from option_values x where x.tenant_id = tenant and x.id = used.id limit 1
     ) x
     cross join lateral (
       select o.title, o.product_id from product_options o where o.tenant_id = tenant and o.id = x.option_id and o.title is not null limit 1
     ) o
     group by o.product_id, o.title, x.title;
  return query
    select distinct tenant, 'fields.' || field.key, entry.value, p.id, null::varbit
      from products p
     cross join lateral json_to_recordset(p.document::json -> 'fields') as field(key text, value text, type text)
     cross join lateral (
       select substring(field.type from '^/api/metafield_definition_types/(?:list\.)?(single_line_text_field|boolean|number_integer|number_decimal)$') as base,
              field.type like '%/list.%' as is_list
     ) countable
     cross join lateral (
       select element.value from json_array_elements_text(case when countable.is_list then field.value::json end) as element(value)
       union all select field.value where not countable.is_list
     ) entry
     where p.tenant_id = tenant and p.id = any(ids) and countable.base is not null and length(entry.value) between 1 and 255;
end
$$;

-- Stores the current values of products. An unchanged row is not written.
create or replace function refresh_product_values(ids uuid[]) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
  with current as materialized (select * from current_product_values(ids)),
  gone as (
    delete from product_values r
     where r.tenant_id = current_tenant() and r.product_id = any(ids)
       and not exists (select from current c where c.product_id = r.product_id and c.name = r.name and c.value = r.value)
  )
  insert into product_values as r select * from current c order by c.name, c.value, c.product_id
  on conflict (tenant_id, name, value, product_id) do update set variants = excluded.variants
    where r.variants is distinct from excluded.variants;
end
$$;

-- Stores the current parts and values of products. An unchanged row is not written.
create or replace function refresh_product_parts(ids uuid[]) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
  perform refresh_product_values(ids);
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
    select category.id,
           concat('{"document":{', document.members, '}', commit_members(category.version, category.created_at, category.updated_at), '}'),
           nullif(category.translations, '{}')::text, children.ids, children.total
      from unnest(ids) as each(id)
     cross join lateral (select c.* from categories c where c.tenant_id = tenant and c.id = each.id limit 1) category
     cross join lateral stored_members(category.document) as document(members)
     cross join lateral children_of(category.id, listed_children()) children;
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
