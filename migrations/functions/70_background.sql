-- Background work: the deliveries that may be attempted, and the tenants that have work.

-- Returns whether a subscription receives events.
create or replace function can_receive(s webhook_subscriptions) returns boolean
  language sql immutable parallel safe return s.status = 'ACTIVE' and s.topic is not null and s.callback_url is not null;

-- Returns the number of consecutive failures to reach a callback host that opens its circuit breaker.
create or replace function failures_that_open() returns int language sql immutable parallel safe return 5;

-- Returns the number of attempts that a callback host allows at once: none while its circuit breaker is open, and one after that until it is reached.
create or replace function attempts_at_once(failures int, open_until timestamptz, moment timestamptz) returns int
  language sql immutable parallel safe
  return case when failures < failures_that_open() or failures is null then 10 when open_until > moment then 0 else 1 end;

-- Returns whether a worker attempts a delivery at a moment.
create or replace function is_attempted(d webhook_deliveries, moment timestamptz) returns boolean
  language sql immutable parallel safe return d.lease is not null and d.leased_until > moment;

-- Returns one row: the subscriptions that receive events at a URL. Postgres inlines the function. Without `offset`, it would compute the row
-- for each use, and no longer inline a function that takes it.
create or replace function subscriptions_of_url(of_tenant uuid, of_host text, of_url text) returns table (ids uuid[])
  language sql stable as $$
  select array(select t.id from webhook_subscriptions t
                where t.tenant_id = of_tenant and t.callback_host = of_host and t.callback_url = of_url and can_receive(t)) offset 0
$$;

-- Returns the deliveries that hold up a delivery: a URL receives the events of a resource in order, through whichever of its subscriptions. A
-- pending delivery holds up later ones until five attempts have failed. If its secret cannot be decrypted, it holds up only its own
-- subscription. The delivery is given by its columns: Postgres inlines the function, but would copy a row for each condition.
create or replace function earlier_deliveries(
    of_tenant uuid, of_subscription uuid, same_url uuid[], of_kind text, of_resource uuid, before bigint, moment timestamptz) returns table (id uuid)
  language sql stable as $$
  select e.id from webhook_deliveries e
   where e.tenant_id = of_tenant and e.resource_id = of_resource and e.kind = of_kind and e.event_sequence < before and e.status = 'PENDING'
     and (e.deferred_for is distinct from 'secret_unreadable' or e.subscription_id = of_subscription)
     -- Not `= any (same_url)`: old statistics would make Postgres read all pending deliveries of these subscriptions.
     and array_position(same_url, e.subscription_id) is not null and (e.attempts < 5 or (e.attempts = 5 and e.leased_until > moment))
$$;

-- Returns the callback hosts of the session's tenant, and how many more attempts each allows at a moment. Postgres inlines the function.
create or replace function host_slots(moment timestamptz) returns table (host text, slots int)
  language sql stable as $$
  -- Apart from subscriptions, so that Postgres reads the index of leases, whatever its statistics.
  with attempted as materialized (
    select d.subscription_id from webhook_deliveries d where d.tenant_id = current_tenant() and is_attempted(d, moment)
  )
  select s.callback_host, attempts_at_once(max(h.failures), max(h.open_until), moment)
         - (select count(*) from attempted a where a.subscription_id = any(array_agg(s.id)))::int
    from webhook_subscriptions s left join webhook_hosts h on h.tenant_id = s.tenant_id and h.host = s.callback_host
   where s.tenant_id = current_tenant() and s.callback_host is not null and not is_suspended()
   group by s.callback_host having bool_or(can_receive(s))
$$;

-- Returns the deliveries of the session's tenant that may be attempted at a moment, numbered by `place` at each callback host.
-- Time: the delivery is due and has attempts left, and its subscription receives events.
-- Order: no earlier delivery holds it up. Slots: its host allows another attempt at once.
-- `of_ids` or `of_hosts` restrict the deliveries. With `longest_mark`, deliveries are left out whose message is on its way; a later mark
-- was made by a clock that has been set back.
-- Two queries, each with a plan that the session keeps: one by ids, one that reads each subscription in the order of its index and ends early.
-- Without `enable_sort = off`, old statistics make Postgres read and sort all pending deliveries of the tenant for each subscription.
create or replace function deliveries_ready(moment timestamptz, most_attempts int, of_ids uuid[], of_hosts text[], longest_mark timestamptz)
  returns table (id uuid, url text, allowed text[], attempts int, place bigint)
  language plpgsql stable rows 20 set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off set jit = off as $$
#variable_conflict use_column
declare
  tenant constant uuid := current_tenant();
begin
  if of_ids is not null then
    return query
      -- Apart from the rest, because old statistics make Postgres read them once for each subscription. With `status = 'PENDING'` it would
      -- read all pending deliveries.
      with named as materialized (
        select d.* from webhook_deliveries d
         where d.tenant_id = tenant and d.id = any(of_ids) and d.completed_at is null and d.next_attempt_at <= moment and d.attempts < most_attempts
      )
      select r.id, r.url, r.allowed, r.attempts, r.place from (
        select d.id, s.callback_url as url, s.scopes as allowed, d.attempts, h.slots,
               row_number() over (partition by h.host order by d.next_attempt_at, d.event_sequence) as place
          from named d
          join webhook_subscriptions s on s.tenant_id = tenant and s.id = d.subscription_id and can_receive(s)
          join host_slots(moment) h on h.host = s.callback_host
         cross join lateral subscriptions_of_url(tenant, s.callback_host, s.callback_url) same_url
         where not coalesce((
             select true from earlier_deliveries(
               tenant, d.subscription_id, same_url.ids, d.kind, d.resource_id, d.event_sequence, moment) limit 1), false)
      ) r where r.place <= r.slots;
    return;
  end if;
  return query
    with hosts as materialized (
      select h.host, h.slots from host_slots(moment) h where h.slots > 0 and (of_hosts is null or h.host = any(of_hosts))
    )
    select r.id, r.url, r.allowed, r.attempts, r.place from (
      select d.id, s.callback_url as url, s.scopes as allowed, d.attempts, hosts.slots,
             row_number() over (partition by hosts.host order by d.next_attempt_at, d.event_sequence) as place
        from hosts
        join webhook_subscriptions s on s.tenant_id = tenant and s.callback_host = hosts.host and can_receive(s)
       cross join lateral subscriptions_of_url(tenant, s.callback_host, s.callback_url) same_url
       cross join lateral (
         select d.id, d.attempts, d.next_attempt_at, d.event_sequence from webhook_deliveries d
          where d.tenant_id = tenant and d.subscription_id = s.id and d.status = 'PENDING' and d.next_attempt_at <= moment
            and d.attempts < most_attempts
            and (longest_mark is null or not coalesce(d.queued_until > moment and d.queued_until <= longest_mark, false))
            -- A scalar subquery, because Postgres turns `exists` into a join with all pending deliveries.
            and not coalesce((
              select true from earlier_deliveries(
                tenant, d.subscription_id, same_url.ids, d.kind, d.resource_id, d.event_sequence, moment) limit 1), false)
          order by d.next_attempt_at, d.event_sequence limit hosts.slots
       ) d
    ) r where r.place <= r.slots;
end $$;

-- Takes deliveries that may be attempted at a moment and have no message on its way, and marks them with the time until which one is.
-- `of_hosts` restricts the callback hosts. Returns them in the order of their events.
create or replace function take_deliveries(moment timestamptz, mark timestamptz, most_attempts int, of_hosts text[], max_deliveries int)
  returns table (id uuid)
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  tenant constant uuid := current_tenant();
  ids constant uuid[] := array(
    select r.id from deliveries_ready(moment, most_attempts, null, of_hosts, mark) r order by r.place limit max_deliveries);
begin
  if ids = '{}' then
    return;
  end if;
  return query
    with chosen as materialized (
      select d.id from webhook_deliveries d
       where d.tenant_id = tenant and d.id = any(ids) and d.completed_at is null order by d.event_sequence for update skip locked
    ), taken as (
      update webhook_deliveries d set queued_until = mark from chosen
       where d.tenant_id = tenant and d.id = any(ids) and d.id = chosen.id
         -- Another worker may have marked it since.
         and not coalesce(d.queued_until > moment and d.queued_until <= mark, false)
      returning d.id, d.event_sequence
    )
    select taken.id from taken order by taken.event_sequence;
end $$;

-- Records outcomes of attempts of the session's tenant. outcomes: [{id, number, lease, subscription, host, milliseconds, addressMs, bodyMs,
-- httpStatus, error, response, status, nextAttemptAt, isAboutReceiver, isUnreached}]; times: {first, longest, disabledAfter} in milliseconds.
-- An outcome counts while the delivery has its lease; a success counts as long as the delivery is pending. The log of attempts always changes.
-- Returns the deliveries whose outcomes count, and why an outcome disabled the subscription.
-- All calls lock rows in one order: deliveries of their own lease, hosts by name, subscriptions by id.
create or replace function record_outcomes(outcomes jsonb, moment timestamptz, times jsonb) returns table (id uuid, reason text)
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
  pause constant interval := (times ->> 'first')::int * interval '1 millisecond';
  too_long_since constant timestamptz := moment - (times ->> 'disabledAfter')::float8 * interval '1 millisecond';
  ids constant uuid[] := array(select o.id from jsonb_to_recordset(outcomes) as o(id uuid));
  counting uuid[];
  outcome record;
  disabling text;
  disabled jsonb := '{}';
begin
  update webhook_attempts a
     set milliseconds = o.milliseconds, http_status = o."httpStatus", error = o.error, address_milliseconds = o."addressMs",
         body_milliseconds = o."bodyMs", response = o.response
    from jsonb_to_recordset(outcomes) as o(
           id uuid, number int, milliseconds int, "httpStatus" int, error text, "addressMs" int, "bodyMs" int, response text)
   where a.tenant_id = tenant and a.delivery_id = any(ids) and a.delivery_id = o.id and a.number = o.number;
  with recorded as (
    update webhook_deliveries d
       set status = o.status, lease = null, leased_until = null, deferrals = 0, deferred_for = null, next_attempt_at = o."nextAttemptAt",
           completed_at = case when o.status <> 'PENDING' then moment end
      from jsonb_to_recordset(outcomes) as o(id uuid, lease uuid, status text, error text, "nextAttemptAt" timestamptz)
     where d.tenant_id = tenant and d.id = any(ids) and d.id = o.id and d.completed_at is null and (o.error is null or d.lease = o.lease)
    returning d.id
  )
  select coalesce(array_agg(r.id), '{}') into counting from recorded r;
  for outcome in
    select o.host, o.unreached
      from rows from (jsonb_to_recordset(outcomes) as (id uuid, host text, "isAboutReceiver" boolean, "isUnreached" boolean))
           with ordinality as o(id, host, about_receiver, unreached, n)
     where o.id = any(counting) and o.about_receiver order by o.host, o.n
  loop
    if outcome.unreached then
      insert into webhook_hosts as h (tenant_id, host, failures) values (tenant, outcome.host, 1)
      on conflict (tenant_id, host) do update
        set failures = h.failures + 1,
            open_until = case when h.failures + 1 >= failures_that_open() then
              moment + least((times ->> 'longest')::int * interval '1 millisecond', pause * 2 ^ least(h.failures + 1 - failures_that_open(), 10)) end;
    else
      delete from webhook_hosts h where h.tenant_id = tenant and h.host = outcome.host;
    end if;
  end loop;
  for outcome in
    select o.subscription, o.error is null as is_success, coalesce(o.http_status = 410, false) as is_gone
      from rows from (jsonb_to_recordset(outcomes) as (
             id uuid, subscription uuid, error text, "httpStatus" int, "isAboutReceiver" boolean))
           with ordinality as o(id, subscription, error, http_status, about_receiver, n)
     where o.id = any(counting) and o.about_receiver order by o.subscription, o.n
  loop
    -- Only the first success after failures and the first failure after successes write to the subscription.
    if outcome.is_success then
      update webhook_subscriptions s set failing_since = null
       where s.tenant_id = tenant and s.id = outcome.subscription and s.failing_since is not null;
    else
      update webhook_subscriptions s
         set failing_since = coalesce(s.failing_since, moment),
             status = case when outcome.is_gone or s.failing_since <= too_long_since then 'DISABLED' else s.status end,
             disabled_reason = case when outcome.is_gone then 'gone' when s.failing_since <= too_long_since then 'failing' end
       where s.tenant_id = tenant and s.id = outcome.subscription and s.status <> 'DISABLED'
         and (s.failing_since is null or outcome.is_gone or s.failing_since <= too_long_since)
      returning s.disabled_reason into disabling;
      if disabling is not null then
        disabled := disabled || jsonb_build_object(outcome.subscription, disabling);
        disabling := null;
      end if;
    end if;
  end loop;
  return query
    select o.id, disabled ->> o.subscription::text from jsonb_to_recordset(outcomes) as o(id uuid, subscription uuid) where o.id = any(counting);
end $$;

-- The following functions scan all tenants for recurring jobs. They return ids and ages, and nothing else about a tenant.
-- `row_security = off` makes a scan fail if its owner is subject to row security, instead of finding nothing.

-- Returns served tenants after one, in order, that have events to fan out or deliveries to attempt at a moment.
create or replace function tenants_with_work(moment timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select t.id from tenants t
     where (tenants_with_work.after is null or t.id > tenants_with_work.after) and t.status = 'ACTIVE'
       and (exists (select from events e where e.tenant_id = t.id and e.fanned_out_at is null)
         or exists (select from webhook_subscriptions s
                     where s.tenant_id = t.id and can_receive(s) and exists (
                       select from webhook_deliveries d
                        where d.tenant_id = t.id and d.subscription_id = s.id and d.status = 'PENDING'
                          and d.next_attempt_at <= moment)))
     order by t.id limit most;
  end;
revoke all on function tenants_with_work(timestamptz, uuid, int) from public;
grant execute on function tenants_with_work(timestamptz, uuid, int) to catalogue_app;

-- Returns served tenants after one, in order, with idempotency keys, event documents, deliveries, responses, prices or bulk operations older
-- than the `ages` of housekeeping.ts.
create or replace function tenants_to_tidy(ages jsonb, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select t.id from tenants t
     cross join jsonb_to_record(ages) as age(keys timestamptz, documents timestamptz, deliveries timestamptz, "heldDeliveries" timestamptz,
                                              prices timestamptz, "bulkOperations" timestamptz)
     where (tenants_to_tidy.after is null or t.id > tenants_to_tidy.after) and t.status = 'ACTIVE' and t.kept_until <= now()
       and (exists (select from idempotency_keys k where k.tenant_id = t.id and k.created_at < age.keys)
         or age.documents > (
              select e.occurred_at from events e
               where e.tenant_id = t.id
                 and e.sequence > coalesce((select h.cleared_sequence from housekeeping h where h.tenant_id = t.id), 0)
               order by e.sequence limit 1)
         or exists (select from webhook_deliveries d
                     where d.tenant_id = t.id and d.status <> 'PENDING' and d.created_at < age.deliveries)
         or exists (select from webhook_deliveries d
                     where d.tenant_id = t.id and d.status = 'PENDING' and d.created_at < age."heldDeliveries")
         or exists (select from webhook_attempts a
                     where a.tenant_id = t.id and a.response is not null and a.started_at < age.deliveries)
         or exists (select from variant_prices p
                     where p.tenant_id = t.id and p.until_at <= age.prices and p.until_at < 'infinity')
         or exists (select from bulk_operations o where o.tenant_id = t.id and o.finished_at < age."bulkOperations")
         or exists (select from bulk_operation_pieces p where p.tenant_id = t.id and p.created_at < age."bulkOperations"))
     order by t.id limit most;
  end;
revoke all on function tenants_to_tidy(jsonb, uuid, int) from public;
grant execute on function tenants_to_tidy(jsonb, uuid, int) to catalogue_app;

-- Clears the documents of the tenant's next events after those of earlier calls, up to `most` of them, that occurred before a moment.
-- An event of a part of a product clears the document of the event before it, and keeps its own. Returns the number of events.
create or replace function clear_old_documents(before timestamptz, most int) returns int
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  tenant uuid := current_tenant();
  cleared bigint := coalesce((select h.cleared_sequence from housekeeping h where h.tenant_id = tenant), 0);
  aged bigint[];
begin
  aged := array(
    select n.sequence from (select e.sequence, e.occurred_at from events e where e.tenant_id = tenant and e.sequence > cleared order by e.sequence limit most) n
     where n.occurred_at < before order by n.sequence);
  update events e set document = null
   where e.tenant_id = tenant and e.document is not null and e.sequence = any(array(
     select case when a.owner_id is null then a.sequence else (
              select p.sequence from events p
               where p.tenant_id = tenant and p.kind = a.kind and p.resource_id = a.resource_id and p.sequence < a.sequence
               order by p.sequence desc limit 1) end
       from events a where a.tenant_id = tenant and a.sequence = any(aged)));
  insert into housekeeping as h (tenant_id, cleared_sequence) select tenant, aged[cardinality(aged)] where aged <> '{}'
  on conflict (tenant_id) do update set cleared_sequence = greatest(h.cleared_sequence, excluded.cleared_sequence);
  return cardinality(aged);
end
$$;

-- Returns served tenants after one, in order, whose locale changes are due.
create or replace function tenants_changing_locales(after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select distinct c.tenant_id from locale_changes c join tenants t on t.id = c.tenant_id and t.status = 'ACTIVE'
     where c.due_at <= now() and (tenants_changing_locales.after is null or t.id > tenants_changing_locales.after)
     order by c.tenant_id limit most;
  end;
revoke all on function tenants_changing_locales(uuid, int) from public;
grant execute on function tenants_changing_locales(uuid, int) to catalogue_app;

-- Returns served tenants after one, in order, with rebuilds of collections or prices that no worker has leased.
create or replace function tenants_rebuilding(after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select distinct r.tenant_id
      from (select c.tenant_id, c.leased_until from collection_rebuilds c union all select p.tenant_id, p.leased_until from price_rebuilds p) r
      join tenants t on t.id = r.tenant_id and t.status = 'ACTIVE'
     where r.leased_until < now() and (tenants_rebuilding.after is null or t.id > tenants_rebuilding.after)
     order by r.tenant_id limit most;
  end;
revoke all on function tenants_rebuilding(uuid, int) from public;
grant execute on function tenants_rebuilding(uuid, int) to catalogue_app;

-- Returns each tenant's oldest unfinished bulk operation, the only one that is performed, and when no worker has it leased.
create or replace function waiting_bulk_operations() returns table (tenant uuid, due timestamptz)
  language sql stable
  begin atomic
    select distinct on (o.tenant_id) o.tenant_id, greatest(o.leased_until, o.created_at)
      from bulk_operations o where o.finished_at is null order by o.tenant_id, o.created_at, o.id;
  end;

-- Returns served tenants after one, in order, whose bulk operation no worker has leased.
create or replace function tenants_with_bulk_operations(after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select w.tenant from waiting_bulk_operations() w join tenants t on t.id = w.tenant and t.status = 'ACTIVE'
     where w.due <= now() and (tenants_with_bulk_operations.after is null or t.id > tenants_with_bulk_operations.after)
     order by w.tenant limit most;
  end;
revoke all on function tenants_with_bulk_operations(uuid, int) from public;
grant execute on function tenants_with_bulk_operations(uuid, int) to catalogue_app;

-- Returns served tenants after one, in order, that have boundaries up to a moment which are no events yet.
create or replace function tenants_with_boundaries(up_to timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select t.id from tenants t join sale_offer_boundaries b on b.tenant_id = t.id
     where (tenants_with_boundaries.after is null or t.id > tenants_with_boundaries.after) and t.status = 'ACTIVE'
       and exists (select from boundaries_after(t.id, b.recorded_at, b.recorded_topic, b.recorded_offer, up_to, 1))
     order by t.id limit most;
  end;
revoke all on function tenants_with_boundaries(timestamptz, uuid, int) from public;
grant execute on function tenants_with_boundaries(timestamptz, uuid, int) to catalogue_app;

-- Returns what /ready of the previous Worker reports. migrated: whether the database has a version of the schema; null if none is named. isAhead: whether it
-- has a later version too. The ages, in seconds, are of the oldest event without deliveries and of the most overdue delivery; null if
-- none waits. One index look-up for each tenant.
create or replace function readiness(needed text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select jsonb_build_object(
      'migrated', case when needed is not null then exists (select from schema_migrations m where m.name = needed) end,
      'isAhead', exists (select from schema_migrations m, schema_migrations n where n.name = needed and m.applied_at > n.applied_at),
      'oldestWaitingEvent', (
        select case when count(*) > 0 then greatest(0, extract(epoch from now() - min(oldest.occurred_at))) end from tenants t cross join lateral (
          select e.occurred_at from events e where e.tenant_id = t.id and e.fanned_out_at is null order by e.sequence limit 1) as oldest),
      'oldestWaitingDelivery', (
        select extract(epoch from now() - min(oldest.next_attempt_at)) from webhook_subscriptions s cross join lateral (
          select d.next_attempt_at from webhook_deliveries d
           where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.status = 'PENDING' and d.next_attempt_at <= now()
           order by d.next_attempt_at limit 1) as oldest
         where can_receive(s)));
  end;
revoke all on function readiness(text) from public;
grant execute on function readiness(text) to catalogue_app;

-- Compares the schema with a version. migrated: whether the database has the version; null if none is named. isAhead: whether it has a
-- later version too.
create or replace function schema_state(needed text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select jsonb_build_object(
      'migrated', case when needed is not null then exists (select from schema_migrations m where m.name = needed) end,
      'isAhead', exists (select from schema_migrations m, schema_migrations n where n.name = needed and m.applied_at > n.applied_at));
  end;
revoke all on function schema_state(text) from public;
grant execute on function schema_state(text) to catalogue_app;

-- The two following functions read an index in blocks of a hundred rows, each from the end of the block before it. Look-ups of ten thousand
-- tenants would take four times as long. An index that one tenant fills is left after one block. Tenants without such rows cost nothing.

-- Returns the tenants with events that are not fanned out, and when the first of them occurred.
create or replace function waiting_events() returns table (tenant uuid, due timestamptz)
  language sql stable
  begin atomic
    with recursive blocks as (
      select array['00000000-0000-0000-0000-000000000000'::uuid] as tenants, array[null::timestamptz] as dues
      union all
      select n.tenants, n.dues from blocks b cross join lateral (
        select array_agg(o.tenant_id), array_agg(o.occurred_at) from (
          select distinct on (r.tenant_id) r.tenant_id, r.occurred_at from (
            select e.tenant_id, e.sequence, e.occurred_at from events e
             where e.fanned_out_at is null and e.tenant_id > b.tenants[cardinality(b.tenants)] order by e.tenant_id, e.sequence limit 100) r
           order by r.tenant_id, r.sequence) o) n (tenants, dues)
       where cardinality(b.tenants) > 0
    )
    select u.tenant, u.due from blocks b cross join unnest(b.tenants, b.dues) u(tenant, due) where u.due is not null;
  end;

-- Returns the subscriptions with pending deliveries, when the first of them is due, and whether it is certainly the only one of its tenant.
create or replace function pending_deliveries() returns table (tenant uuid, subscription uuid, due timestamptz, is_only boolean)
  language sql stable
  begin atomic
    with recursive blocks as (
      select array['00000000-0000-0000-0000-000000000000'::uuid] as tenants, array['00000000-0000-0000-0000-000000000000'::uuid] as subscriptions,
             array[null::timestamptz] as dues, array[false] as only
      union all
      select n.* from blocks b cross join lateral (
        select array_agg(o.tenant_id), array_agg(o.subscription_id), array_agg(o.next_attempt_at), array_agg(o.is_only) from (
          select distinct on (r.tenant_id, r.subscription_id) r.tenant_id, r.subscription_id, r.next_attempt_at,
                 -- Null at both ends of a block.
                 coalesce(lag(r.tenant_id) over w <> r.tenant_id and lead(r.tenant_id) over w <> r.tenant_id, false) as is_only
            from (select d.tenant_id, d.subscription_id, d.next_attempt_at from webhook_deliveries d
                   where d.status = 'PENDING'
                     and (d.tenant_id, d.subscription_id) > (b.tenants[cardinality(b.tenants)], b.subscriptions[cardinality(b.tenants)])
                   order by d.tenant_id, d.subscription_id, d.next_attempt_at limit 100) r
          window w as (order by r.tenant_id, r.subscription_id, r.next_attempt_at)
           order by r.tenant_id, r.subscription_id, r.next_attempt_at) o) n
       where cardinality(b.tenants) > 0
    )
    select u.* from blocks b cross join unnest(b.tenants, b.subscriptions, b.dues, b.only) u(tenant, subscription, due, is_only)
     where u.due is not null;
  end;

-- Returns the earliest times at which each kind of work of each served tenant is due, also if they are to come.
create or replace function due_work() returns table (kind text, tenant uuid, due timestamptz)
  language sql stable
  begin atomic
    select work.kind, work.tenant_id, work.due from (
      select 'event' as kind, w.tenant as tenant_id, w.due from waiting_events() w
      union all
      select 'delivery', p.tenant, p.due
        from pending_deliveries() p join webhook_subscriptions s on s.tenant_id = p.tenant and s.id = p.subscription and can_receive(s)
      union all
      -- boundaries_after() is too slow to be called for each tenant.
      select 'boundary', b.tenant_id, n.at from sale_offer_boundaries b cross join lateral (
        select min(each.at) as at from (
          (select e.at from ends_after(b.tenant_id, b.recorded_at, b.recorded_topic, b.recorded_offer) e order by e.at, e.sale_offer_id limit 1)
          union all
          (select s.at from starts_after(b.tenant_id, b.recorded_at, b.recorded_topic, b.recorded_offer) s order by s.at, s.sale_offer_id limit 1)
        ) each) n
      union all
      select 'locale_change', c.tenant_id, min(c.due_at) from locale_changes c group by c.tenant_id
      union all
      select 'rebuild', r.tenant_id, min(r.leased_until)
        from (select c.tenant_id, c.leased_until from collection_rebuilds c union all select p.tenant_id, p.leased_until from price_rebuilds p) r
       group by r.tenant_id
      union all
      select 'bulk_operation', w.tenant, w.due from waiting_bulk_operations() w
    ) work join tenants t on t.id = work.tenant_id and t.status = 'ACTIVE'
     where work.due is not null;
  end;

-- Returns when work of any tenant is due next; null if none waits. Boundaries are due earlier, because their workers are scheduled ahead.
-- Old rows for housekeeping are no work with a time.
create or replace function next_due(ahead interval) returns timestamptz
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select min(case w.kind when 'boundary' then w.due - ahead else w.due end) from due_work() w;
  end;
revoke all on function next_due(interval) from public;
grant execute on function next_due(interval) to catalogue_app;

-- Returns the work that waits. First come rows without a tenant: for each kind of work, the number of tenants and the longest wait in
-- seconds. Others have the numbers of connections and of hosts that cannot be reached. Then come, for each kind, up to `most` tenants that have
-- waited longest and at least `above` seconds. Expired rows are older than the `ages` of housekeeping.ts. Of deliveries only those count that a
-- worker could attempt at once, as deliveries_ready() says: one behind a failing delivery, or of a host that cannot be reached, waits for its receiver.
create or replace function waiting_work(above float8, most int, ages jsonb)
  returns table (kind text, tenant uuid, amount int, seconds float8)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off set jit = off
  begin atomic
    with ready as materialized (
      select p.tenant, case when p.is_only then p.due else (
               select d.next_attempt_at from webhook_deliveries d, subscriptions_of_url(s.tenant_id, s.callback_host, s.callback_url) same_url
                where d.tenant_id = p.tenant and d.subscription_id = p.subscription and d.status = 'PENDING' and d.next_attempt_at <= now()
                  and not coalesce((
                    select true from earlier_deliveries(
                      d.tenant_id, d.subscription_id, same_url.ids, d.kind, d.resource_id, d.event_sequence, now()) limit 1), false)
                order by d.next_attempt_at limit 1) end as due
        from pending_deliveries() p
        join webhook_subscriptions s on s.tenant_id = p.tenant and s.id = p.subscription and can_receive(s)
       -- `not in` builds each list once, however many deliveries Postgres expects.
       where p.due <= now() and p.tenant not in (select t.id from tenants t where t.status <> 'ACTIVE')
         and (p.tenant, s.callback_host) not in (
           select u.tenant_id, u.host from (
             select h.tenant_id, h.host, h.failures, h.open_until, 0 as attempts from webhook_hosts h
             union all
             select l.tenant_id, c.callback_host, null, null, 1
               from webhook_deliveries l join webhook_subscriptions c on c.tenant_id = l.tenant_id and c.id = l.subscription_id
              where is_attempted(l, now()) and c.callback_host is not null) u
            group by u.tenant_id, u.host
           having attempts_at_once(max(u.failures), max(u.open_until), now()) <= sum(u.attempts))
    ), expired as materialized (
      select t.id as tenant, extract(epoch from greatest(
               age.keys - (select k.created_at from idempotency_keys k
                            where k.tenant_id = t.id and k.created_at < age.keys order by k.created_at limit 1),
               age.documents - (
                 select e.occurred_at from events e
                  where e.tenant_id = t.id and e.sequence > coalesce(h.cleared_sequence, 0) order by e.sequence limit 1),
               age.deliveries - (select d.created_at from webhook_deliveries d
                                  where d.tenant_id = t.id and d.status <> 'PENDING' and d.created_at < age.deliveries
                                  order by d.created_at limit 1),
               age.deliveries - (select a.started_at from webhook_attempts a
                                  where a.tenant_id = t.id and a.response is not null and a.started_at < age.deliveries
                                  order by a.started_at limit 1),
               age.prices - (select p.until_at from variant_prices p
                              where p.tenant_id = t.id and p.until_at <= age.prices and p.until_at < 'infinity' order by p.until_at limit 1),
               age."bulkOperations" - (select o.finished_at from bulk_operations o
                                        where o.tenant_id = t.id and o.finished_at < age."bulkOperations" order by o.finished_at limit 1),
               age."bulkOperations" - (select p.created_at from bulk_operation_pieces p
                                        where p.tenant_id = t.id and p.created_at < age."bulkOperations" order by p.created_at limit 1),
               age."heldDeliveries" - held.created_at))::float8 as seconds
        from tenants t left join housekeeping h on h.tenant_id = t.id
       cross join jsonb_to_record(ages) as age(keys timestamptz, documents timestamptz, deliveries timestamptz, "heldDeliveries" timestamptz,
                                              prices timestamptz, "bulkOperations" timestamptz)
        -- The index has few rows, and reading all of them costs less than a look-up of each tenant.
        left join (select d.tenant_id, min(d.created_at) as created_at from webhook_deliveries d
                    where d.status = 'PENDING' and d.created_at < (ages ->> 'heldDeliveries')::timestamptz group by d.tenant_id) held
          on held.tenant_id = t.id
       where t.status = 'ACTIVE' and t.kept_until <= now()
    ), oldest as materialized (
      select w.kind, w.tenant, greatest(0, extract(epoch from now() - w.due))::float8 as seconds
        from due_work() w where w.due <= now() and w.kind <> 'delivery'
      union all
      select 'delivery', r.tenant, extract(epoch from now() - min(r.due))::float8 from ready r where r.due is not null group by r.tenant
      union all
      select 'expired_row', e.tenant, e.seconds from expired e where e.seconds > 0
    )
    select o.kind, null::uuid, count(*)::int, max(o.seconds) from oldest o group by o.kind
    union all
    select 'unreachable_host', null, count(*)::int, null from webhook_hosts h where h.failures >= failures_that_open()
    union all
    select 'connection', null, d.numbackends, null from pg_stat_database d where d.datname = current_database()
    union all
    select k.kind, r.tenant, 1, r.seconds from (select distinct o.kind from oldest o) k cross join lateral (
      select o.tenant, o.seconds from oldest o where o.kind = k.kind and o.seconds >= above order by o.seconds desc, o.tenant limit most) r;
  end;
revoke all on function waiting_work(float8, int, jsonb) from public;
grant execute on function waiting_work(float8, int, jsonb) to catalogue_app;
