-- Tenants, the role that the Worker uses, and the setting that row security reads.
-- The Worker's role owns nothing and cannot bypass row security; it learns of a tenant only through tenant_by_host.

do $$
begin
  if not exists (select from pg_roles where rolname = 'catalogue_app') then
    create role catalogue_app nologin nobypassrls;
  end if;
end
$$;

create extension if not exists pg_trgm;
create extension if not exists unaccent;

grant usage on schema public to catalogue_app;

create table tenants (
  id uuid primary key,
  host text not null unique check (host = lower(host) and host !~ '[:/\s]' and right(host, 1) <> '.'),
  name text not null,
  locales text[] not null check (cardinality(locales) between 1 and 10),
  default_api_version text not null,
  issuer text not null,
  audience text not null,
  jwks jsonb,
  jwks_uri text,
  algorithms text[] not null default '{ES256}' check (algorithms <@ '{ES256,RS256,EdDSA}' and cardinality(algorithms) > 0),
  token_profile text not null default 'rfc9068' check (token_profile in ('rfc9068', 'generic')),
  tokens_valid_after bigint,
  created_at timestamptz not null default now(),
  check ((jwks is null) <> (jwks_uri is null))
);

create table revoked_tokens (
  tenant_id uuid not null references tenants on delete cascade,
  jti text not null,
  expires_at timestamptz not null,
  primary key (tenant_id, jti)
);

create function current_tenant() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.tenant', true), '')::uuid;

-- The one door to the tenants table for the Worker: an exact host, one row of settings as JSON, or null.
create function tenant_by_host(host text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, public
  begin atomic
    select jsonb_build_object(
      'id', t.id, 'host', t.host, 'name', t.name, 'locales', t.locales,
      'defaultApiVersion', t.default_api_version, 'issuer', t.issuer, 'audience', t.audience,
      'jwks', t.jwks, 'jwksUri', t.jwks_uri, 'algorithms', t.algorithms, 'tokenProfile', t.token_profile,
      'tokensValidAfter', t.tokens_valid_after,
      'revokedTokens', (select coalesce(jsonb_agg(r.jti), '[]') from revoked_tokens r
                         where r.tenant_id = t.id and r.expires_at > now()))
    from tenants t where t.host = tenant_by_host.host;
  end;

revoke all on function tenant_by_host(text) from public;
grant execute on function tenant_by_host(text), current_tenant() to catalogue_app;
