-- Offers as JSON, which the Worker resolves prices from (src/resources/prices/read.ts has its types).

-- Returns since when the tenant's prices are recorded: the moment of its first event, '' before it.
create or replace function price_history() returns text
  language sql stable parallel safe
  return coalesce((select instant_text(e.occurred_at) from events e where e.tenant_id = current_tenant() order by e.sequence limit 1), '');

-- Returns whether an offer is for a channel and a country. Without a channel it is for all, and so without countries.
create or replace function is_offered_in(channel text, countries text[], context_channel text, context_country text) returns boolean
  language sql immutable parallel safe return (channel is null or channel = context_channel) and (countries = '{}' or context_country = any(countries));

-- Returns whether an offer applies at a moment.
create or replace function is_valid_at(valid_from timestamptz, valid_until timestamptz, moment timestamptz) returns boolean
  language sql immutable parallel safe return (valid_from is null or valid_from <= moment) and (valid_until is null or valid_until > moment);

-- Returns an offer as an object. terms: its row, or its recorded terms. Amounts are texts, because a number in JSON would lose digits.
create or replace function offer_json(id uuid, terms anyelement) returns text
  language sql stable parallel safe as $$
  select concat('{"id":"', id, '"', ',"channel":' || to_json(terms.channel)::text,
                case when terms.countries <> '{}' then ',"countries":' || to_json(terms.countries)::text end, ',"currency":"', terms.currency,
                '","amount":"', terms.amount, '"', ',"compareAtAmount":"' || terms.compare_at_amount || '"',
                ',"validFrom":"' || instant_text(terms.valid_from) || '"', ',"validUntil":"' || instant_text(terms.valid_until) || '"',
                case when terms.priority <> 0 then ',"priority":' || terms.priority end,
                case when terms.min_quantity <> 1 then ',"minQuantity":' || terms.min_quantity end,
                case when not terms.tax_included then ',"taxIncluded":false' end, ',"reductionReason":"' || terms.reduction_reason || '"',
                case when terms.status <> 'ACTIVE' then ',"status":"' || terms.status || '"' end, '}');
$$;

-- Returns the active offers that compete with a written one for the same sales at or after a moment, as offer_json(), at most `most`.
-- terms: the written columns of the offer; the others are those of its row, if it has one.
create or replace function overlapping_offers(offer uuid, terms jsonb, moment timestamptz, most int) returns setof text
  language plpgsql stable parallel safe rows 1 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  own sale_offers;
begin
  select * into own from sale_offers o where o.tenant_id = tenant and o.id = offer;
  own := jsonb_populate_record(own, terms);
  return query
    select offer_json(o.id, o) from sale_offers o
     where o.tenant_id = tenant and o.variant_id = own.variant_id and o.status = 'ACTIVE' and o.id <> offer
       and o.currency = own.currency and o.channel is not distinct from own.channel and o.min_quantity = own.min_quantity
       and o.countries @> own.countries and o.countries <@ own.countries
       and coalesce(greatest(o.valid_from, own.valid_from, moment) < least(o.valid_until, own.valid_until), true)
     order by o.valid_from nulls first, o.id limit most;
end
$$;

-- Returns the terms of an offer as offer_json() does, with the moments between which they were recorded, and the event. The second moment is left out
-- if it is not before the horizon.
create or replace function term_json(o sale_offer_terms, horizon timestamptz) returns text
  language sql stable parallel safe
  return concat(rtrim(offer_json(o.sale_offer_id, o), '}'), ',"knownFrom":"', instant_text(o.known_from), '","recordedBy":"', o.recorded_by, '"',
                case when o.known_until < horizon then ',"knownUntil":"' || instant_text(o.known_until) || '"' end, '}');

-- Returns a variant's terms for one piece that were recorded before the horizon, with the span in which each applies.
-- holds: whether it applies at `context_at`.
create or replace function applying_terms(variant uuid, context_channel text, context_country text, context_at timestamptz, horizon timestamptz)
  returns table (terms sale_offer_terms, begun timestamptz, ended timestamptz, holds boolean, has_reduction boolean)
  language sql stable parallel safe
  begin atomic
    select o, greatest(o.known_from, o.valid_from),
           least(case when o.known_until < horizon then o.known_until else 'infinity' end, o.valid_until),
           o.known_until >= horizon and is_valid_at(o.valid_from, o.valid_until, context_at),
           o.compare_at_amount > o.amount
      from sale_offer_terms o
     where o.tenant_id = current_tenant() and o.variant_id = variant and o.known_from < horizon
       and o.status = 'ACTIVE' and o.min_quantity <= 1
       and is_offered_in(o.channel, o.countries, context_channel, context_country);
  end;

-- Returns the recorded terms from which the prior prices of variants are computed: for each variant, a list of term_json().
-- Variants without a reduced price at `context_at` are left out. The terms at `context_at` are included.
-- Most variants have few terms: all of these are returned. Only for a variant with more are they sorted and limited here,
-- to `most` and one more, the last to apply first.
create or replace function read_prior_terms(variants uuid[], context_channel text, context_country text, context_at timestamptz, known_at timestamptz, days int, most int)
  returns table (variant uuid, terms text)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  -- Terms recorded from this moment on are ignored.
  horizon timestamptz := coalesce(known_at + interval '1 microsecond', 'infinity');
  length interval := days * interval '24 hours';
  few constant int := 12;
  ids uuid[];
  lists text[];
  -- Variants with more terms than were read.
  others uuid[];
begin
  select array_agg(v.id) filter (where t.amount <= few and t.has_reduced_price),
         array_agg(t.found) filter (where t.amount <= few and t.has_reduced_price),
         array_agg(v.id) filter (where t.amount > few)
    into ids, lists, others
    from (select distinct unnest(variants) as id) v
   cross join lateral (
     select count(*) as amount, bool_or(a.holds and a.has_reduction) as has_reduced_price,
            '[' || string_agg(term_json(a.terms, horizon), ',' order by a.ended desc)
              filter (where a.holds or (a.begun < a.ended and a.begun < context_at)) || ']' as found
       from (select * from applying_terms(v.id, context_channel, context_country, context_at, horizon) limit few + 1) a
   ) t;
  return query select k.variant, k.terms from unnest(ids, lists) as k(variant, terms);
  if others is null then
    return;
  end if;
  -- Terms that applied in the days before the reduction began, or since; at most `most` and one more, the last first. The first price of all
  -- is among them, because it shows how new the goods are.
  -- The reduction began when terms with a compare-at amount began to apply without a gap up to `context_at`.
  return query
    select f.variant_id,
           '[' || string_agg(term_json(f.terms, horizon), ',' order by f.ended desc) || ']'
      from (
        select i.*, row_number() over (partition by i.variant_id order by i.ended desc) as place
          from (
            select b.*, b.begun = min(b.begun) over (partition by b.variant_id) as is_first,
                   coalesce(max(b.begun) filter (where b.is_reduced and (b.before is null or b.before < b.begun))
                     over (partition by b.variant_id), context_at) - length as since,
                   bool_or(b.holds and b.has_reduction) over (partition by b.variant_id) as has_reduced_price
              from (
                select s.*,
                       max(s.ended) filter (where s.is_reduced)
                         over (partition by s.variant_id order by s.begun rows between unbounded preceding and 1 preceding) as before
                  from (
                    select v.id as variant_id, a.*, a.begun < a.ended and a.begun < context_at as applied,
                           a.begun < a.ended and a.begun < context_at and a.has_reduction as is_reduced
                      from unnest(others) as v(id)
                     cross join lateral (
                       select * from applying_terms(v.id, context_channel, context_country, context_at, horizon) offset 0) a
                  ) s where s.applied or s.holds
              ) b
          ) i where i.has_reduced_price and (i.holds or i.ended > i.since or i.is_first)
      ) f where f.place <= most + 1
     group by f.variant_id;
end
$$;

-- Returns the data of the prices of variants. offers: those that are not archived, as offer_json(). terms: all for one piece, as term_json(),
-- the last to apply first. categories: those of the product in their order. No rows if the variants have more than `most` recorded terms.
create or replace function read_price_inputs(variants uuid[], most int)
  returns table (variant uuid, product uuid, launched_at text, measure json, categories uuid[], offers text, terms text)
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
begin
  if (select count(*) from (
        select from sale_offer_terms t where t.tenant_id = tenant and t.variant_id = any(variants) limit most + 1) as counted) > most then
    return;
  end if;
  return query
    select v.id, v.product_id, p.document::json ->> 'launchedAt', v.document::json -> 'measure',
           array(select c.category_id from product_categories c where c.tenant_id = tenant and c.product_id = p.id order by c.position),
           (select '[' || string_agg(offer_json(o.id, o), ',') || ']'
              from sale_offers o where o.tenant_id = tenant and o.variant_id = v.id and o.status <> 'ARCHIVED'),
           (select '[' || string_agg(term_json(t, 'infinity'), ',' order by least(t.known_until, t.valid_until) desc) || ']'
              from sale_offer_terms t
             where t.tenant_id = tenant and t.variant_id = v.id and t.status = 'ACTIVE' and t.min_quantity <= 1)
      from variants v join products p on p.tenant_id = v.tenant_id and p.id = v.product_id
     where v.tenant_id = tenant and v.id = any(variants);
end
$$;
