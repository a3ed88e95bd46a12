-- Most variants have a handful of recorded terms. All of these are told as they are found, and what is looked for among them is found by
-- who reads them; only of a variant with more are those put in order here that matter. What is told means the same as before.
create or replace function prior_terms(variants uuid[], asked_channel text, asked_country text, asked_at timestamptz, known_at timestamptz, days int, most int)
  returns table (variant uuid, told text)
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  -- The first moment of which nothing is known.
  horizon timestamptz := coalesce(known_at + interval '1 microsecond', 'infinity');
  length interval := days * interval '24 hours';
  few constant int := 12;
  ids uuid[];
  tolds text[];
  -- Variants of which not all terms were read.
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
  -- Of each at most `most` and one more, those that applied last first: terms that applied in the days before the reduction began, or since.
  -- It began no earlier than when terms with an amount to compare with began to apply without a gap up to `asked_at`.
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
