-- Ids that are cut out of lines are looked up in an index, whichever Postgres plans it. Under row security Postgres 15.20 compares nothing
-- in an index with what `split_part()` or a cast makes of a row beside it: of each line all that a tenant has was read. Behind
-- `offset 0` it is a value like any other.

-- As before, but for that.
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
  -- Neither explained nor not: none of today's offers are read, and their variants are weighed with them all the same.
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

-- As before, but for that.
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
  -- Of offers as they are told, whether one has an amount to compare with.
  reduced constant text := '(^|[;|])([^,;|]*,){5}[^,;|]';
  lines text[];
  own text;
  -- Of each reduced variant: in which of the lines it is, itself, its terms.
  places int[];
  variants uuid[];
  told_variants uuid[];
  told text[];
  terms text[];
  bytes bigint;
  largest bigint;
begin
  if known_at is null then
    lines := array(select tell_products(ids, form, concat(head, e'\t', price_history())));
  else
    lines := array(select read_products_known(ids, form, head));
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
       where not starts_with(n.line, e'k\t') and strpos(n.line, e'\ns\t') > 0
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
  if coalesce(largest, 0) <= product_bytes and coalesce(bytes, 0) <= left_bytes then
    return query select concat(e'p\t', t.told) from unnest(told) as t(told);
    return query select n.line from unnest(lines) with ordinality as n(line, place) order by n.place;
    return;
  end if;
  for own in select n.line from unnest(lines) with ordinality as n(line, place) order by n.place loop
    if starts_with(own, e'h\t') or starts_with(own, e'c\t') then
      return next own;
      continue;
    end if;
    continue when left_bytes <= 0;
    -- A text that was rendered is whole: one with more than there is room for is told row by row.
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
