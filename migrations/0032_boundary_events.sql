-- Events of moments that were recorded beforehand: a sale offer begins to apply, or ceases to, as its recorded terms say. They are no
-- change of the offer, whose version and times stay as they are, and stand in the sequence with the changes.

-- The moment that an event tells of, where it is of no change.
alter table events add column effective_at timestamptz;
-- Each happens once, whoever finds it.
create unique index events_boundary on events (tenant_id, kind, resource_id, topic, effective_at) where effective_at is not null;

-- Where recorded terms begin and cease to apply: not before they were recorded, and not after they were changed. At the moment of the
-- change itself they still do, as in a timeline (src/resources/prices/timeline.ts).
create index sale_offer_terms_started on sale_offer_terms (tenant_id, valid_from, sale_offer_id)
  where status = 'ACTIVE' and valid_from > known_from and valid_from <= known_until;
create index sale_offer_terms_ended on sale_offer_terms (tenant_id, valid_until, sale_offer_id)
  where status = 'ACTIVE' and valid_until > known_from and valid_until <= known_until;

-- How far a tenant's boundaries are events. Terms that are recorded later have none before: the tenant's clock was further then.
create table sale_offer_boundaries (
  tenant_id uuid primary key references tenants on delete cascade,
  -- The last one that is.
  told_at timestamptz not null default '-infinity',
  told_topic text collate "C" not null default '',
  told_offer uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Until when workers were told to wake at those that are to come.
  queued_until timestamptz not null default '-infinity'
);
call protect('sale_offer_boundaries');

-- What passed before this migration is not told.
insert into sale_offer_boundaries (tenant_id, told_at) select tenant_id, greatest(now(), last_at) from tenant_clock;

-- The boundaries of a tenant behind one of them, in order, up to a moment: at the same moment offers end before others start.
create function boundaries_after(told_at timestamptz, told_topic text, told_offer uuid, up_to timestamptz, most int)
  returns table (at timestamptz, topic text, sale_offer_id uuid)
  language plpgsql stable rows 50 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
  after_ended uuid := case when told_topic in ('', 'sale_offer/ended') then boundaries_after.told_offer
                        else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  after_started uuid := case when told_topic = 'sale_offer/started' then boundaries_after.told_offer
                          else '00000000-0000-0000-0000-000000000000' end;
begin
  return query
    select each.* from (
      (select t.valid_until as at, 'sale_offer/ended' collate "C" as topic, t.sale_offer_id from sale_offer_terms t
        where t.tenant_id = tenant and t.status = 'ACTIVE' and t.valid_until > t.known_from and t.valid_until <= t.known_until
          and (t.valid_until, t.sale_offer_id) > (boundaries_after.told_at, after_ended) and t.valid_until <= up_to
        order by t.valid_until, t.sale_offer_id limit most)
      union all
      (select t.valid_from, 'sale_offer/started', t.sale_offer_id from sale_offer_terms t
        where t.tenant_id = tenant and t.status = 'ACTIVE' and t.valid_from > t.known_from and t.valid_from <= t.known_until
          and (t.valid_from, t.sale_offer_id) > (boundaries_after.told_at, after_started) and t.valid_from <= up_to
        order by t.valid_from, t.sale_offer_id limit most)
    ) as each order by each.at, each.topic, each.sale_offer_id limit most;
end
$$;

-- Those of the session's tenant that are due by its clock. None while older events are being read into its terms, nor while it is
-- suspended: they are told afterwards.
create function due_boundaries(most int) returns table (at timestamptz, topic text, sale_offer_id uuid)
  language sql volatile rows 50
  begin atomic
    select d.at, d.topic, d.sale_offer_id
      from sale_offer_boundaries b join tenant_clock c on c.tenant_id = b.tenant_id
     cross join lateral boundaries_after(b.told_at, b.told_topic, b.told_offer, greatest(clock_timestamp(), c.last_at), most) d
     where b.tenant_id = current_tenant() and not is_suspended()
       and not exists (select from sale_offer_terms_due t where t.tenant_id = current_tenant());
  end;

-- Records the boundaries that are due, as far as they are those that were prepared, in that order: [{event, topic, at, offer, version,
-- document}]. What was prepared of an offer that was changed meanwhile, and what follows it, is not recorded; what has been told is
-- passed over. Tells how many events there are now, whether all of it had been told before, whether a webhook subscription asked for
-- one of them, and the tenant's time.
create function record_boundaries(prepared jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
<<this>>
declare
  tenant uuid := current_tenant();
  last sale_offer_boundaries;
  moment timestamptz;
  first_sequence bigint;
  given record;
  chosen record;
  patterns text[];
begin
  select array_agg(g.event) as events, array_agg(g.topic) as topics, array_agg(g.at) as ats, array_agg(g.offer) as offers,
         array_agg(g.version) as versions, array_agg(g.document) as documents
    into given
    from jsonb_to_recordset(prepared) as g(event uuid, topic text, at timestamptz, offer uuid, version int, document text);
  -- Nobody waits for the clock in vain: where nothing is due, or another has recorded all of it.
  select * into last from sale_offer_boundaries b where b.tenant_id = tenant;
  if (last.told_at, last.told_topic, last.told_offer)
       >= (given.ats[cardinality(given.ats)], given.topics[cardinality(given.ats)], given.offers[cardinality(given.ats)])
     or not exists (select from due_boundaries(1)) then
    select greatest(clock_timestamp(), c.last_at) into moment from tenant_clock c where c.tenant_id = tenant;
    return jsonb_build_object('recorded', 0, 'passed', true, 'awaited', false, 'now', instant_text(moment));
  end if;

  select greatest(clock_timestamp(), c.last_at + interval '1 microsecond') into moment
    from tenant_clock c where c.tenant_id = tenant for no key update;
  -- As of here nobody records other terms.
  moment := greatest(clock_timestamp(), moment);
  select * into last from sale_offer_boundaries b where b.tenant_id = tenant;
  with due as materialized (
    select d.at, d.topic, d.sale_offer_id, row_number() over (order by d.at, d.topic collate "C", d.sale_offer_id) as n
      from boundaries_after(last.told_at, last.told_topic, last.told_offer, moment, cardinality(given.events)) d
  ), held as materialized (
    select d.n, d.at, d.topic, d.sale_offer_id, g.event, g.document, o.version
      from due d
      left join unnest(given.events, given.topics, given.ats, given.offers, given.versions, given.documents)
                  as g(event, topic, at, offer, version, document)
        on g.offer = d.sale_offer_id and g.at = d.at and g.topic = d.topic
      left join sale_offers o on o.tenant_id = tenant and o.id = g.offer and o.version = g.version
  )
  select count(*)::int as amount, array_agg(h.event order by h.n) as events, array_agg(h.topic order by h.n) as topics,
         array_agg(h.at order by h.n) as ats, array_agg(h.sale_offer_id order by h.n) as offers,
         array_agg(h.version order by h.n) as versions, array_agg(h.document order by h.n) as documents
    into chosen
    from held h where h.n < coalesce((select min(o.n) from held o where o.version is null), h.n + 1);
  if chosen.amount = 0 then
    return jsonb_build_object('recorded', 0, 'passed', false, 'awaited', false, 'now', instant_text(moment));
  end if;

  update tenant_clock c
     set last_at = moment + (chosen.amount - 1) * interval '1 microsecond', sequence = c.sequence + chosen.amount
   where c.tenant_id = tenant
  returning c.sequence - chosen.amount into first_sequence;
  -- Under the clock's lock, as in record_changes().
  patterns := (select coalesce(array_agg(distinct s.topic), '{}') from webhook_subscriptions s
               where s.tenant_id = tenant and s.status <> 'DISABLED');
  insert into events (tenant_id, sequence, id, topic, kind, resource_id, resource_version, occurred_at, effective_at,
                      actor, api_version, request_id, document, changes, fanned_out_at)
  select tenant, first_sequence + e.n, e.event, e.topic, 'sale_offers', e.offer, e.version,
         moment + (e.n - 1) * interval '1 microsecond', e.at, '{}', '', e.event::text, e.document, '[]',
         case when not array[e.topic, 'sale_offer/*', '*'] && patterns then moment end
    from unnest(chosen.events, chosen.topics, chosen.ats, chosen.offers, chosen.versions, chosen.documents)
           with ordinality as e(event, topic, at, offer, version, document, n);
  update sale_offer_boundaries b
     set told_at = chosen.ats[chosen.amount], told_topic = chosen.topics[chosen.amount], told_offer = chosen.offers[chosen.amount]
   where b.tenant_id = tenant;
  return jsonb_build_object('recorded', chosen.amount, 'passed', false, 'awaited', chosen.topics || '{sale_offer/*,*}'::text[] && patterns,
                            'now', instant_text(moment));
end
$$;

-- The seconds, up to a moment, at which boundaries of the session's tenant are to come that nobody was told of yet, each as the first
-- one behind them. Whoever asks wakes a worker at each.
create function take_boundaries_ahead(moment timestamptz, up_to timestamptz) returns setof timestamptz
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  own sale_offer_boundaries;
  found_at timestamptz;
  last timestamptz;
begin
  select * into own from sale_offer_boundaries b where b.tenant_id = tenant for no key update;
  -- What lies further ahead was written by a clock that has been set back since.
  last := greatest(moment, own.told_at, case when own.queued_until <= up_to + interval '5 seconds' then own.queued_until end);
  loop
    select b.at into found_at from boundaries_after(last, 'sale_offer/started', 'ffffffff-ffff-ffff-ffff-ffffffffffff', up_to, 1) b;
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

-- Tenants after one, in order, that have boundaries up to a moment which are no events yet.
create function tenants_with_boundaries(up_to timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public set row_security = off set enable_seqscan = off
  begin atomic
    select t.id from tenants t join sale_offer_boundaries b on b.tenant_id = t.id
     where (tenants_with_boundaries.after is null or t.id > tenants_with_boundaries.after) and t.status = 'ACTIVE'
       and (exists (select from sale_offer_terms s
                     where s.tenant_id = t.id and s.status = 'ACTIVE' and s.valid_until > s.known_from and s.valid_until <= s.known_until
                       and (s.valid_until, s.sale_offer_id) > (b.told_at, case when b.told_topic in ('', 'sale_offer/ended') then b.told_offer
                         else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end)
                       and s.valid_until <= up_to)
         or exists (select from sale_offer_terms s
                     where s.tenant_id = t.id and s.status = 'ACTIVE' and s.valid_from > s.known_from and s.valid_from <= s.known_until
                       and (s.valid_from, s.sale_offer_id) > (b.told_at, case when b.told_topic = 'sale_offer/started' then b.told_offer
                         else '00000000-0000-0000-0000-000000000000' end)
                       and s.valid_from <= up_to))
       and not exists (select from sale_offer_terms_due d where d.tenant_id = t.id)
     order by t.id limit most;
  end;
revoke all on function tenants_with_boundaries(timestamptz, uuid, int) from public;
grant execute on function tenants_with_boundaries(timestamptz, uuid, int) to catalogue_app;

-- As before; where terms have boundaries to come the tenant is known to have them, and one that workers were to be woken for already
-- is looked for again.
create or replace function record_sale_offer_terms() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  offer record;
  last record;
  soonest timestamptz;
  queued timestamptz;
begin
  select o.variant_id, o.status, o.channel, o.countries, o.currency, o.amount, o.compare_at_amount, o.valid_from, o.valid_until,
         o.priority, o.min_quantity, o.tax_included
    into offer from sale_offers o where o.tenant_id = new.tenant_id and o.id = new.resource_id;
  if new.topic <> 'sale_offer/created' then
    select t.known_from,
           row(t.variant_id, t.status, t.channel, t.countries, t.currency, t.amount, t.compare_at_amount, t.valid_from, t.valid_until,
               t.priority, t.min_quantity, t.tax_included) is distinct from
           row(offer.variant_id, offer.status, offer.channel, offer.countries, offer.currency, offer.amount, offer.compare_at_amount,
               offer.valid_from, offer.valid_until, offer.priority, offer.min_quantity, offer.tax_included) as is_other
      into last from sale_offer_terms t
     where t.tenant_id = new.tenant_id and t.sale_offer_id = new.resource_id and t.known_until = 'infinity';
    if not found then
      -- An offer of which nothing is kept yet: its events have all, this one too.
      perform replay_sale_offer_terms(new.tenant_id, new.resource_id);
      return null;
    end if;
    if not last.is_other then
      return null;
    end if;
    update sale_offer_terms t set known_until = new.occurred_at, ended_by = new.id
     where t.tenant_id = new.tenant_id and t.sale_offer_id = new.resource_id and t.known_from = last.known_from;
  end if;
  insert into sale_offer_terms
    (tenant_id, sale_offer_id, variant_id, known_from, recorded_by, status, channel, countries, currency, amount, compare_at_amount,
     valid_from, valid_until, priority, min_quantity, tax_included)
  values
    (new.tenant_id, new.resource_id, offer.variant_id, new.occurred_at, new.id, offer.status, offer.channel, offer.countries,
     offer.currency, offer.amount, offer.compare_at_amount, offer.valid_from, offer.valid_until, offer.priority, offer.min_quantity,
     offer.tax_included);
  soonest := case when offer.valid_from > new.occurred_at then offer.valid_from
                  when offer.valid_until > new.occurred_at then offer.valid_until end;
  if offer.status = 'ACTIVE' and soonest is not null then
    select b.queued_until into queued from sale_offer_boundaries b where b.tenant_id = new.tenant_id;
    if not found then
      insert into sale_offer_boundaries (tenant_id) values (new.tenant_id) on conflict do nothing;
    elsif queued >= soonest then
      update sale_offer_boundaries b set queued_until = least(b.queued_until, soonest - interval '1 microsecond')
       where b.tenant_id = new.tenant_id;
    end if;
  end if;
  return null;
end
$$;

-- Events of boundaries record no terms.
drop trigger events_record_sale_offer_terms on events;
create trigger events_record_sale_offer_terms after insert on events
  for each row when (new.kind = 'sale_offers' and new.effective_at is null) execute function record_sale_offer_terms();

call make_writers();
