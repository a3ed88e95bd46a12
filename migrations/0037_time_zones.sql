-- The time zone in which a tenant's people speak of times, by its IANA name: pages show and take times in it. Times are stored in UTC.
-- Was 5e35a4c38cd723423c1c25c8ebc0787b2f912621a9ce0618b98fbc370f97d571, which makes the same (see 0031).
alter table tenants add column time_zone text;
alter table tenants alter column time_zone set default 'UTC';
update tenants set time_zone = default;
alter table tenants alter column time_zone set not null,
  add constraint tenants_time_zone check (length(time_zone) between 1 and 64);

create or replace function settings_of(t tenants) returns jsonb
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
                                   'webhookSubscriptionsPerHost', t.webhook_host_limit),
      'priorPriceDays', t.prior_price_days, 'timeZone', t.time_zone);
  end;
