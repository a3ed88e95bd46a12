-- What a price was before a reduction: the lowest that applied in so many days before the reduction began.

-- Days before a reduction that its prior price is looked for in: by Directive 98/6/EC, article 6a, not less than 30.
-- Was 2b5a86361c5cb0c307712998c53950e278b47d478aa59be99d519caf28b76f09, which makes the same: Postgres 15.20 adds no column with a
-- default to a table whose rows a function takes.
alter table tenants add column prior_price_days int;
alter table tenants alter column prior_price_days set default 30;
update tenants set prior_price_days = default;
alter table tenants alter column prior_price_days set not null,
  add constraint tenants_prior_price_days check (prior_price_days between 30 and 36500);

create or replace function settings_of(t tenants) returns jsonb
  language sql stable set search_path = pg_catalog, public
  begin atomic
    select jsonb_build_object(
      'id', t.id, 'host', t.host,
      'hosts', (select jsonb_agg(h.host order by h.host <> t.host, h.host) from tenant_hosts h where h.tenant_id = t.id),
      'name', t.name, 'isSuspended', t.status <> 'ACTIVE',
      'locales', t.locales, 'arriving', t.arriving, 'leaving', t.leaving,
      'defaultApiVersion', t.default_api_version, 'issuer', t.issuer, 'audience', t.audience,
      'jwks', t.jwks, 'jwksUri', t.jwks_uri, 'algorithms', t.algorithms, 'tokenProfile', t.token_profile,
      'tokensValidAfter', t.tokens_valid_after,
      'revokedTokens', (select coalesce(jsonb_agg(r.jti), '[]') from revoked_tokens r
                         where r.tenant_id = t.id and r.expires_at > now()),
      'limits', jsonb_build_object('webhookSubscriptions', t.webhook_subscriptions_limit,
                                   'webhookSubscriptionsPerHost', t.webhook_host_limit),
      'priorPriceDays', t.prior_price_days);
  end;

-- The recorded terms that the prior prices of variants are told of, of each at most `most` and one more, those that applied last first: each
-- as offer_text() has it, and between which moments it was the recorded one, with semicolons between them; the second moment is empty
-- where it still was at `known_at`, which is now where it is null. None of a variant that no reduced terms apply to at `asked_at`.
-- Terms are those for one piece that applied in the days before the reduction began, or since: it began no earlier than when terms
-- with an amount to compare with began to apply without a gap up to `asked_at`. Those that hold at `asked_at` are among them: a price is
-- found among the terms by the offer that it is of.
create function prior_terms(variants uuid[], asked_channel text, asked_country text, asked_at timestamptz, known_at timestamptz, days int, most int)
  returns table (variant uuid, told text)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  -- The first moment of which nothing is known.
  horizon timestamptz := coalesce(known_at + interval '1 microsecond', 'infinity');
  length interval := days * interval '24 hours';
begin
  return query
    select f.variant_id,
           -- As offer_text() writes it, of columns: a row that is passed on is taken apart for each of them.
           string_agg(concat(f.sale_offer_id, ',', f.channel, ',', array_to_string(f.countries, ' '), ',', f.currency, ',', f.amount, ',',
                             f.compare_at_amount, ',', instant_text(f.valid_from), ',', instant_text(f.valid_until), ',', f.priority, ',',
                             f.min_quantity, ',', f.tax_included, ',', f.status, ',', instant_text(f.known_from), ',',
                             instant_text(case when f.known_until < horizon then f.known_until end)), ';' order by f.ended desc)
      from (
        select i.*, row_number() over (partition by i.variant_id order by i.ended desc) as place
          from (
            select b.*,
                   coalesce(max(b.begun) filter (where b.is_reduced and (b.before is null or b.before < b.begun))
                     over (partition by b.variant_id), asked_at) - length as since,
                   bool_or(b.holds and b.compare_at_amount > b.amount) over (partition by b.variant_id) as is_asked
              from (
                select s.*,
                       max(s.ended) filter (where s.is_reduced)
                         over (partition by s.variant_id order by s.begun rows between unbounded preceding and 1 preceding) as before
                  from (
                    select a.*, a.begun < a.ended and a.begun < asked_at as applied,
                           a.begun < a.ended and a.begun < asked_at and a.compare_at_amount > a.amount as is_reduced
                      from (select distinct unnest(variants) as id) v
                     cross join lateral (
                       select o.*, greatest(o.known_from, o.valid_from) as begun,
                              least(case when o.known_until < horizon then o.known_until else 'infinity' end, o.valid_until) as ended,
                              o.known_until >= horizon and (o.valid_from is null or o.valid_from <= asked_at)
                                and (o.valid_until is null or o.valid_until > asked_at) as holds
                         from sale_offer_terms o
                        where o.tenant_id = tenant and o.variant_id = v.id and o.known_from < horizon
                          and o.status = 'ACTIVE' and o.min_quantity <= 1
                          and (o.channel is null or o.channel = asked_channel) and (o.countries = '{}' or asked_country = any(o.countries))
                       offset 0
                     ) a
                  ) s where s.applied or s.holds
              ) b
          ) i where i.is_asked and (i.holds or i.ended > i.since)
      ) f where f.place <= most + 1
     group by f.variant_id;
end
$$;

-- Products as tell_products() tells them, or where `form.knownAt` is read_products_known(), and in front of them, for each variant
-- that is reduced, 'p' and what prior_terms() tells. The head ends in price_history(). Where that is much, a product's variants, and
-- the products of a list, end where too much was read. form: also {days, terms: of a variant at most, productTermBytes: of a product
-- that is told whole, termBytes: of all}.
create function read_products_prior(ids uuid[], form jsonb, head text default '') returns setof text
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
      select n.place, o.variant, o.offers from unnest(lines) with ordinality as n(line, place)
       cross join lateral unnest(
         (select k.variant_ids from rendered_products k
           where k.tenant_id = tenant and k.product_id = split_part(n.line, e'\t', 2)::uuid and k.form = rendered_form),
         string_to_array(split_part(n.line, e'\t', 6), '|')) as o(variant, offers)
       where starts_with(n.line, e'k\t')
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
