-- Offers as JSON, which the Worker resolves prices from (src/resources/prices/rows.ts has its types).

-- Returns since when the tenant's prices are recorded: the moment of its first event, '' before it.
create or replace function price_history() returns text
  language sql stable parallel safe
  return coalesce((select instant_text(e.occurred_at) from events e where e.tenant_id = current_tenant() order by e.sequence limit 1), '');

-- Returns an offer as an object. Amounts are texts, because a number in JSON would lose digits.
create or replace function offer_json(o sale_offers) returns text
  language sql stable parallel safe
  return concat('{"id":"', o.id, '"', ',"channel":' || to_json(o.channel)::text,
                case when o.countries <> '{}' then ',"countries":' || to_json(o.countries)::text end, ',"currency":"', o.currency,
                '","amount":"', o.amount, '"', ',"compareAtAmount":"' || o.compare_at_amount || '"',
                ',"validFrom":"' || instant_text(o.valid_from) || '"', ',"validUntil":"' || instant_text(o.valid_until) || '"',
                case when o.priority <> 0 then ',"priority":' || o.priority end,
                case when o.min_quantity <> 1 then ',"minQuantity":' || o.min_quantity end,
                case when not o.tax_included then ',"taxIncluded":false' end,
                case when o.status <> 'ACTIVE' then ',"status":"' || o.status || '"' end, '}');

-- Returns an offer's recorded terms as the same object.
create or replace function offer_json(o sale_offer_terms) returns text
  language sql stable parallel safe
  return concat('{"id":"', o.sale_offer_id, '"', ',"channel":' || to_json(o.channel)::text,
                case when o.countries <> '{}' then ',"countries":' || to_json(o.countries)::text end, ',"currency":"', o.currency,
                '","amount":"', o.amount, '"', ',"compareAtAmount":"' || o.compare_at_amount || '"',
                ',"validFrom":"' || instant_text(o.valid_from) || '"', ',"validUntil":"' || instant_text(o.valid_until) || '"',
                case when o.priority <> 0 then ',"priority":' || o.priority end,
                case when o.min_quantity <> 1 then ',"minQuantity":' || o.min_quantity end,
                case when not o.tax_included then ',"taxIncluded":false' end,
                case when o.status <> 'ACTIVE' then ',"status":"' || o.status || '"' end, '}');

-- Returns the terms of an offer as offer_json() does, with the moments between which they were recorded. The second moment is left out
-- if it is not before the horizon.
create or replace function term_json(o sale_offer_terms, horizon timestamptz) returns text
  language sql stable parallel safe
  return concat(rtrim(offer_json(o), '}'), ',"knownFrom":"', instant_text(o.known_from), '"',
                case when o.known_until < horizon then ',"knownUntil":"' || instant_text(o.known_until) || '"' end, '}');

-- Returns the recorded terms from which the prior prices of variants are computed: for each variant, a list of term_json().
-- Variants without a reduced price at `asked_at` are left out. The terms at `asked_at` are included.
-- Most variants have few terms: all of these are returned. Only for a variant with more are they sorted and limited here,
-- to `most` and one more, the last to apply first.
create or replace function read_prior_terms(variants uuid[], asked_channel text, asked_country text, asked_at timestamptz, known_at timestamptz, days int, most int)
  returns table (variant uuid, terms text)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  -- Terms recorded from this moment on are ignored.
  horizon timestamptz := coalesce(known_at + interval '1 microsecond', 'infinity');
  length interval := days * interval '24 hours';
  few constant int := 12;
  ids uuid[];
  lists text[];
  -- Variants with more terms than were read.
  others uuid[];
begin
  select array_agg(v.id) filter (where t.amount <= few and t.is_asked), array_agg(t.found) filter (where t.amount <= few and t.is_asked),
         array_agg(v.id) filter (where t.amount > few)
    into ids, lists, others
    from (select distinct unnest(variants) as id) v
   cross join lateral (
     select count(*) as amount, bool_or(a.holds and a.compare_at_amount > a.amount) as is_asked,
            '[' || string_agg(term_json(a.row, horizon), ',' order by a.ended desc)
              filter (where a.holds or (a.begun < a.ended and a.begun < asked_at)) || ']' as found
       from (
         select o as row, o.*, greatest(o.known_from, o.valid_from) as begun,
                least(case when o.known_until < horizon then o.known_until else 'infinity' end, o.valid_until) as ended,
                o.known_until >= horizon and (o.valid_from is null or o.valid_from <= asked_at)
                  and (o.valid_until is null or o.valid_until > asked_at) as holds
           from sale_offer_terms o
          where o.tenant_id = tenant and o.variant_id = v.id and o.known_from < horizon
            and o.status = 'ACTIVE' and o.min_quantity <= 1
            and (o.channel is null or o.channel = asked_channel) and (o.countries = '{}' or asked_country = any(o.countries))
          limit few + 1
       ) a
   ) t;
  return query select k.variant, k.terms from unnest(ids, lists) as k(variant, terms);
  if others is null then
    return;
  end if;
  -- Terms that applied in the days before the reduction began, or since; at most `most` and one more, the last first.
  -- The reduction began when terms with a compare-at amount began to apply without a gap up to `asked_at`.
  return query
    select f.variant_id,
           '[' || string_agg(term_json(f.row, horizon), ',' order by f.ended desc) || ']'
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
                      from unnest(others) as v(id)
                     cross join lateral (
                       select o as row, o.*, greatest(o.known_from, o.valid_from) as begun,
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
