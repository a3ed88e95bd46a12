-- Who is told of what: a topic, an address, and what payloads sent there may show.

create table webhook_subscriptions (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  -- A topic, `product/*` or `*`.
  topic text not null,
  callback_url text not null check (length(callback_url) <= 2048),
  -- Of the address, with its port where that is not the scheme's own: what is counted, and what fails together.
  callback_host text not null,
  -- The pinned version of payloads; null is the tenant's default when an event is fanned out.
  payload_version text,
  locale text,
  -- Dot paths in today's names; null or empty is the whole document.
  include_fields jsonb check (jsonb_typeof(include_fields) = 'array'),
  status text not null check (status in ('ACTIVE', 'PAUSED', 'DISABLED')),
  -- Encrypted, as is the one before it, which signs beside it until its time is up.
  secret text not null check (secret like 'v1.%'),
  previous_secret text check (previous_secret like 'v1.%'),
  previous_secret_until timestamptz,
  -- The scopes that the last writer held: payloads show no more than that writer could read.
  scopes text[] not null,
  -- Since when every attempt has failed, and why nothing is tried any more.
  failing_since timestamptz,
  disabled_reason text check (disabled_reason is null or status = 'DISABLED'),
  document text not null,
  primary key (tenant_id, id),
  check ((previous_secret is null) = (previous_secret_until is null))
);
create index webhook_subscriptions_created on webhook_subscriptions (tenant_id, created_at desc, id);
create index webhook_subscriptions_updated on webhook_subscriptions (tenant_id, updated_at, id);
create index webhook_subscriptions_host on webhook_subscriptions (tenant_id, callback_host);

insert into resource_kinds values ('webhook_subscriptions', 130);

call protect('webhook_subscriptions');
