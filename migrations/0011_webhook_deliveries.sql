-- What is sent to whom: one delivery for each event and subscription that it matches, with every attempt on it.

create table webhook_deliveries (
  tenant_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  event_id uuid not null,
  event_sequence bigint not null,
  topic text not null,
  kind text not null,
  resource_id uuid not null,
  resource_version int not null,
  -- Frozen when the event is fanned out, so that every attempt sends the same bytes.
  payload_version text not null,
  locale text not null,
  include_fields jsonb check (jsonb_typeof(include_fields) = 'array'),
  scopes text[] not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Begun, whether or not their outcome was ever recorded: since it was last opened, and before.
  attempts int not null default 0,
  earlier_attempts int not null default 0,
  next_attempt_at timestamptz not null,
  -- Until when a message is taken to be on its way to a worker.
  queued_until timestamptz,
  -- The worker that attempts it, and until when it may.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (tenant_id, id),
  -- However often an event is fanned out.
  constraint webhook_deliveries_once unique (tenant_id, subscription_id, event_id),
  foreign key (tenant_id, subscription_id) references webhook_subscriptions (tenant_id, id) on delete cascade,
  check ((status = 'PENDING') = (completed_at is null))
);
create index webhook_deliveries_log on webhook_deliveries (tenant_id, subscription_id, created_at desc, id);
create index webhook_deliveries_due on webhook_deliveries (tenant_id, subscription_id, next_attempt_at, event_sequence)
  where status = 'PENDING';
create index webhook_deliveries_order on webhook_deliveries (tenant_id, resource_id, event_sequence) where status = 'PENDING';
create index webhook_deliveries_leased on webhook_deliveries (tenant_id, lease) where lease is not null;
create index webhook_deliveries_age on webhook_deliveries (tenant_id, created_at);

-- Written when an attempt begins and completed when it ends: one without an end was interrupted.
create table webhook_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number int not null,
  callback_url text not null,
  started_at timestamptz not null,
  milliseconds int,
  http_status int,
  error text,
  primary key (tenant_id, delivery_id, number),
  foreign key (tenant_id, delivery_id) references webhook_deliveries (tenant_id, id) on delete cascade
);

-- Callback hosts that were not reached lately, how often in a row, and until when they are left alone.
create table webhook_hosts (
  tenant_id uuid not null references tenants on delete cascade,
  host text not null,
  failures int not null,
  open_until timestamptz,
  primary key (tenant_id, host)
);

call protect('webhook_deliveries');
call protect('webhook_attempts');
call protect('webhook_hosts');

-- The settings of the session's tenant that payloads are rendered by; null outside a tenant.
create function own_tenant() returns jsonb
  language sql stable security definer set search_path = pg_catalog, public
  begin atomic
    select jsonb_build_object('locales', t.locales, 'defaultApiVersion', t.default_api_version)
      from tenants t where t.id = current_tenant();
  end;

-- Tenants after one, in order, that have events to fan out or deliveries to attempt at a moment. Fails rather than find
-- nothing when its owner cannot see past row security.
create function tenants_with_work(moment timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public set row_security = off
  begin atomic
    select t.id from tenants t
     where (tenants_with_work.after is null or t.id > tenants_with_work.after)
       and (exists (select from events e where e.tenant_id = t.id and e.fanned_out_at is null)
         or exists (select from webhook_subscriptions s
                     where s.tenant_id = t.id and s.status = 'ACTIVE' and exists (
                       select from webhook_deliveries d
                        where d.tenant_id = t.id and d.subscription_id = s.id and d.status = 'PENDING'
                          and d.next_attempt_at <= moment)))
     order by t.id limit most;
  end;

revoke all on function own_tenant(), tenants_with_work(timestamptz, uuid, int) from public;
grant execute on function own_tenant(), tenants_with_work(timestamptz, uuid, int) to catalogue_app;
