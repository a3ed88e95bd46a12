-- A subscription may be made before it is known of what it tells, or where to; nothing is sent until both are.

alter table webhook_subscriptions
  alter column topic drop not null,
  alter column callback_url drop not null,
  alter column callback_host drop not null,
  add constraint webhook_subscriptions_host_of_url check ((callback_url is null) = (callback_host is null));

comment on column webhook_subscriptions.scopes is
  'What whoever aimed the subscription (address, topic, version, paths) could read: scopes, for a person those with the permission.';

-- Subscriptions without a topic or an address have no work.
create or replace function tenants_with_work(moment timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public set row_security = off
  begin atomic
    select t.id from tenants t
     where (tenants_with_work.after is null or t.id > tenants_with_work.after)
       and (exists (select from events e where e.tenant_id = t.id and e.fanned_out_at is null)
         or exists (select from webhook_subscriptions s
                     where s.tenant_id = t.id and s.status = 'ACTIVE' and s.topic is not null
                       and s.callback_url is not null and exists (
                       select from webhook_deliveries d
                        where d.tenant_id = t.id and d.subscription_id = s.id and d.status = 'PENDING'
                          and d.next_attempt_at <= moment)))
     order by t.id limit most;
  end;
