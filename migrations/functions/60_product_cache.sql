-- Rendered products. A text names the edition of the product that it was rendered from. It is read only while that is the current edition,
-- so nothing has to delete it, and no order of writers and readers can make an old text look new.

-- Moves the editions of products; an edition that this transaction moved already stays.
-- PL/pgSQL keeps the plan: a SQL function would be prepared again for each trigger call.
create or replace function move_editions(tenants uuid[], products uuid[]) returns void
  language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
  update product_editions e set edition = nextval('product_edition')
    from (select distinct t, p from unnest(tenants, products) as moved(t, p)) m
   where e.tenant_id = m.t and e.product_id = m.p and e.xmin <> pg_current_xact_id()::xid;
end
$$;

-- Returns when the offers of a product last changed.
create or replace function offers_changed_at(product uuid) returns timestamptz
  language sql stable parallel safe
  return coalesce((select o.updated_at from sale_offers o where o.tenant_id = current_tenant() and o.product_id = product
                    order by o.updated_at desc limit 1), '-infinity');

-- Returns categories as the lines that tell_products() returns, and whether they refer to metaobjects.
create or replace function category_lines(asked uuid[], levels int, children int, with_translations boolean, bytes bigint)
  returns table (id uuid, line text, refers boolean)
  language sql stable parallel safe begin atomic
  select c.id,
         concat(e'c\t', c.id, e'\t', c.document, e'\t', c.translations, e'\t', c.metaobjects, e'\t', c.parent_id, e'\t',
                c.position, e'\t', c.level, e'\t', c.version, e'\t', c.created_at, e'\t', c.updated_at, e'\t', c.ancestors,
                e'\t', c.children, e'\t', c.children_total),
         c.metaobjects is not null
    from read_categories(asked, levels, children, with_translations, true, bytes, bytes) c;
end;

-- Stores the lines of categories that refer to no metaobject. Categories that are being deleted are skipped.
create or replace function keep_categories(asked uuid[], children int, with_translations boolean) returns void
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

-- Stores the categories, collections, offers and recorded terms of products next to their rendered texts, from one snapshot.
create or replace function complete_rendered(kept_form text, ids uuid[]) returns void
  language sql volatile begin atomic
  update rendered_products r
     set belonging = f.belonging, offers = case when octet_length(f.offers) <= 4000 then f.offers end, offers_at = f.offers_at,
         prior_terms = case when octet_length(f.prior_terms) <= 8000 then f.prior_terms else '-' end
    from (
      select r.product_id, r.edition, b.belonging, o.offers, t.prior_terms, offers_changed_at(r.product_id) as offers_at
        from rendered_products r
        join product_editions e on e.tenant_id = r.tenant_id and e.product_id = r.product_id and e.edition = r.edition
       cross join lateral (
         select concat((select string_agg(c.category_id::text, ',' order by c.position) from product_categories c
                         where c.tenant_id = r.tenant_id and c.product_id = r.product_id), e'\t',
                       (select string_agg(c.collection_id::text, ',' order by c.collection_id) from product_collections c
                         where c.tenant_id = r.tenant_id and c.product_id = r.product_id)) as belonging
       ) b
        left join lateral (
          select string_agg((
            select coalesce(string_agg(offer_text(o), ';' order by o.id), '') from sale_offers o
             where o.tenant_id = r.tenant_id and o.variant_id = v.id and o.status = 'ACTIVE'), '|' order by v.place) as offers
            from unnest(r.variant_ids) with ordinality as v(id, place)
        ) o on (select count(*) from (select from sale_offers o where o.tenant_id = r.tenant_id and o.product_id = r.product_id limit 101) o) <= 100
        left join lateral (
          select case when bool_and(t.told is not null) then string_agg(t.told, '|' order by v.place) end as prior_terms
            from unnest(r.variant_ids) with ordinality as v(id, place)
           cross join lateral (
             select case when a.is_compared is not true then '' when a.are_all and p.amount <= 12 then concat(a.told, p.told) end as told
               from (
                 select bool_or(o.compare_at_amount is not null) as is_compared, bool_and(t.known_from is not null) as are_all,
                        string_agg(instant_text(t.known_from), ',' order by o.id) as told
                   from sale_offers o
                   left join sale_offer_terms t
                     on t.tenant_id = o.tenant_id and t.sale_offer_id = o.id and t.known_until = 'infinity'
                  where o.tenant_id = r.tenant_id and o.variant_id = v.id and o.status = 'ACTIVE'
               ) a
              cross join lateral (
                select count(*) as amount,
                       string_agg(concat(';', t.told), '' order by t.known_until) as told
                  from (
                    select concat(offer_text(t), ',', instant_text(t.known_from), ',', instant_text(t.known_until)) as told, t.known_until
                      from sale_offer_terms t
                     where a.is_compared and t.tenant_id = r.tenant_id and t.variant_id = v.id and t.known_until < 'infinity'
                       and t.status = 'ACTIVE' and t.min_quantity <= 1
                     limit 13
                  ) t
              ) p
           ) t
        ) t on o.offers is not null
       where r.tenant_id = current_tenant() and r.form = kept_form and r.product_id = any(ids)
         for update of r skip locked
    ) f
   where r.tenant_id = current_tenant() and r.product_id = f.product_id and r.form = kept_form and r.edition = f.edition;
end;

-- Stores rendered texts: [{id, edition, version, variants, text}]. A text of a past edition is not stored, and older ones are deleted.
create or replace function keep_rendered(kept_form text, kept jsonb) returns void
  language sql volatile begin atomic
  delete from rendered_products r
   using (
     -- Rows that another reader has locked are deleted the next time.
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

-- Stores everything that was read row by row: texts, the data next to them, and categories.
create or replace function keep_read(kept_form text, kept jsonb, partial uuid[], categories uuid[], children int, with_translations boolean) returns void
  language sql volatile begin atomic
  select keep_rendered(kept_form, kept);
  select complete_rendered(kept_form, partial || array(select k.id from jsonb_to_recordset(kept) as k(id uuid)));
  select keep_categories(categories, children, with_translations);
end;

-- Returns products as tell_products() does, in any order: complete cached products from the cache, the others from their rows.
-- One more field, '+', marks a line that could be stored but is not: a rendered text without its data, or a category.
-- Cached offers are those of all channels and countries; the reader selects. If `form.keptTerms` is set, lines of products with cached
-- terms begin with 'K' and end with them. The last change of offers is looked up in the statement, because a function call per product is slower.
create or replace function tell_kept_products(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
<<this>>
declare
  tenant uuid := current_tenant();
  rendered_form text := form ->> 'rendered';
  priced boolean := form ->> 'priced';
  with_terms boolean := coalesce((form ->> 'keptTerms')::boolean, false);
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
     -- Products keep memberships of a deleted collection until its rebuild, and responses must not show them.
     and not exists (select from collection_rebuilds b where b.tenant_id = tenant) then
    select array_agg(k.line) filter (where k.line is not null), array_agg(asked.id) filter (where k.line is null),
           array_agg(asked.id) filter (where k.is_partial), string_agg(nullif(split_part(k.belonging, e'\t', 1), ''), ','), most - coalesce(sum(octet_length(k.line)), 0) * 4
      into kept, others, partial, belonging, most
      from unnest(ids) as asked(id)
      left join lateral (
        select case when r.belonging is not null and (not priced or (r.offers is not null and r.offers_at = f.at))
                     and not (with_terms and r.prior_terms is null) then
                 concat(case when with_terms and r.prior_terms <> '-' then 'K' else 'k' end, e'\t', asked.id, e'\t', r.version, e'\t',
                        r.belonging, e'\t', case when priced then r.offers end, e'\t', r.text,
                        case when with_terms and r.prior_terms <> '-' then e'\t' || r.prior_terms end) end as line,
               r.belonging is null or (priced and r.offers_at is distinct from f.at) or (with_terms and r.prior_terms is null) as is_partial,
               r.belonging
          from product_editions e
          join rendered_products r on r.tenant_id = e.tenant_id and r.product_id = e.product_id and r.form = rendered_form and r.edition = e.edition
          left join lateral (
            select coalesce((select o.updated_at from sale_offers o where o.tenant_id = tenant and o.product_id = e.product_id
                              order by o.updated_at desc limit 1), '-infinity') as at
          ) f on priced
         where e.tenant_id = tenant and e.product_id = asked.id limit 1
      ) k on true;
  end if;
  if kept is null or most <= 0 then
    kept := null;
    rest := array(select tell_products(ids, form, head));
  elsif others is not null then
    rest := array(select tell_products(others, form || jsonb_build_object('most', most), head));
    -- If a product is too large, no product follows it.
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

-- Returns products as tell_kept_products() does, or read_products_known() if `form.knownAt` is set. For each reduced variant,
-- a line 'p' with its prior_terms() precedes the product. The head ends in price_history().
-- If there are too many terms, a product's variants and the products of a list end early.
-- form: also {days, terms: of a variant at most, productTermBytes: of one product, termBytes: of all}.
create or replace function read_products_prior(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 60 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  known_at timestamptz := form ->> 'knownAt';
  asked_channel text := form ->> 'channel';
  asked_country text := form ->> 'country';
  asked_at timestamptz := form ->> 'at';
  days int := form ->> 'days';
  most int := form ->> 'terms';
  variant_bytes bigint := form ->> 'variantBytes';
  product_bytes bigint := form ->> 'productTermBytes';
  left_bytes bigint := form ->> 'termBytes';
  rendered_form text := form ->> 'rendered';
  -- Matches the text of offers if one has a compare-at amount.
  reduced constant text := '(^|[;|])([^,;|]*,){5}[^,;|]';
  lines text[];
  own text;
  -- Of each reduced variant: the number of its line, its id, its terms.
  places int[];
  variants uuid[];
  told_variants uuid[];
  told text[];
  terms text[];
  bytes bigint;
  largest bigint;
begin
  if known_at is null then
    lines := array(select tell_kept_products(ids, form, concat(head, e'\t', price_history())));
  else
    lines := array(select read_products_known(ids, form, head));
  end if;
  if not exists (
    select from unnest(lines) as m(line)
     where not starts_with(m.line, e'K\t') and not starts_with(m.line, e'c\t') and not starts_with(m.line, e'h\t')
  ) then
    return query select m.line from unnest(lines) as m(line);
    return;
  end if;
  select array_agg(r.place), array_agg(r.variant) into places, variants
    from (
      select n.place, o.variant, o.offers
        from (
          select split_part(m.line, e'\t', 2)::uuid as product, string_to_array(split_part(m.line, e'\t', 6), '|') as offers, m.place
            from unnest(lines) with ordinality as m(line, place) where starts_with(m.line, e'k\t') offset 0
        ) n
       cross join lateral unnest(
         (select k.variant_ids from rendered_products k
           where k.tenant_id = tenant and k.product_id = n.product and k.form = rendered_form), n.offers) as o(variant, offers)
      union all
      select n.place, split_part(o.line, e'\t', 2)::uuid, case when starts_with(o.line, e's\t') then split_part(o.line, e'\t', 11) else split_part(o.line, e'\t', 3) end
        from unnest(lines) with ordinality as n(line, place)
       cross join lateral string_to_table(n.line, e'\n') as o(line)
       where not starts_with(n.line, e'k\t') and not starts_with(n.line, e'K\t') and strpos(n.line, e'\ns\t') > 0
         and (starts_with(o.line, e's\t') or starts_with(o.line, e't\t'))
    ) r where r.offers ~ reduced;
  if places is not null then
    select array_agg(t.variant), array_agg(t.told) into told_variants, told
      from prior_terms(variants, asked_channel, asked_country, asked_at, known_at, days, most) t;
    select max(s.bytes), sum(s.bytes) into largest, bytes
      from (
        select sum(octet_length(t.told)) as bytes from unnest(places, variants) as r(place, variant)
          join unnest(told_variants, told) as t(variant, told) on t.variant = r.variant group by r.place
      ) s;
  end if;
  if coalesce(largest, 0) <= product_bytes and coalesce(bytes, 0) + (select coalesce(sum(octet_length(split_part(m.line, e'\t', 8))), 0) from unnest(lines) as m(line)
                                where starts_with(m.line, e'K\t')) <= left_bytes then
    return query select concat(e'p\t', t.told) from unnest(told) as t(told);
    return query select n.line from unnest(lines) with ordinality as n(line, place) order by n.place;
    return;
  end if;
  for own in
    select n.line from unnest(lines) with ordinality as n(line, place)
     order by case when not starts_with(n.line, e'h\t') and not starts_with(n.line, e'c\t') then array_position(ids,
                split_part(n.line, e'\t', case when starts_with(n.line, e'k\t') or starts_with(n.line, e'K\t') then 2 else 1 end)::uuid)
              end nulls first, n.place
  loop
    if starts_with(own, e'h\t') or starts_with(own, e'c\t') then
      return next own;
      continue;
    end if;
    continue when left_bytes <= 0;
    if starts_with(own, e'K\t') then
      left_bytes := left_bytes - octet_length(split_part(own, e'\t', 8));
      return next own;
      continue;
    end if;
    -- A rendered text is indivisible: a product that is too large is read row by row.
    if starts_with(own, e'k\t') and split_part(own, e'\t', 6) ~ reduced then
      select l.line into own from tell_products(array[split_part(own, e'\t', 2)::uuid], form - 'rendered') as l(line)
       where not starts_with(l.line, e'h\t') and not starts_with(l.line, e'c\t');
    end if;
    terms := null;
    if not starts_with(own, e'k\t') and strpos(own, e'\ns\t') > 0 then
      select string_agg(l.line, e'\n' order by l.nth), array_agg(l.told) filter (where l.told is not null), sum(octet_length(l.told))
        into own, terms, bytes
        from (
          select v.line, v.nth, v.variant, k.told,
                 sum(octet_length(v.line) + coalesce(octet_length(k.told), 0))
                   over (order by v.variant range between unbounded preceding and 1 preceding) as before
            from (
              select n.line, n.nth,
                     case when starts_with(n.line, e's\t') or starts_with(n.line, e't\t') then
                       count(*) filter (where starts_with(n.line, e's\t')) over (order by n.nth) end as variant,
                     case when starts_with(n.line, e's\t') then split_part(n.line, e'\t', 2)::uuid end as id
                from string_to_table(own, e'\n') with ordinality as n(line, nth)
            ) v
            left join unnest(told_variants, told) as k(id, told) on k.id = v.id
        ) l
       where l.variant is null or coalesce(l.before, 0) < variant_bytes;
      left_bytes := left_bytes - coalesce(bytes, 0);
    end if;
    return query select concat(e'p\t', t.told) from unnest(terms) as t(told);
    return next own;
  end loop;
end
$$;

-- Reads products in one statement, see read_alone(): those with these ids, or those that `query` finds.
-- `query` returns an array of ids, the page for the head, and the total, which `kept_total` replaces if it is given.
create or replace function read_products_alone(tenant text, lock_timeout text, known text, query text, params text[], ids uuid[], kept_total text,
                                    teller text, form jsonb) returns setof text
  language plpgsql stable as $$
declare
  clock text := enter_alone(tenant, lock_timeout, known);
  page json;
  total int;
  head text := '';
begin
  return next clock;
  if clock = known then
    return;
  end if;
  if ids is null then
    execute format(query, variadic params) into ids, page, total;
    if kept_total is not null then
      select t.total into total from tenant_totals t where t.tenant_id = current_tenant() and t.name = kept_total;
    end if;
    ids := coalesce(ids, '{}');
    head := concat(coalesce(total, 0), e'\t', coalesce(page, '[]'));
  end if;
  case teller
    when 'tell_kept_products' then return query select tell_kept_products(ids, form, head);
    when 'tell_products' then return query select tell_products(ids, form, head);
    when 'read_products_prior' then return query select read_products_prior(ids, form, head);
    when 'read_products_known' then return query select read_products_known(ids, form, head);
  end case;
end
$$;
