-- Scans over all tenants for recurring jobs. They return ids and ages, and nothing else about a tenant.
-- `row_security = off` makes a scan fail if its owner is subject to row security, instead of finding nothing.

-- Returns served tenants after one, in order, that have events to fan out or deliveries to attempt at a moment.
create or replace function tenants_with_work(moment timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select t.id from tenants t
     where (tenants_with_work.after is null or t.id > tenants_with_work.after) and t.status = 'ACTIVE'
       and (exists (select from events e where e.tenant_id = t.id and e.fanned_out_at is null)
         or exists (select from webhook_subscriptions s
                     where s.tenant_id = t.id and s.status = 'ACTIVE' and s.topic is not null
                       and s.callback_url is not null and exists (
                       select from webhook_deliveries d
                        where d.tenant_id = t.id and d.subscription_id = s.id and d.status = 'PENDING'
                          and d.next_attempt_at <= moment)))
     order by t.id limit most;
  end;
revoke all on function tenants_with_work(timestamptz, uuid, int) from public;
grant execute on function tenants_with_work(timestamptz, uuid, int) to catalogue_app;

-- Returns served tenants after one, in order, with idempotency keys, event documents or deliveries from before some moments.
create or replace function tenants_to_tidy(
  keys_before timestamptz, documents_before timestamptz, deliveries_before timestamptz, after uuid, most int
) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select t.id from tenants t
     where (tenants_to_tidy.after is null or t.id > tenants_to_tidy.after) and t.status = 'ACTIVE' and t.kept_until <= now()
       and (exists (select from idempotency_keys k where k.tenant_id = t.id and k.created_at < keys_before)
         or exists (select from events e
                     where e.tenant_id = t.id and e.document is not null and e.occurred_at < documents_before)
         or exists (select from webhook_deliveries d where d.tenant_id = t.id and d.created_at < deliveries_before))
     order by t.id limit most;
  end;
revoke all on function tenants_to_tidy(timestamptz, timestamptz, timestamptz, uuid, int) from public;
grant execute on function tenants_to_tidy(timestamptz, timestamptz, timestamptz, uuid, int) to catalogue_app;

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

-- Returns served tenants after one, in order, with collection rebuilds that no worker has leased.
create or replace function tenants_rebuilding(after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select distinct r.tenant_id from collection_rebuilds r join tenants t on t.id = r.tenant_id and t.status = 'ACTIVE'
     where r.leased_until < now() and (tenants_rebuilding.after is null or t.id > tenants_rebuilding.after)
     order by r.tenant_id limit most;
  end;
revoke all on function tenants_rebuilding(uuid, int) from public;
grant execute on function tenants_rebuilding(uuid, int) to catalogue_app;

-- Returns served tenants after one, in order, that have boundaries up to a moment which are no events yet.
create or replace function tenants_with_boundaries(up_to timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = off
  begin atomic
    select t.id from tenants t join sale_offer_boundaries b on b.tenant_id = t.id
     where (tenants_with_boundaries.after is null or t.id > tenants_with_boundaries.after) and t.status = 'ACTIVE'
       and exists (select from boundaries_after(t.id, b.told_at, b.told_topic, b.told_offer, up_to, 1))
     order by t.id limit most;
  end;
revoke all on function tenants_with_boundaries(timestamptz, uuid, int) from public;
grant execute on function tenants_with_boundaries(timestamptz, uuid, int) to catalogue_app;

-- Returns what /ready reports. migrated: whether the database has a version of the schema; null if none is named. isAhead: whether it
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
         where s.status = 'ACTIVE' and s.topic is not null and s.callback_url is not null));
  end;
revoke all on function readiness(text) from public;
grant execute on function readiness(text) to catalogue_app;
