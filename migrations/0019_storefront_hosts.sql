-- A host for browsers, which read published products with a publishable key: {"keys": [the SHA-256 of each key], "maxAge": seconds}.
-- Null for a tenant's own hosts.
set local lock_timeout = '2s';
alter table tenant_hosts add column storefront jsonb;
