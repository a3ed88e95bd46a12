-- What /ready tells: whether the database has had a migration (null where none is named), and for how many seconds the oldest event has
-- waited to be fanned out, and the delivery that is most overdue to be attempted; null where none waits. Of every tenant at once, one
-- index look-up each, and nothing of any of them but these ages.
create function readiness(needed text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, public set row_security = off
  begin atomic
    select jsonb_build_object(
      'migrated', case when needed is not null then exists (select from schema_migrations m where m.name = needed) end,
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
