-- Recorded terms of sale offers, and the events of the moments at which offers begin and end.

-- Returns when terms that are recorded at a moment first begin or end after it; null if they do not.
create or replace function first_boundary(status text, valid_from timestamptz, valid_until timestamptz, after timestamptz) returns timestamptz
  language sql immutable parallel safe
  return case when status = 'ACTIVE' then
    case when valid_from > after then valid_from when valid_until > after then valid_until end end;

-- Notes that a tenant has boundaries from a moment on, even if the queue has messages for later ones already.
create or replace function expect_boundary(of_tenant uuid, soonest timestamptz) returns void
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

-- record_terms() does this since it compares all offers of a write in one statement.
drop function if exists record_changed_terms(uuid, uuid, uuid, timestamptz);

-- Return a tenant's ends, or starts, of offers after one of its boundaries. At the same moment, offers end before others begin. Postgres inlines both.
create or replace function ends_after(of_tenant uuid, last_at timestamptz, last_topic text, last_offer uuid)
  returns table (at timestamptz, sale_offer_id uuid)
  language sql stable as $$
  select t.valid_until, t.sale_offer_id from sale_offer_terms t
   where t.tenant_id = of_tenant and t.status = 'ACTIVE' and t.valid_until > t.known_from and t.valid_until <= t.known_until
     and (t.valid_until, t.sale_offer_id) > (last_at, case when last_topic in ('', 'sale_offer/ended') then last_offer
                                                      else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end)
$$;
create or replace function starts_after(of_tenant uuid, last_at timestamptz, last_topic text, last_offer uuid)
  returns table (at timestamptz, sale_offer_id uuid)
  language sql stable as $$
  select t.valid_from, t.sale_offer_id from sale_offer_terms t
   where t.tenant_id = of_tenant and t.status = 'ACTIVE' and t.valid_from > t.known_from and t.valid_from <= t.known_until
     and (t.valid_from, t.sale_offer_id) > (last_at, case when last_topic = 'sale_offer/started' then last_offer
                                                     else '00000000-0000-0000-0000-000000000000' end)
$$;

-- Returns a tenant's boundaries after one of them, in order, up to a moment.
create or replace function boundaries_after(tenant uuid, last_at timestamptz, last_topic text, last_offer uuid, up_to timestamptz, most int)
  returns table (at timestamptz, topic text, sale_offer_id uuid)
  language plpgsql stable rows 50 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
begin
  return query
    select each.* from (
      (select e.at, 'sale_offer/ended' collate "C" as topic, e.sale_offer_id from ends_after(tenant, last_at, last_topic, last_offer) e
        where e.at <= up_to order by e.at, e.sale_offer_id limit most)
      union all
      (select s.at, 'sale_offer/started', s.sale_offer_id from starts_after(tenant, last_at, last_topic, last_offer) s
        where s.at <= up_to order by s.at, s.sale_offer_id limit most)
    ) as each order by each.at, each.topic, each.sale_offer_id limit most;
end
$$;

-- Returns the boundaries of the session's tenant that are due by its clock.
-- A suspended tenant has none; its boundaries become events when it is resumed.
create or replace function due_boundaries(most int) returns table (at timestamptz, topic text, sale_offer_id uuid)
  language sql volatile rows 50
  begin atomic
    select d.at, d.topic, d.sale_offer_id
      from sale_offer_boundaries b join tenant_clock c on c.tenant_id = b.tenant_id
     cross join lateral boundaries_after(b.tenant_id, b.recorded_at, b.recorded_topic, b.recorded_offer, greatest(clock_timestamp(), c.last_at), most) d
     where b.tenant_id = current_tenant() and not is_suspended();
  end;

-- Records prepared boundaries as events, in their order: [{event, topic, at, offer, version, document}].
-- Recording stops at the first offer that changed since it was prepared. Boundaries that are events already are skipped.
-- The prices that changed meanwhile are announced.
-- Returns how many events it recorded, whether all were events before, whether a subscription awaits one, and the tenant's time.
create or replace function record_boundaries(prepared jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  last sale_offer_boundaries;
  moment timestamptz;
  clock_before timestamptz;
  announced int;
  first_sequence bigint;
  given record;
  chosen record;
  patterns text[];
begin
  select array_agg(g.event) as events, array_agg(g.topic) as topics, array_agg(g.at) as ats, array_agg(g.offer) as offers,
         array_agg(g.version) as versions, array_agg(g.document) as documents
    into given
    from jsonb_to_recordset(prepared) as g(event uuid, topic text, at timestamptz, offer uuid, version int, document text);
  -- Returns without waiting for the clock if nothing is due, or another worker recorded everything.
  select * into last from sale_offer_boundaries b where b.tenant_id = tenant;
  if (last.recorded_at, last.recorded_topic, last.recorded_offer)
       >= (given.ats[cardinality(given.ats)], given.topics[cardinality(given.ats)], given.offers[cardinality(given.ats)])
     or not exists (select from due_boundaries(1)) then
    select greatest(clock_timestamp(), c.last_at) into moment from tenant_clock c where c.tenant_id = tenant;
    return jsonb_build_object('recorded', 0, 'passed', true, 'awaited', false, 'now', instant_text(moment));
  end if;

  select c.last_at, greatest(clock_timestamp(), c.last_at + interval '1 microsecond') into clock_before, moment
    from tenant_clock c where c.tenant_id = tenant for no key update;
  -- From here on no other transaction records terms.
  moment := greatest(clock_timestamp(), moment);
  select * into last from sale_offer_boundaries b where b.tenant_id = tenant;
  with due as materialized (
    select d.at, d.topic, d.sale_offer_id, row_number() over (order by d.at, d.topic collate "C", d.sale_offer_id) as n
      from boundaries_after(tenant, last.recorded_at, last.recorded_topic, last.recorded_offer, moment, cardinality(given.events)) d
  ), matched as materialized (
    select d.n, d.at, d.topic, d.sale_offer_id, g.event, g.document, o.version
      from due d
      left join unnest(given.events, given.topics, given.ats, given.offers, given.versions, given.documents)
                  as g(event, topic, at, offer, version, document)
        on g.offer = d.sale_offer_id and g.at = d.at and g.topic = d.topic
      left join sale_offers o on o.tenant_id = tenant and o.id = g.offer and o.version = g.version
  )
  select count(*)::int as amount, array_agg(m.event order by m.n) as events, array_agg(m.topic order by m.n) as topics,
         array_agg(m.at order by m.n) as ats, array_agg(m.sale_offer_id order by m.n) as offers,
         array_agg(m.version order by m.n) as versions, array_agg(m.document order by m.n) as documents
    into chosen
    from matched m where m.n < coalesce((select min(o.n) from matched o where o.version is null), m.n + 1);
  if chosen.amount = 0 then
    return jsonb_build_object('recorded', 0, 'passed', false, 'awaited', false, 'now', instant_text(moment));
  end if;

  update tenant_clock c
     set last_at = moment + (chosen.amount - 1) * interval '1 microsecond', sequence = c.sequence + chosen.amount
   where c.tenant_id = tenant
  returning c.sequence - chosen.amount into first_sequence;
  patterns := subscribed_patterns();
  insert into events (tenant_id, sequence, id, topic, kind, resource_id, resource_version, occurred_at, effective_at,
                      actor, api_version, request_id, document, changes, fanned_out_at)
  select tenant, first_sequence + e.n, e.event, e.topic, 'sale_offers', e.offer, e.version,
         time_of_change(moment, e.n - 1), e.at, '{}', '', e.event::text, e.document, '[]',
         case when not topic_patterns(e.topic) && patterns then moment end
    from unnest(chosen.events, chosen.topics, chosen.ats, chosen.offers, chosen.versions, chosen.documents)
           with ordinality as e(event, topic, at, offer, version, document, n);
  update sale_offer_boundaries b
     set recorded_at = chosen.ats[chosen.amount], recorded_topic = chosen.topics[chosen.amount], recorded_offer = chosen.offers[chosen.amount]
   where b.tenant_id = tenant;
  announced := announce_price_changes(clock_before, patterns);
  return jsonb_build_object(
    'recorded', chosen.amount, 'passed', false, 'now', instant_text(moment),
    'awaited', announced > 0 or exists (select from unnest(chosen.topics) as each(topic) where topic_patterns(each.topic) && patterns));
end
$$;

-- Returns the seconds, up to a moment, at which boundaries are to come that the queue has no message for.
-- The caller sends a message for each, with a delay until then.
create or replace function take_boundaries_ahead(moment timestamptz, up_to timestamptz) returns setof timestamptz
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  own sale_offer_boundaries;
  found_at timestamptz;
  last timestamptz;
begin
  select * into own from sale_offer_boundaries b where b.tenant_id = tenant for no key update;
  -- A value further ahead was written by a clock that has been set back since.
  last := greatest(moment, own.recorded_at, case when own.queued_until <= up_to + interval '5 seconds' then own.queued_until end);
  loop
    select b.at into found_at from boundaries_after(tenant, last, 'sale_offer/started', 'ffffffff-ffff-ffff-ffff-ffffffffffff', up_to, 1) b;
    exit when not found;
    last := date_trunc('second', found_at);
    if last < found_at then
      last := last + interval '1 second';
    end if;
    return next last;
  end loop;
  update sale_offer_boundaries b set queued_until = up_to where b.tenant_id = tenant and b.queued_until <> up_to;
end
$$;
