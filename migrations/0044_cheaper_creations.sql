-- What a write does beside its rows: for all rows of a statement at once, and not at all where there is nothing to do.

-- As before, but with a plan that is kept: a function in SQL is made ready anew each time that a trigger calls it.
create or replace function move_editions(tenants uuid[], products uuid[]) returns void
  language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
  update product_editions e set edition = nextval('product_edition')
    from (select distinct t, p from unnest(tenants, products) as moved(t, p)) m
   where e.tenant_id = m.t and e.product_id = m.p and e.xmin <> pg_current_xact_id()::xid;
end
$$;

-- As before. Nearly all rows have texts in one language: of these nothing has to be compared.
create or replace function translated_in(texts jsonb) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  locales jsonb := jsonb_path_query_array(texts, '$.keyvalue().key');
  found text;
begin
  if jsonb_array_length(locales) < 2 then
    return case when texts @? 'strict $.* ? (@.type() == "object").* ? (@ != null)' then ',' || (locales ->> 0) || ',' else '*' end;
  end if;
  with pairs as (
    select l.key as locale, t.key as name
      from jsonb_each(texts) as l, jsonb_each(case jsonb_typeof(l.value) when 'object' then l.value else '{}' end) as t
     where t.value <> 'null'
  ), whole as (
    select locale from pairs group by locale having count(*) = (select count(distinct name) from pairs)
  )
  select case when exists (select from pairs)
              then ',' || coalesce((select string_agg(locale || ',', '' order by locale collate "C") from whole), '')
              else '*' end
    into found;
  return found;
end
$$;

-- As before, but that no membership is looked for where none is left.
do $$
declare
  told text := pg_get_functiondef('write(jsonb)'::regprocedure);
  was constant text := $was$        delete from product_collections m using jsonb_to_recordset(step -> 'left') as r(product_id uuid, collection_id uuid)
         where m.tenant_id = tenant and m.collection_id = r.collection_id and m.product_id = r.product_id;
$was$;
begin
  if strpos(told, was) = 0 then
    raise exception 'write() is another one than this changes';
  end if;
  execute replace(told, was, format(e'        if step -> ''left'' <> ''[]'' then\n%s        end if;\n', was));
end
$$;

-- When terms that are recorded at a moment first begin or end by themselves after it; null where they do not.
create function first_boundary(status text, valid_from timestamptz, valid_until timestamptz, after timestamptz) returns timestamptz
  language sql immutable parallel safe
  return case when status = 'ACTIVE' then
    case when valid_from > after then valid_from when valid_until > after then valid_until end end;

-- A tenant's boundaries are looked for from such a moment on: those of which the queue was told may come after it.
create function expect_boundary(of_tenant uuid, soonest timestamptz) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  queued timestamptz;
begin
  select b.queued_until into queued from sale_offer_boundaries b where b.tenant_id = of_tenant;
  if not found then
    insert into sale_offer_boundaries (tenant_id) values (of_tenant) on conflict do nothing;
  elsif queued >= soonest then
    update sale_offer_boundaries b set queued_until = least(b.queued_until, soonest - interval '1 microsecond')
     where b.tenant_id = of_tenant;
  end if;
end
$$;
revoke all on function expect_boundary(uuid, timestamptz) from public;

-- Keeps the terms that an event which did not create its offer leaves recorded, where they are others than before.
create function record_changed_terms(event_tenant uuid, offer_id uuid, event_id uuid, at timestamptz) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  offer record;
  last record;
  soonest timestamptz;
begin
  select o.variant_id, o.status, o.channel, o.countries, o.currency, o.amount, o.compare_at_amount, o.valid_from, o.valid_until,
         o.priority, o.min_quantity, o.tax_included
    into offer from sale_offers o where o.tenant_id = event_tenant and o.id = offer_id;
  select t.known_from,
         row(t.variant_id, t.status, t.channel, t.countries, t.currency, t.amount, t.compare_at_amount, t.valid_from, t.valid_until,
             t.priority, t.min_quantity, t.tax_included) is distinct from
         row(offer.variant_id, offer.status, offer.channel, offer.countries, offer.currency, offer.amount, offer.compare_at_amount,
             offer.valid_from, offer.valid_until, offer.priority, offer.min_quantity, offer.tax_included) as is_other
    into last from sale_offer_terms t
   where t.tenant_id = event_tenant and t.sale_offer_id = offer_id and t.known_until = 'infinity';
  if not found then
    -- An offer of which nothing is kept yet: its events have all, this one too.
    perform replay_sale_offer_terms(event_tenant, offer_id);
  elsif last.is_other then
    update sale_offer_terms t set known_until = at, ended_by = event_id
     where t.tenant_id = event_tenant and t.sale_offer_id = offer_id and t.known_from = last.known_from;
    insert into sale_offer_terms
      (tenant_id, sale_offer_id, variant_id, known_from, recorded_by, status, channel, countries, currency, amount, compare_at_amount,
       valid_from, valid_until, priority, min_quantity, tax_included)
    values
      (event_tenant, offer_id, offer.variant_id, at, event_id, offer.status, offer.channel, offer.countries, offer.currency, offer.amount,
       offer.compare_at_amount, offer.valid_from, offer.valid_until, offer.priority, offer.min_quantity, offer.tax_included);
    soonest := first_boundary(offer.status, offer.valid_from, offer.valid_until, at);
    if soonest is not null then
      perform expect_boundary(event_tenant, soonest);
    end if;
  end if;
end
$$;
revoke all on function record_changed_terms(uuid, uuid, uuid, timestamptz) from public;

-- However many events there are, each offer is looked up by its key.
create function record_terms() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  event record;
begin
  for event in
    with made as (
      insert into sale_offer_terms
        (tenant_id, sale_offer_id, variant_id, known_from, recorded_by, status, channel, countries, currency, amount, compare_at_amount,
         valid_from, valid_until, priority, min_quantity, tax_included)
      select r.tenant_id, r.resource_id, o.variant_id, r.occurred_at, r.id, o.status, o.channel, o.countries, o.currency, o.amount,
             o.compare_at_amount, o.valid_from, o.valid_until, o.priority, o.min_quantity, o.tax_included
        from rows r join sale_offers o on o.tenant_id = r.tenant_id and o.id = r.resource_id
       where r.kind = 'sale_offers' and r.topic = 'sale_offer/created'
      returning tenant_id, first_boundary(status, valid_from, valid_until, known_from) as soonest
    )
    select m.tenant_id, min(m.soonest) as soonest from made m where m.soonest is not null group by 1
  loop
    perform expect_boundary(event.tenant_id, event.soonest);
  end loop;
  for event in
    select r.tenant_id, r.resource_id, r.id, r.occurred_at from rows r
     where r.kind = 'sale_offers' and r.topic <> 'sale_offer/created' and r.effective_at is null order by r.sequence
  loop
    perform record_changed_terms(event.tenant_id, event.resource_id, event.id, event.occurred_at);
  end loop;
  return null;
end
$$;
revoke all on function record_terms() from public;

drop trigger events_record_sale_offer_terms on events;
drop function record_sale_offer_terms();
create trigger events_record_terms after insert on events referencing new table as rows
  for each statement execute function record_terms();
