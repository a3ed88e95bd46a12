-- What a price was before a reduction: the lowest that applied in so many days before the reduction began.

-- Days before a reduction that its prior price is looked for in: by Directive 98/6/EC, article 6a, not less than 30.
alter table tenants add column prior_price_days int not null default 30
  constraint tenants_prior_price_days check (prior_price_days between 30 and 36500);

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

-- The recorded terms that the prior price of a variant is told of, at most `most` and one more, those that applied last first: each as
-- offer_text() has it, and between which moments it was the recorded one, with semicolons between them; the second moment is empty where
-- it still was at `known_at`, which is now where it is null. Null where no reduced terms apply at `asked_at`, and no history is read.
-- Terms are those for one piece that applied in the days before the reduction began, or since: it began no earlier than when terms
-- with an amount to compare with began to apply without a gap up to `asked_at`. Those that hold at `asked_at` are among them: a price is
-- found among the terms by the offer that it is of.
create function prior_terms(variant uuid, asked_channel text, asked_country text, asked_at timestamptz, known_at timestamptz, days int, most int)
  returns text
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  -- The first moment of which nothing is known.
  horizon timestamptz := coalesce(known_at + interval '1 microsecond', 'infinity');
  since timestamptz;
begin
  if not exists (
    select from sale_offer_terms o
     where o.tenant_id = tenant and o.variant_id = variant and o.known_until >= horizon and o.known_from < horizon
       and o.compare_at_amount > o.amount and o.status = 'ACTIVE' and o.min_quantity <= 1
       and (o.channel is null or o.channel = asked_channel) and (o.countries = '{}' or asked_country = any(o.countries))
       and (o.valid_from is null or o.valid_from <= asked_at) and (o.valid_until is null or o.valid_until > asked_at)
  ) then
    return null;
  end if;
  select max(r.begun) into since from (
    select s.begun, max(s.ended) over (order by s.begun rows between unbounded preceding and 1 preceding) as before
      from (
        select greatest(o.known_from, o.valid_from) as begun,
               least(case when o.known_until < horizon then o.known_until else 'infinity' end, o.valid_until) as ended
          from sale_offer_terms o
         where o.tenant_id = tenant and o.variant_id = variant and o.known_from < horizon
           and o.compare_at_amount > o.amount and o.status = 'ACTIVE' and o.min_quantity <= 1
           and (o.channel is null or o.channel = asked_channel) and (o.countries = '{}' or asked_country = any(o.countries))
      ) s
     where s.begun < s.ended and s.begun < asked_at
  ) r where r.before is null or r.before < r.begun;
  since := coalesce(since, asked_at) - days * interval '24 hours';
  return (
    select string_agg(t.told, ';' order by t.ended desc) from (
      select s.told, s.ended from (
        select concat(offer_text(o), ',', instant_text(o.known_from), ',',
                      instant_text(case when o.known_until < horizon then o.known_until end)) as told,
               greatest(o.known_from, o.valid_from) as begun,
               least(case when o.known_until < horizon then o.known_until else 'infinity' end, o.valid_until) as ended,
               o.known_until >= horizon and (o.valid_from is null or o.valid_from <= asked_at)
                 and (o.valid_until is null or o.valid_until > asked_at) as holds
          from sale_offer_terms o
         where o.tenant_id = tenant and o.variant_id = variant and o.known_from < horizon and o.known_until >= least(since, horizon)
           and o.status = 'ACTIVE' and o.min_quantity <= 1
           and (o.channel is null or o.channel = asked_channel) and (o.countries = '{}' or asked_country = any(o.countries))
      ) s
       where s.holds or (s.begun < s.ended and s.begun < asked_at and s.ended > since)
       order by s.ended desc limit most + 1
    ) t);
end
$$;

-- Products as tell_products() tells them, or where `form.knownAt` is read_products_known(), and in front of a product, for each of
-- its variants that is reduced, 'p' and what prior_terms() tells. The head ends in price_history(). A product's variants, and
-- the products of a list, end where too much was read. form: also {days, terms: of a variant at most, termBytes: of a list}.
create function read_products_prior(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 60 set plan_cache_mode = force_generic_plan as $$
declare
  known_at timestamptz := form ->> 'knownAt';
  asked_channel text := form ->> 'channel';
  asked_country text := form ->> 'country';
  asked_at timestamptz := form ->> 'at';
  days int := form ->> 'days';
  most int := form ->> 'terms';
  variant_bytes bigint := form ->> 'variantBytes';
  left_bytes bigint := form ->> 'termBytes';
  -- Of offers as they are told, whether one has an amount to compare with.
  reduced constant text := '(^|[;|])([^,;|]*,){5}[^,;|]';
  own text;
  terms text[];
  bytes bigint;
begin
  for own in
    select read_products_known(ids, form, head) where known_at is not null
    union all
    select tell_products(ids, form, concat(head, e'\t', price_history())) where known_at is null
  loop
    if starts_with(own, e'h\t') or starts_with(own, e'c\t') then
      return next own;
      continue;
    end if;
    continue when left_bytes <= 0;
    terms := null;
    bytes := 0;
    if starts_with(own, e'k\t') then
      if split_part(own, e'\t', 6) ~ reduced then
        select array_agg(k.told), sum(octet_length(k.told)) into terms, bytes
          from string_to_table(split_part(own, e'\t', 6), '|') as v(offers)
         cross join lateral (
           select prior_terms(o.variant_id, asked_channel, asked_country, asked_at, known_at, days, most) as told
             from sale_offers o where o.tenant_id = current_tenant() and o.id = split_part(v.offers, ',', 1)::uuid
         ) k
         where v.offers ~ reduced and k.told is not null;
        -- A text that was rendered is whole: one with more than there is room for is told row by row.
        if bytes > 50000 then
          select l.line into own from tell_products(array[split_part(own, e'\t', 2)::uuid], form - 'rendered') as l(line)
           where not starts_with(l.line, e'h\t') and not starts_with(l.line, e'c\t');
        end if;
      end if;
    end if;
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
                     case when starts_with(n.line, e's\t') then split_part(n.line, e'\t', 11)
                          when starts_with(n.line, e't\t') then split_part(n.line, e'\t', 3) end as offers
                from string_to_table(own, e'\n') with ordinality as n(line, nth)
            ) v
           cross join lateral (
             select case when v.offers ~ reduced then (
               select prior_terms(o.variant_id, asked_channel, asked_country, asked_at, known_at, days, most)
                 from sale_offers o where o.tenant_id = current_tenant() and o.id = split_part(v.offers, ',', 1)::uuid) end as told
           ) k
        ) l
       where l.variant is null or coalesce(l.before, 0) < variant_bytes;
    end if;
    left_bytes := left_bytes - coalesce(bytes, 0);
    return query select concat(e'p\t', t.told) from unnest(terms) as t(told);
    return next own;
  end loop;
end
$$;
