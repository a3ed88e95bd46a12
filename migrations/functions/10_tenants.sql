-- The Worker's access to the tenants table. Each function returns or changes one tenant and needs its host or its session.

-- Returns all settings of a tenant as the Worker reads them.
create or replace function settings_of(t tenants) returns jsonb
  language sql stable set search_path = pg_catalog, public
  begin atomic
    select jsonb_build_object(
      'id', t.id, 'host', t.host,
      'hosts', (select jsonb_agg(h.host order by h.host <> t.host, h.host) from tenant_hosts h where h.tenant_id = t.id and h.storefront is null),
      'name', t.name, 'isSuspended', t.status <> 'ACTIVE',
      'locales', t.locales, 'arriving', t.arriving, 'leaving', t.leaving,
      'defaultApiVersion', t.default_api_version, 'issuer', t.issuer, 'audience', t.audience,
      'jwks', t.jwks, 'jwksUri', t.jwks_uri, 'algorithms', t.algorithms, 'tokenProfile', t.token_profile,
      'tokensValidAfter', t.tokens_valid_after,
      'revokedTokens', (select coalesce(jsonb_agg(r.jti), '[]') from revoked_tokens r
                         where r.tenant_id = t.id and r.expires_at > now()),
      'limits', jsonb_build_object('webhookSubscriptions', t.webhook_subscriptions_limit,
                                   'webhookSubscriptionsPerHost', t.webhook_host_limit),
      'priorPriceDays', t.prior_price_days, 'pricePolicies', coalesce(t.price_policies, '{}'), 'referenceUnits', coalesce(t.reference_units, '[]'), 'timeZone', t.time_zone, 'imageHosts', t.image_hosts,
      -- Older ones began longer ago than events have documents.
      'epochs', (select coalesce(jsonb_agg(jsonb_build_object(
                   'epoch', e.epoch, 'lastSequence', e.last_sequence, 'firstSequence', e.first_sequence) order by e.epoch), '[]')
                   from (select * from tenant_epochs n where n.tenant_id = t.id order by n.epoch desc limit 100) e));
  end;
revoke all on function settings_of(tenants) from public;

-- Returns the settings of the tenant with this host, also of a storefront host; null if no tenant has it.
create or replace function tenant_at(host text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    -- Settings that an earlier Worker does not know are absent until an operator chooses them.
    select settings_of(t) || case when h.storefront is null then '{}' else jsonb_build_object('storefront', h.storefront) end
           || case when t.admin_client is null then '{}' else jsonb_build_object('adminClient', t.admin_client) end
      from tenants t join tenant_hosts h on h.tenant_id = t.id where h.host = tenant_at.host;
  end;
revoke all on function tenant_at(text) from public;
grant execute on function tenant_at(text) to catalogue_app;

-- The same for a Worker that knows no storefront hosts.
create or replace function tenant_by_host(host text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    select settings_of(t) from tenants t join tenant_hosts h on h.tenant_id = t.id where h.host = tenant_by_host.host and h.storefront is null;
  end;
revoke all on function tenant_by_host(text) from public;
grant execute on function tenant_by_host(text) to catalogue_app;

-- Returns the settings of the session's tenant; null outside a tenant.
create or replace function own_settings() returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    select settings_of(t) from tenants t where t.id = current_tenant();
  end;
revoke all on function own_settings() from public;
grant execute on function own_settings() to catalogue_app;

-- Adds a choice to the policies of prior prices of the session's tenant, and returns all of them. earlier: the number of choices that the
-- caller has seen in the country; null is returned if it has others. rules: null means that no policy applies from then on.
create or replace function choose_price_policy(country text, rules jsonb, chosen_at text, earlier int) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  after jsonb;
begin
  update tenants t
     set price_policies = coalesce(t.price_policies, '{}') || jsonb_build_object(country,
           coalesce(t.price_policies -> country, '[]') || jsonb_build_object('chosenAt', chosen_at, 'rules', rules))
   where t.id = current_tenant() and jsonb_array_length(coalesce(t.price_policies -> country, '[]')) = earlier
   returning t.price_policies into after;
  return after;
end
$$;
revoke all on function choose_price_policy(text, jsonb, text, int) from public;
grant execute on function choose_price_policy(text, jsonb, text, int) to catalogue_app;

-- Returns the settings of the session's tenant that webhook payloads are rendered with; null outside a tenant.
create or replace function own_tenant() returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    select jsonb_build_object('locales', t.locales, 'defaultApiVersion', t.default_api_version)
      from tenants t where t.id = current_tenant();
  end;
revoke all on function own_tenant() from public;
grant execute on function own_tenant() to catalogue_app;

-- Returns whether the session's tenant is suspended, so that nothing is sent for it.
create or replace function is_suspended() returns boolean
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    select exists (select from tenants t where t.id = current_tenant() and t.status <> 'ACTIVE');
  end;
revoke all on function is_suspended() from public;
grant execute on function is_suspended() to catalogue_app;

-- Ends a locale change of the session's tenant if its last pass is over. Returns whether it did.
create or replace function finish_locale_change(changed_locale text, expected int) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  finished text;
begin
  delete from locale_changes c
   where c.tenant_id = current_tenant() and c.locale = changed_locale and c.version = expected and c.pass_began_at >= c.settles_at
  returning c.action into finished;
  update tenants t
     set arriving = array_remove(t.arriving, changed_locale), leaving = array_remove(t.leaving, changed_locale),
         locales = case when finished = 'remove' then array_remove(t.locales, changed_locale) else t.locales end
   where t.id = current_tenant() and finished is not null;
  return finished is not null;
end
$$;
revoke all on function finish_locale_change(text, int) from public;
grant execute on function finish_locale_change(text, int) to catalogue_app;
