-- Policies of prior prices that a tenant chose: {"DE": [{"chosenAt": …, "rules": {…}}]}, oldest first (src/core/context.ts).
set local lock_timeout = '2s';
alter table tenants add column price_policies jsonb;
