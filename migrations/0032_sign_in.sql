-- The OAuth client of /admin at the tenant's issuer. Without it, people paste a token.
set local lock_timeout = '2s';
alter table tenants add column admin_client text;
