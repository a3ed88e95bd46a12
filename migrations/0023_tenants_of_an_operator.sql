-- What an operator does with a tenant while it is served: several hosts, suspension, limits of its own, and locales that come
-- and go.

-- Every name that a tenant is found by. The one in `tenants` is the primary: it is one of these, as the foreign key holds.
create table tenant_hosts (
  tenant_id uuid not null references tenants on delete cascade,
  host text not null check (host = lower(host) and host !~ '[:/\s]' and right(host, 1) <> '.'),
  primary key (tenant_id, host),
  -- A host is one tenant's, of all.
  constraint tenant_hosts_host unique (host)
);
insert into tenant_hosts (tenant_id, host) select id, host from tenants;

alter table tenants
  add constraint tenants_primary_host foreign key (id, host) references tenant_hosts (tenant_id, host) deferrable initially deferred;

-- Whoever writes a primary host need not know of the others; the one before it stays a host of the tenant.
create function tenant_host_of_primary() returns trigger
  language plpgsql as $$
begin
  insert into tenant_hosts (tenant_id, host) values (new.id, new.host) on conflict (tenant_id, host) do nothing;
  return null;
end
$$;
create trigger tenants_host after insert or update of host on tenants for each row execute function tenant_host_of_primary();

alter table tenants
  -- A tenant whose removal has begun is never served again.
  add column status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED', 'REMOVING')),
  add column suspended_at timestamptz,
  add constraint tenants_suspended check ((status = 'ACTIVE') = (suspended_at is null)),
  -- Until then nothing of it is deleted for its age: what waited while it was suspended has time to be delivered first.
  add column kept_until timestamptz not null default '-infinity',
  add column webhook_subscriptions_limit int not null default 100 check (webhook_subscriptions_limit between 0 and 1000),
  add column webhook_host_limit int not null default 20 check (webhook_host_limit between 0 and 1000),
  -- Of its locales those that products are still to be indexed for, and those that are on their way out: read, and not written.
  add column arriving text[] not null default '{}',
  add column leaving text[] not null default '{}',
  -- Stored documents are rendered in the first locale.
  add constraint tenants_locale_changes
    check (arriving <@ locales and leaving <@ locales and not (arriving && leaving) and locales[1] <> all (arriving || leaving));

-- Locales that products are indexed for or that texts are taken from: in passes, each from the first row to the last.
create table locale_changes (
  tenant_id uuid not null references tenants on delete cascade,
  locale text not null,
  action text not null check (action in ('index', 'remove')),
  -- Counts the steps: a worker goes on only from where it has left the work.
  version int not null default 1,
  asked_at timestamptz not null default now(),
  -- From when on every Worker knows of it. A pass that began before leaves out what was written by those that did not.
  settles_at timestamptz not null default now() + interval '2 minutes',
  pass_began_at timestamptz not null default now(),
  -- Where the pass is: the part of the work, and in it the last row that is done.
  part int not null default 0,
  last_id uuid not null default '00000000-0000-0000-0000-000000000000',
  done bigint not null default 0,
  due_at timestamptz not null default now(),
  primary key (tenant_id, locale)
);
create index locale_changes_due on locale_changes (due_at);
call protect('locale_changes');

-- All settings of a tenant as the Worker knows them.
create function settings_of(t tenants) returns jsonb
  language sql stable set search_path = pg_catalog, public
  begin atomic
    select jsonb_build_object(
      'id', t.id, 'host', t.host,
      'hosts', (select jsonb_agg(h.host order by h.host <> t.host, h.host) from tenant_hosts h where h.tenant_id = t.id),
      'name', t.name, 'isSuspended', t.status <> 'ACTIVE',
      'locales', t.locales, 'arriving', t.arriving, 'leaving', t.leaving,
      'defaultApiVersion', t.default_api_version, 'issuer', t.issuer, 'audience', t.audience,
      'jwks', t.jwks, 'jwksUri', t.jwks_uri, 'algorithms', t.algorithms, 'tokenProfile', t.token_profile,
      'tokensValidAfter', t.tokens_valid_after,
      'revokedTokens', (select coalesce(jsonb_agg(r.jti), '[]') from revoked_tokens r
                         where r.tenant_id = t.id and r.expires_at > now()),
      'limits', jsonb_build_object('webhookSubscriptions', t.webhook_subscriptions_limit,
                                   'webhookSubscriptionsPerHost', t.webhook_host_limit));
  end;

create or replace function tenant_by_host(host text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, public
  begin atomic
    select settings_of(t) from tenants t join tenant_hosts h on h.tenant_id = t.id where h.host = tenant_by_host.host;
  end;

-- The same of the session's tenant; null outside one.
create function own_settings() returns jsonb
  language sql stable security definer set search_path = pg_catalog, public
  begin atomic
    select settings_of(t) from tenants t where t.id = current_tenant();
  end;

-- Whether nothing is to be sent for the session's tenant.
create function is_suspended() returns boolean
  language sql stable security definer set search_path = pg_catalog, public
  begin atomic
    select exists (select from tenants t where t.id = current_tenant() and t.status <> 'ACTIVE');
  end;

-- Ends a change of the session's tenant whose last pass is over; whether it did.
create function finish_locale_change(asked text, expected int) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  finished text;
begin
  delete from locale_changes c
   where c.tenant_id = current_tenant() and c.locale = asked and c.version = expected and c.pass_began_at >= c.settles_at
  returning c.action into finished;
  update tenants t
     set arriving = array_remove(t.arriving, asked), leaving = array_remove(t.leaving, asked),
         locales = case when finished = 'remove' then array_remove(t.locales, asked) else t.locales end
   where t.id = current_tenant() and finished is not null;
  return finished is not null;
end
$$;

-- Tenants with locales that are due to be worked on.
create function tenants_changing_locales(most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public set row_security = off
  begin atomic
    select distinct c.tenant_id from locale_changes c join tenants t on t.id = c.tenant_id and t.status = 'ACTIVE'
     where c.due_at <= now() limit most;
  end;

-- Removes up to `most` rows of a locale from the index of words; how many that were.
create function unindex_locale(spoken text, most int) returns int
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  tenant uuid := current_tenant();
  amount int;
begin
  delete from product_search s where s.tenant_id = tenant and s.product_id in (
    select o.product_id from product_search o where o.tenant_id = tenant and o.locale = spoken limit most) and s.locale = spoken;
  get diagnostics amount = row_count;
  return amount;
end
$$;

-- What recurs passes over tenants that are suspended; it goes on when they are resumed.
create or replace function tenants_with_work(moment timestamptz, after uuid, most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public set row_security = off
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

create or replace function tenants_to_tidy(
  keys_before timestamptz, documents_before timestamptz, deliveries_before timestamptz, after uuid, most int
) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public set row_security = off
  begin atomic
    select t.id from tenants t
     where (tenants_to_tidy.after is null or t.id > tenants_to_tidy.after) and t.status = 'ACTIVE' and t.kept_until <= now()
       and (exists (select from idempotency_keys k where k.tenant_id = t.id and k.created_at < keys_before)
         or exists (select from events e
                     where e.tenant_id = t.id and e.document is not null and e.occurred_at < documents_before)
         or exists (select from webhook_deliveries d where d.tenant_id = t.id and d.created_at < deliveries_before))
     order by t.id limit most;
  end;

create or replace function tenants_rebuilding(most int) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public
  begin atomic
    select distinct r.tenant_id from collection_rebuilds r join tenants t on t.id = r.tenant_id and t.status = 'ACTIVE'
     where r.leased_until < now() limit most;
  end;

revoke all on function settings_of(tenants), own_settings(), is_suspended(), finish_locale_change(text, int), tenants_changing_locales(int),
  unindex_locale(text, int) from public;
grant execute on function own_settings(), is_suspended(), finish_locale_change(text, int), tenants_changing_locales(int),
  unindex_locale(text, int) to catalogue_app;

-- The table of words is that role's alone, and so is what is done with it.
grant create on schema public to catalogue_search;
alter function unindex_locale(text, int) owner to catalogue_search;
revoke create on schema public from catalogue_search;
