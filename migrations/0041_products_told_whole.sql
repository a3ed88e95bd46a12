-- A product that was rendered before is told by what is kept of it alone: beside its text what it belongs to and its offers, and of
-- categories the lines that were read of them. Each says of which state it was read, and is told only while that is the one there is.

-- What a product belongs to is of its edition, as its text is.
create trigger editions_insert after insert on product_categories referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_update after update on product_categories referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_delete after delete on product_categories referencing old table as rows
  for each statement execute function owned_edited();
create trigger editions_insert after insert on product_collections referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_update after update on product_collections referencing new table as rows
  for each statement execute function owned_edited();
create trigger editions_delete after delete on product_collections referencing old table as rows
  for each statement execute function owned_edited();

-- belonging: ids of categories and of collections, as tell_products() has them, with a tab between them; null where it is not known.
-- offers: the ACTIVE ones of each of its variants, as offer_text() has them, with semicolons and '|' between them, when the last change
-- of any of the product's offers was that of `offers_at`; null where they are more than are kept.
alter table rendered_products add belonging text, add offers text, add offers_at timestamptz;

-- When a product's offers were last changed. Changes of a tenant have moments of their own, in the order of their commits.
create index sale_offers_changed on sale_offers (tenant_id, product_id, updated_at);
create function offers_changed_at(product uuid) returns timestamptz
  language sql stable parallel safe
  return coalesce((select o.updated_at from sale_offers o where o.tenant_id = current_tenant() and o.product_id = product
                    order by o.updated_at desc limit 1), '-infinity');

-- A number that moves with every commit in which a category changes: what is told of one has others in it, those above and below.
alter table tenant_clock add category_edition bigint not null default 0;

-- As before; with it moves that number.
create or replace function move_clock(changes jsonb, out first_at timestamptz, out first_sequence bigint)
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
<<this>>
declare
  tenant uuid := current_tenant();
  amount int := jsonb_array_length(changes);
  told int;
  categories int;
begin
  select count(c.topic), count(*) filter (where c.kind = 'categories') into told, categories
    from jsonb_to_recordset(changes) as c(topic text, kind text);
  update tenant_clock t
     set last_at = greatest(clock_timestamp(), t.last_at + interval '1 microsecond') + (amount - 1) * interval '1 microsecond',
         sequence = t.sequence + told, category_edition = t.category_edition + categories
   where t.tenant_id = tenant
  returning t.last_at - (amount - 1) * interval '1 microsecond', t.sequence - told + 1 into first_at, first_sequence;
  if first_at is null then
    raise exception 'no clock for tenant %', tenant;
  end if;
end
$$;

-- Lines of categories as tell_products() tells them, by form: whether with translations, and how many children are named.
create table rendered_categories (
  tenant_id uuid not null,
  category_id uuid not null,
  form text not null check (length(form) <= 50),
  edition bigint not null,
  line text not null check (octet_length(line) <= 32000),
  primary key (tenant_id, category_id, form),
  foreign key (tenant_id, category_id) references categories (tenant_id, id) on delete cascade
);
call protect('rendered_categories');

create function category_lines(asked uuid[], levels int, children int, with_translations boolean, bytes bigint)
  returns table (id uuid, line text, refers boolean)
  language sql stable parallel safe begin atomic
  select c.id,
         concat(e'c\t', c.id, e'\t', c.document, e'\t', c.translations, e'\t', c.metaobjects, e'\t', c.parent_id, e'\t',
                c.position, e'\t', c.level, e'\t', c.version, e'\t', c.created_at, e'\t', c.updated_at, e'\t', c.ancestors,
                e'\t', c.children, e'\t', c.children_total),
         c.metaobjects is not null
    from read_categories(asked, levels, children, with_translations, true, bytes, bytes) c;
end;

-- Keeps the lines of categories that refer to no metaobject, and of none that somebody is about to delete.
create function keep_categories(asked uuid[], children int, with_translations boolean) returns void
  language sql volatile begin atomic
  insert into rendered_categories (tenant_id, category_id, form, edition, line)
  select current_tenant(), c.id, concat(with_translations, ' ', children), e.category_edition, c.line
    from tenant_clock e, category_lines(asked, 0, children, with_translations, 1000000) c
    join categories k on k.tenant_id = current_tenant() and k.id = c.id
   where e.tenant_id = current_tenant() and not c.refers and octet_length(c.line) <= 32000
   order by c.id for key share of k skip locked
  on conflict (tenant_id, category_id, form) do update
    set edition = excluded.edition, line = excluded.line where rendered_categories.edition < excluded.edition;
end;

-- Keeps what products belong to, and their offers, beside texts that stand: as one snapshot has them.
create function complete_rendered(kept_form text, ids uuid[]) returns void
  language sql volatile begin atomic
  update rendered_products r
     set belonging = f.belonging, offers = case when octet_length(f.offers) <= 4000 then f.offers end, offers_at = f.offers_at
    from (
      select r.product_id, r.edition,
             concat((select string_agg(c.category_id::text, ',' order by c.position) from product_categories c
                      where c.tenant_id = r.tenant_id and c.product_id = r.product_id), e'\t',
                    (select string_agg(c.collection_id::text, ',' order by c.collection_id) from product_collections c
                      where c.tenant_id = r.tenant_id and c.product_id = r.product_id)) as belonging,
             case when (select count(*) from (select from sale_offers o where o.tenant_id = r.tenant_id and o.product_id = r.product_id limit 101) o) <= 100 then
               (select string_agg((
                select coalesce(string_agg(offer_text(o), ';'), '') from sale_offers o
                 where o.tenant_id = r.tenant_id and o.variant_id = v.id and o.status = 'ACTIVE'), '|' order by v.place)
                from unnest(r.variant_ids) with ordinality as v(id, place)) end as offers,
             offers_changed_at(r.product_id) as offers_at
        from rendered_products r
        join product_editions e on e.tenant_id = r.tenant_id and e.product_id = r.product_id and e.edition = r.edition
       where r.tenant_id = current_tenant() and r.form = kept_form and r.product_id = any(ids)
         for update of r skip locked
    ) f
   where r.tenant_id = current_tenant() and r.product_id = f.product_id and r.form = kept_form and r.edition = f.edition;
end;

-- As before, and what a text has beside it goes with the one before.
create or replace function keep_rendered(kept_form text, kept jsonb) returns void
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
    set edition = excluded.edition, version = excluded.version, variant_ids = excluded.variant_ids, text = excluded.text,
        belonging = null, offers = null, offers_at = null
    where rendered_products.edition < excluded.edition;
end;

-- Keeps what was read row by row: rendered texts, as keep_rendered() takes them, what stands beside these and those that were not whole,
-- and categories.
create function keep_read(kept_form text, kept jsonb, partial uuid[], categories uuid[], children int, with_translations boolean) returns void
  language sql volatile begin atomic
  select keep_rendered(kept_form, kept);
  select complete_rendered(kept_form, partial || array(select k.id from jsonb_to_recordset(kept) as k(id uuid)));
  select keep_categories(categories, children, with_translations);
end;

-- What tell_products() tells, of products in any order: those of which everything is kept by that alone, the others by it, as long as
-- all have room. Behind what could be kept and is not stands one more field, '+': behind a rendered text whose offers or belonging
-- are not known, and behind a category that was looked for and is not kept. Kept offers are those of all channels and countries; who reads them chooses.
create function tell_kept_products(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
<<this>>
declare
  tenant uuid := current_tenant();
  rendered_form text := form ->> 'rendered';
  priced boolean := form ->> 'priced';
  most bigint := form ->> 'most';
  children int := form ->> 'children';
  with_translations boolean := form ->> 'translations';
  category_bytes bigint := form ->> 'categoryBytes';
  kept text[];
  others uuid[];
  partial uuid[];
  rest text[];
  belonging text;
  missing uuid[];
  category_form text;
  edition bigint;
begin
  if rendered_form is not null and (form ->> 'belonging')::boolean and (form ->> 'levels')::int = 0
     -- Of a collection that is gone products keep the memberships until it is rebuilt, and nothing shows them.
     and not exists (select from collection_rebuilds b where b.tenant_id = tenant) then
    select array_agg(k.line) filter (where k.line is not null), array_agg(asked.id) filter (where k.line is null),
           array_agg(asked.id) filter (where k.is_partial), string_agg(nullif(split_part(k.belonging, e'\t', 1), ''), ','), most - coalesce(sum(octet_length(k.line)), 0) * 4
      into kept, others, partial, belonging, most
      from unnest(ids) as asked(id)
      left join lateral (
        select case when r.belonging is not null and (not priced or (r.offers is not null and r.offers_at = f.at)) then
                 concat(e'k\t', asked.id, e'\t', r.version, e'\t', r.belonging, e'\t', case when priced then r.offers end, e'\t', r.text) end as line,
               r.belonging is null or (priced and r.offers_at is distinct from f.at) as is_partial, r.belonging
          from product_editions e
          join rendered_products r on r.tenant_id = e.tenant_id and r.product_id = e.product_id and r.form = rendered_form and r.edition = e.edition
          left join lateral (select offers_changed_at(e.product_id) as at) f on priced
         where e.tenant_id = tenant and e.product_id = asked.id limit 1
      ) k on true;
  end if;
  if kept is null or most <= 0 then
    kept := null;
    rest := array(select tell_products(ids, form, head));
  elsif others is not null then
    rest := array(select tell_products(others, form || jsonb_build_object('most', most), head));
    -- One for which there is no room is followed by none.
    if (select count(*) from unnest(rest) as r(line) where not starts_with(r.line, e'h\t') and not starts_with(r.line, e'c\t')) < cardinality(others) then
      kept := null;
      rest := array(select tell_products(ids, form, head));
    end if;
  else
    return next concat(e'h\t', (select c.sequence from tenant_clock c where c.tenant_id = tenant), e'\t', head);
  end if;
  if rest is not null then
    return query
      select case when starts_with(r.line, e'k\t') and split_part(r.line, e'\t', 2)::uuid = any(partial) then r.line || e'\t+' else r.line end
        from unnest(rest) as r(line);
  end if;
  if kept is null then
    return;
  end if;
  return query select r.line from unnest(kept) as r(line);
  category_form := concat(with_translations, ' ', children);
  select c.category_edition into edition from tenant_clock c where c.tenant_id = tenant;
  select array_agg(k.line) filter (where k.line is not null), array_agg(asked.id) filter (where k.line is null), category_bytes - coalesce(sum(octet_length(k.line)), 0)
    into kept, missing, category_bytes
    from (select distinct unnest(string_to_array(belonging, ','))::uuid as id) as asked
    left join lateral (
      select c.line from rendered_categories c
       where c.tenant_id = tenant and c.category_id = asked.id and c.form = category_form and c.edition = this.edition limit 1
    ) k on true;
  if category_bytes <= 0 then
    missing := array(select distinct unnest(string_to_array(belonging, ','))::uuid);
    category_bytes := form ->> 'categoryBytes';
    kept := null;
  end if;
  return query select k.line from unnest(kept) as k(line);
  if missing is not null then
    return query
      select case when c.refers or octet_length(c.line) > 32000 then c.line else c.line || e'\t+' end
        from category_lines(missing, 0, children, with_translations, category_bytes) c;
  end if;
end
$$;

-- As before, of products that are told so.
do $$
begin
  execute replace(pg_get_functiondef('read_products_prior(uuid[], jsonb, text)'::regprocedure), 'tell_products(ids', 'tell_kept_products(ids');
end
$$;
