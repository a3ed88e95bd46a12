-- Resources that products embed or belong to: categories, metaobjects, and the rules of collections.

-- Limits that the Worker has too: test/schema.test.ts compares them.
create or replace function embedded_bytes() returns int language sql immutable parallel safe return 64000;
create or replace function maximum_children() returns int language sql immutable parallel safe return 10000;

-- Returns how often the rules of the tenant's collections changed, and the rules unless the caller knows that version.
create or replace function read_rules(known_version int) returns table (version int, collections json)
  language plpgsql stable rows 1 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
  own_version int := coalesce((select r.version from collection_rules r where r.tenant_id = tenant), 0);
begin
  return query select own_version, case when own_version is distinct from known_version then (
    select coalesce(json_agg(json_build_object('id', c.id, 'rules', c.rules)), '[]') from collections c
     where c.tenant_id = tenant and c.rules is not null) end;
end
$$;

-- Returns the published metaobjects among some ids, each with its definition; null without any.
-- Metaobjects are complete in the order of `ids` until embedded_bytes() are read; the rest have only their id.
-- It is a function so that Postgres plans it only if a row refers to metaobjects, which most rows do not.
create or replace function published_metaobjects(ids uuid[]) returns json
  language plpgsql stable parallel safe as $$
begin
  return (
    with published as (
      select m.*, d.document as definition, requested.place,
             coalesce(sum(octet_length(m.document) + octet_length(m.fields::text) + octet_length(m.translations::text)
                          + octet_length(d.document))
               over (order by requested.place rows between unbounded preceding and 1 preceding), 0) as before
        from unnest(ids) with ordinality as requested(id, place)
        join metaobjects m on m.tenant_id = current_tenant() and m.id = requested.id
        join metaobject_definitions d on d.tenant_id = m.tenant_id and d.id = m.definition_id
       where m.status = 'ACTIVE'
    )
    select json_agg(
             case when before < embedded_bytes() then json_build_object(
               'id', id, 'definitionId', definition_id, 'document', document, 'status', status, 'fields', fields,
               'translations', translations, 'version', version, 'createdAt', instant_text(created_at),
               'updatedAt', instant_text(updated_at), 'definition', definition)
             else json_build_object('id', id) end order by place)
      from published);
end
$$;

-- Returns the ids of the categories above one, the root first.
create or replace function ancestors_of(category uuid) returns uuid[]
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  above uuid[] := '{}';
  at uuid := (select c.parent_id from categories c where c.tenant_id = current_tenant() and c.id = category);
begin
  while at is not null loop
    above := at || above;
    at := (select c.parent_id from categories c where c.tenant_id = current_tenant() and c.id = above[1]);
  end loop;
  return above;
end
$$;

-- Returns the number of a category's children, and their ids in order; null if there are more than `most`.
create or replace function children_of(category uuid, most int) returns table (ids uuid[], total int)
  language sql stable parallel safe rows 1
  begin atomic
    select case when count(*) <= most then coalesce(array_agg(first.id order by first.position), '{}') end,
           case when count(*) <= most then count(*)::int else (
             select count(*)::int from categories c where c.tenant_id = current_tenant() and c.parent_id = category) end
      from (
        -- As in read_categories(), by a range and the order of one index.
        select c.id, c.position from categories c
         where c.tenant_id = current_tenant() and c.parent_id >= category and c.parent_id <= category
         order by c.parent_id, c.position limit most + 1
      ) first;
  end;

-- Returns categories with their ancestors and children, and `levels` of descendants as rows of their own.
-- Up to `most_children` ids of children are returned for each category, and none if it has more.
-- Times are empty before the commit that creates the category. Documents are null beyond `most_bytes` and `most_bytes_below` bytes, the requested categories first, which bounds the data that is moved.
create or replace function read_categories(ids uuid[], levels int, most_children int, with_translations boolean, with_fields boolean,
                                most_bytes bigint, most_bytes_below bigint)
  returns table (id uuid, document text, translations jsonb, metaobjects json, parent_id uuid, "position" int, level int,
                 version int, created_at text, updated_at text, ancestors json, children json, children_total int)
  -- Below, an id is found by a range and an order that one index has. Without sorts Postgres takes that index. With an equality, a plan from
  -- when tenants had few categories takes any index of the tenant, and reads all of its categories for each id.
  language plpgsql stable parallel safe rows 100 set plan_cache_mode = force_generic_plan set enable_sort = off as $$
#variable_conflict use_column
begin
  -- Postgres may keep plans from when the tenant had few categories. The plan of the other query would then read all categories for each.
  if levels = 0 then
    return query
      with sized as (
        select c.*, coalesce(sum(octet_length(c.document) + case when with_translations then octet_length(c.translations::text) else 0 end)
                 over (order by c.level, c.position, c.id rows between unbounded preceding and 1 preceding), 0) < most_bytes as is_read
          from (select distinct unnest(ids) as id) each
         cross join lateral (
           select c.* from categories c where c.tenant_id = current_tenant() and c.id >= each.id and c.id <= each.id order by c.id limit 1) c
      )
      select c.id, case when c.is_read then c.document end, case when with_translations and c.is_read then c.translations end,
             case when with_fields and c.metaobject_ids <> '{}' then published_metaobjects(c.metaobject_ids) end, c.parent_id, c.position,
             c.level, c.version, coalesce(instant_text(c.created_at), ''), coalesce(instant_text(c.updated_at), ''),
             case c.level when 0 then '[]' when 1 then json_build_array(c.parent_id) else to_json(ancestors_of(c.id)) end,
             to_json(children.ids), children.total
        from sized c
       cross join lateral children_of(c.id, most_children) children;
    return;
  end if;
  return query
    with recursive tree(id, depth) as (
      select unnest(ids), 0
      union
      select c.id, tree.depth + 1 from tree cross join lateral (
        select c.id from categories c where c.tenant_id = current_tenant() and c.parent_id >= tree.id and c.parent_id <= tree.id
         order by c.parent_id, c.position limit maximum_children()
      ) c where tree.depth < levels
    ), reached as (select tree.id, min(tree.depth) as depth from tree group by tree.id),
    sized as (
      select c.*, reached.depth,
             coalesce(sum(octet_length(c.document) + case when with_translations then octet_length(c.translations::text) else 0 end)
               over (order by reached.depth, c.level, c.position, c.id rows between unbounded preceding and 1 preceding), 0)
               < case when reached.depth = 0 then most_bytes else most_bytes_below end as is_read
        from reached cross join lateral (
          select c.* from categories c where c.tenant_id = current_tenant() and c.id >= reached.id and c.id <= reached.id order by c.id limit 1) c
    )
    select c.id, case when c.is_read then c.document end, case when with_translations and c.is_read then c.translations end,
           case when with_fields and c.metaobject_ids <> '{}' then published_metaobjects(c.metaobject_ids) end, c.parent_id, c.position, c.level,
           c.version, coalesce(instant_text(c.created_at), ''), coalesce(instant_text(c.updated_at), ''),
           case when c.depth > 0 then null when c.level = 0 then '[]' when c.level = 1 then json_build_array(c.parent_id)
                else to_json(ancestors_of(c.id)) end,
           to_json(children.ids), children.total
      from sized c
     cross join lateral children_of(c.id, most_children) children
     where c.depth = 0 or c.is_read;
end
$$;
