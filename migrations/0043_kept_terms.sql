-- What a price was before its reduction is told by what is kept of a product as well: beside its offers stand the terms that were
-- recorded of them, and are told while no offer of it has changed since.

-- Of each variant, with '|' between them: nothing where no ACTIVE offer has an amount to compare with; else since when the terms of each of
-- the kept offers are recorded, in their order and with commas between them, and behind each a semicolon the terms that are
-- no longer, as prior_terms() tells them. '-' where they are more than are kept; null where they are not known.
alter table rendered_products add prior_terms text;
call make_writers();

-- As before, with the terms; offers are in the order of their ids.
create or replace function complete_rendered(kept_form text, ids uuid[]) returns void
  language sql volatile begin atomic
  update rendered_products r
     set belonging = f.belonging, offers = case when octet_length(f.offers) <= 4000 then f.offers end, offers_at = f.offers_at,
         prior_terms = case when f.is_due then null when octet_length(f.prior_terms) <= 8000 then f.prior_terms else '-' end
    from (
      select r.product_id, r.edition, b.belonging, o.offers, t.prior_terms, offers_changed_at(r.product_id) as offers_at,
             price_history() is not distinct from 'due' as is_due
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

-- As before. Where a form asks for kept terms, lines of products of which these are known begin with `K` and end with them, in one
-- field more; where they may be known and are not there stands '+'. The moment of the last change of a product's offers is looked up in
-- the statement: a function would be called, and what it runs set up, once for each product of a page.
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
  if with_terms then
    with_terms := price_history() is distinct from 'due';
  end if;
  if rendered_form is not null and (form ->> 'belonging')::boolean and (form ->> 'levels')::int = 0
     -- Of a collection that is gone products keep the memberships until it is rebuilt, and nothing shows them.
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

-- As before, but that lines which have their terms are told as they are, and take room like the others; and that where there is no room for
-- all, those are told that stand first on the page, in whatever order they were found.
do $$
declare
  told text := pg_get_functiondef('read_products_prior(uuid[], jsonb, text)'::regprocedure);
  change text[];
begin
  foreach change slice 1 in array array[
    [$was$  select array_agg(r.place), array_agg(r.variant) into places, variants$was$,
     $is$  if not exists (
    select from unnest(lines) as m(line)
     where not starts_with(m.line, e'K\t') and not starts_with(m.line, e'c\t') and not starts_with(m.line, e'h\t')
  ) then
    return query select m.line from unnest(lines) as m(line);
    return;
  end if;
  select array_agg(r.place), array_agg(r.variant) into places, variants$is$],
    [$was$where not starts_with(n.line, e'k\t') and strpos$was$,
     $is$where not starts_with(n.line, e'k\t') and not starts_with(n.line, e'K\t') and strpos$is$],
    [$was$coalesce(bytes, 0) <= left_bytes then$was$,
     $is$coalesce(bytes, 0) + (select coalesce(sum(octet_length(split_part(m.line, e'\t', 8))), 0) from unnest(lines) as m(line)
                                where starts_with(m.line, e'K\t')) <= left_bytes then$is$],
    [$was$    continue when left_bytes <= 0;
$was$,
     $is$    continue when left_bytes <= 0;
    if starts_with(own, e'K\t') then
      left_bytes := left_bytes - octet_length(split_part(own, e'\t', 8));
      return next own;
      continue;
    end if;
$is$],
    [$was$for own in select n.line from unnest(lines) with ordinality as n(line, place) order by n.place loop$was$,
     $is$for own in
    select n.line from unnest(lines) with ordinality as n(line, place)
     order by case when not starts_with(n.line, e'h\t') and not starts_with(n.line, e'c\t') then array_position(ids,
                split_part(n.line, e'\t', case when starts_with(n.line, e'k\t') or starts_with(n.line, e'K\t') then 2 else 1 end)::uuid)
              end nulls first, n.place
  loop$is$]
  ] loop
    if strpos(told, change[1]) = 0 then
      raise exception 'read_products_prior() is another one than this changes';
    end if;
    told := replace(told, change[1], change[2]);
  end loop;
  execute told;
end
$$;
