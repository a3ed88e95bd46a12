-- Offers as text for the price order in the Worker: fields with commas, offers with semicolons, variants with bars.
-- No field contains one of these characters.

-- Returns the fields of an offer that a price is resolved from.
create or replace function offer_text(o sale_offers) returns text
  language sql stable parallel safe
  return concat(o.id, ',', o.channel, ',', array_to_string(o.countries, ' '), ',', o.currency, ',', o.amount, ',', o.compare_at_amount, ',',
                instant_text(o.valid_from), ',', instant_text(o.valid_until), ',', o.priority, ',', o.min_quantity, ',',
                o.tax_included, ',', o.status);

-- Returns the same fields of an offer's recorded terms.
create or replace function offer_text(o sale_offer_terms) returns text
  language sql stable parallel safe
  return concat(o.sale_offer_id, ',', o.channel, ',', array_to_string(o.countries, ' '), ',', o.currency, ',', o.amount, ',',
                o.compare_at_amount, ',', instant_text(o.valid_from), ',', instant_text(o.valid_until), ',', o.priority, ',',
                o.min_quantity, ',', o.tax_included, ',', o.status);

-- Returns since when the tenant's prices are recorded: the moment of its first event, '' before it.
create or replace function price_history() returns text
  language sql stable parallel safe
  return coalesce((select instant_text(e.occurred_at) from events e where e.tenant_id = current_tenant() order by e.sequence limit 1), '');

-- Returns the recorded terms from which the prior prices of variants are computed: for each variant, terms as offer_text() writes them,
-- with the moments between which they were recorded. The second moment is empty if the terms are still recorded at `known_at`.
-- Variants without a reduced price at `asked_at` are left out. The terms at `asked_at` are included.
-- Most variants have few terms: all of these are returned. Only for a variant with more are they sorted and limited here,
-- to `most` and one more, the last to apply first.
create or replace function prior_terms(variants uuid[], asked_channel text, asked_country text, asked_at timestamptz, known_at timestamptz, days int, most int)
  returns table (variant uuid, told text)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  -- Terms recorded from this moment on are ignored.
  horizon timestamptz := coalesce(known_at + interval '1 microsecond', 'infinity');
  length interval := days * interval '24 hours';
  few constant int := 12;
  ids uuid[];
  tolds text[];
  -- Variants with more terms than were read.
  others uuid[];
begin
  select array_agg(v.id) filter (where t.amount <= few and t.is_asked), array_agg(t.told) filter (where t.amount <= few and t.is_asked),
         array_agg(v.id) filter (where t.amount > few)
    into ids, tolds, others
    from (select distinct unnest(variants) as id) v
   cross join lateral (
     select count(*) as amount, bool_or(a.holds and a.compare_at_amount > a.amount) as is_asked,
            string_agg(concat(a.sale_offer_id, ',', a.channel, ',', array_to_string(a.countries, ' '), ',', a.currency, ',', a.amount, ',',
                              a.compare_at_amount, ',', instant_text(a.valid_from), ',', instant_text(a.valid_until), ',', a.priority, ',',
                              a.min_quantity, ',', a.tax_included, ',', a.status, ',', instant_text(a.known_from), ',',
                              instant_text(case when a.known_until < horizon then a.known_until end)), ';' order by a.ended desc)
              filter (where a.holds or (a.begun < a.ended and a.begun < asked_at)) as told
       from (
         select o.*, greatest(o.known_from, o.valid_from) as begun,
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
  return query select k.variant, k.told from unnest(ids, tolds) as k(variant, told);
  if others is null then
    return;
  end if;
  -- Terms that applied in the days before the reduction began, or since; at most `most` and one more, the last first.
  -- The reduction began when terms with a compare-at amount began to apply without a gap up to `asked_at`.
  return query
    select f.variant_id,
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
                      from unnest(others) as v(id)
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
