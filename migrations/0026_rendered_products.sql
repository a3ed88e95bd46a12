-- Products are read as the texts that were rendered of them, as long as these hold.
--
-- A product's edition is a number that moves whenever its row changes or one of an option, a value or a variant of it: kept by
-- triggers, so that whoever writes moves it. A rendered text says of which edition it was made, and is read only while that is
-- the product's: nothing has to delete it, and no order of writers and readers can make an old one seem new.

create sequence product_edition;
grant usage on sequence product_edition to catalogue_app;

create table product_editions (
  tenant_id uuid not null,
  product_id uuid not null,
  edition bigint not null default nextval('product_edition'),
  primary key (tenant_id, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
) with (fillfactor = 70);
insert into product_editions (tenant_id, product_id) select tenant_id, id from products;

-- What readers of the service rendered, by form: how it was rendered, which is the reader's affair. `variant_ids` are those whose
-- prices the text has gaps for, in its order.
create table rendered_products (
  tenant_id uuid not null,
  product_id uuid not null,
  form text not null check (length(form) <= 200),
  edition bigint not null,
  version int not null,
  variant_ids uuid[] not null,
  text text not null check (octet_length(text) <= 32000),
  primary key (tenant_id, product_id, form),
  foreign key (tenant_id, product_id) references product_editions on delete cascade
);

create function products_begun() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  insert into product_editions (tenant_id, product_id) select n.tenant_id, n.id from new_rows n;
  return null;
end
$$;

-- Moves the editions of products, one that this transaction has moved already not once more.
create function move_editions(tenants uuid[], products uuid[]) returns void
  language sql volatile begin atomic
  update product_editions e set edition = nextval('product_edition')
    from (select distinct t, p from unnest(tenants, products) as moved(t, p)) m
   where e.tenant_id = m.t and e.product_id = m.p and e.xmin <> pg_current_xact_id()::xid;
end;

create function products_edited() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform move_editions(array_agg(n.tenant_id), array_agg(n.id)) from new_rows n;
  return null;
end
$$;

-- `rows` are those that are there now, or those that have gone.
create function owned_edited() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform move_editions(array_agg(r.tenant_id), array_agg(r.product_id)) from rows r;
  return null;
end
$$;

-- The number of its offers is no part of a variant's document.
create function variants_edited() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform move_editions(array_agg(n.tenant_id), array_agg(n.product_id))
     from new_rows n join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id
    where n.sale_offer_count = o.sale_offer_count or n.document <> o.document or n.version <> o.version
       or n.updated_at <> o.updated_at or n.position is distinct from o.position or n.status <> o.status
       or n.option_value_ids <> o.option_value_ids;
  return null;
end
$$;

create trigger editions_begin after insert on products referencing new table as new_rows
  for each statement execute function products_begun();
create trigger editions_move after update on products referencing new table as new_rows
  for each statement execute function products_edited();

create trigger editions_insert after insert on product_options referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_update after update on product_options referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_delete after delete on product_options referencing old table as rows
  for each statement execute function owned_edited();

create trigger editions_insert after insert on option_values referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_update after update on option_values referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_delete after delete on option_values referencing old table as rows
  for each statement execute function owned_edited();

create trigger editions_insert after insert on variants referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_update after update on variants referencing new table as new_rows old table as old_rows
  for each statement execute function variants_edited();
create trigger editions_delete after delete on variants referencing old table as rows
  for each statement execute function owned_edited();

call protect('product_editions');
call protect('rendered_products');

-- Keeps rendered texts: [{id, edition, version, variants, text}]. One of an edition that has passed meanwhile is of no use, and those
-- of passed ones go.
create function keep_rendered(kept_form text, kept jsonb) returns void
  language sql volatile begin atomic
  delete from rendered_products r
   using (
     -- What another reader has in hand goes the next time.
     select o.product_id, o.form from rendered_products o
       join jsonb_to_recordset(kept) as k(id uuid, edition bigint) on o.product_id = k.id and o.edition < k.edition
      where o.tenant_id = current_tenant() and o.form <> kept_form for update of o skip locked
   ) passed
   where r.tenant_id = current_tenant() and r.product_id = passed.product_id and r.form = passed.form;
  insert into rendered_products (tenant_id, product_id, form, edition, version, variant_ids, text)
  select e.tenant_id, e.product_id, kept_form, k.edition, k.version, k.variants, k.text
    from jsonb_to_recordset(kept) as k(id uuid, edition bigint, version int, variants uuid[], text text)
    join product_editions e on e.tenant_id = current_tenant() and e.product_id = k.id and e.edition = k.edition
   order by e.product_id
  on conflict (tenant_id, product_id, form) do update
    set edition = excluded.edition, version = excluded.version, variant_ids = excluded.variant_ids, text = excluded.text
    where rendered_products.edition < excluded.edition;
end;

-- What a price is resolved from: no field has a comma, a semicolon or a bar in it.
create function offer_text(o sale_offers) returns text
  language sql stable parallel safe
  return concat(o.id, ',', o.channel, ',', array_to_string(o.countries, ' '), ',', o.currency, ',', o.amount, ',', o.compare_at_amount, ',',
                instant_text(o.valid_from), ',', instant_text(o.valid_until), ',', o.priority, ',', o.min_quantity, ',',
                o.tax_included, ',', o.status);

-- The same of an offer's terms as they were recorded.
create function offer_text(o sale_offer_terms) returns text
  language sql stable parallel safe
  return concat(o.sale_offer_id, ',', o.channel, ',', array_to_string(o.countries, ' '), ',', o.currency, ',', o.amount, ',',
                o.compare_at_amount, ',', instant_text(o.valid_from), ',', instant_text(o.valid_until), ',', o.priority, ',',
                o.min_quantity, ',', o.tax_included, ',', o.status);

-- A category and those above it, the topmost first.
create function category_ancestors(asked uuid) returns json
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  above uuid[] := '{}';
  at uuid := asked;
begin
  while at is not null loop
    above := at || above;
    select c.parent_id into at from categories c where c.tenant_id = current_tenant() and c.id = above[1];
  end loop;
  return to_json(above);
end
$$;

-- As before; where no sub-categories are asked for, without looking for any.
create or replace function read_categories(asked uuid[], levels int, most_children int, with_translations boolean, with_fields boolean,
                                most_asked bigint, most_below bigint)
  returns table (id uuid, document text, translations jsonb, metaobjects json, parent_id uuid, "position" int, level int,
                 version int, created_at text, updated_at text, ancestors json, children json, children_total int)
  language plpgsql stable parallel safe rows 100 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  if levels = 0 then
    return query
      with sized as (
        select c.*, coalesce(sum(octet_length(c.document) + case when with_translations then octet_length(c.translations::text) else 0 end)
                 over (order by c.level, c.position, c.id rows between unbounded preceding and 1 preceding), 0) < most_asked as is_read
          from (select distinct unnest(asked) as id) a
         cross join lateral (
           select c.* from categories c where c.tenant_id = current_tenant() and c.id = a.id limit 1) c
      )
      select c.id, case when c.is_read then c.document end, case when with_translations and c.is_read then c.translations end,
             case when with_fields and c.metaobject_ids <> '{}' then published_metaobjects(c.metaobject_ids) end, c.parent_id, c.position, c.level,
             c.version, instant_text(c.created_at), instant_text(c.updated_at),
             case c.level when 0 then '[]' when 1 then json_build_array(c.parent_id) else category_ancestors(c.parent_id) end,
             case when k.found <= most_children then k.ids end,
             case when k.found <= most_children then k.found else (
               select count(*)::int from categories n where n.tenant_id = current_tenant() and n.parent_id = c.id) end
        from sized c
       cross join lateral (
         select count(*)::int as found, coalesce(json_agg(first.id order by first.position), '[]') as ids from (
           select n.id, n.position from categories n where n.tenant_id = current_tenant() and n.parent_id = c.id
            order by n.position limit most_children + 1
         ) first
       ) k;
    return;
  end if;
  return query
    with recursive tree(id, depth) as (
      select unnest(asked), 0
      union
      select c.id, tree.depth + 1 from tree cross join lateral (
        select c.id from categories c where c.tenant_id = current_tenant() and c.parent_id = tree.id
         order by c.position limit 10000
      ) c where tree.depth < levels
    ), above(start, id, away) as (
      select c.id, c.parent_id, 1 from (select distinct unnest(asked) as id) a cross join lateral (
        select c.id, c.parent_id from categories c where c.tenant_id = current_tenant() and c.id = a.id limit 1) c
       where c.parent_id is not null
      union all
      select above.start, c.parent_id, above.away + 1 from above cross join lateral (
        select c.parent_id from categories c where c.tenant_id = current_tenant() and c.id = above.id limit 1) c
       where c.parent_id is not null
    ), paths as (
      select above.start, json_agg(above.id order by above.away desc) as ids from above group by above.start
    ), reached as (select tree.id, min(tree.depth) as depth from tree group by tree.id),
    sized as (
      select c.*, reached.depth,
             coalesce(sum(octet_length(c.document) + case when with_translations then octet_length(c.translations::text) else 0 end)
               over (order by reached.depth, c.level, c.position, c.id rows between unbounded preceding and 1 preceding), 0)
               < case when reached.depth = 0 then most_asked else most_below end as is_read
        from reached cross join lateral (
          select c.* from categories c where c.tenant_id = current_tenant() and c.id = reached.id limit 1) c
    )
    select c.id, case when c.is_read then c.document end, case when with_translations and c.is_read then c.translations end,
           case when with_fields and c.metaobject_ids <> '{}' then published_metaobjects(c.metaobject_ids) end, c.parent_id, c.position, c.level,
           c.version, instant_text(c.created_at), instant_text(c.updated_at),
           case when c.depth = 0 then coalesce(paths.ids, '[]') end,
           case when k.found <= most_children then k.ids end,
           case when k.found <= most_children then k.found else (
             select count(*)::int from categories n where n.tenant_id = current_tenant() and n.parent_id = c.id) end
      from sized c
     cross join lateral (
       select count(*)::int as found, coalesce(json_agg(first.id order by first.position), '[]') as ids from (
         select n.id, n.position from categories n where n.tenant_id = current_tenant() and n.parent_id = c.id
          order by n.position limit most_children + 1
       ) first
     ) k
      left join paths on paths.start = c.id
     where c.depth = 0 or c.is_read;
end
$$;

-- Of a name of its own: a Worker that was deployed before goes on with read_products() until the next one is.
--
-- Products in the order asked for, each as one text, the lines of which are those below; in front of them a text with 'h', the
-- tenant's event sequence and the fields of `head`; behind them a text for each of their categories and, as deep as is asked for,
-- of those below them: 'c' and the columns of read_categories(), in their order.
--   id, document, texts, status, metaobjects, version, times, number of variants, ids of categories, ids of collections, edition
--   'o', id, document, title (JSON), texts, position, version, times, number of values           of each option
--   's', id, document, status, ids of its values, position, metaobjects, version, times, offers  of each variant
--   'v', id, id of its option, document, title (JSON), texts, position, version, times           of each value
-- What is not asked for is empty, and so is the second of the times where it is the first. Offers are those of the question's
-- channel and country that have not ended by its moment or, to be explained, all that are not archived: each as offer_text() has it,
-- with semicolons between them.
--
-- A product of which there is a rendered text, where one is asked for, is instead
--   'k', id, version, ids of categories, ids of collections, the offers of each variant with '|' between them, the text
-- the last of which has lines of its own.
--
-- form: {translations, members: of a product's document those that are wanted, or null, owned, belonging, fields: whether they
-- are wanted, variants: how many, variantBytes, valueBytes: null where all values are wanted, else beyond it those of the shown
-- variants alone, priced, explain, channel, country, at, most: bytes after which no further product is read, levels: of categories,
-- children: how many are told of a category at most, categoryBytes: of all of them, rendered: the form of the texts that will do}.
create function tell_products(ids uuid[], form jsonb, head text default '') returns setof text
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
