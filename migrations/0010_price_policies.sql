-- Policies of prior prices that a tenant chose: {"DE": [{"chosenAt": …, "rules": {…}}]}, oldest first (src/core/context.ts).
set local lock_timeout = '2s';
alter table tenants add column price_policies jsonb;
-- Why a price is reduced, where that decides whether it has a prior price: EXPIRING goods are exempt in many countries.
alter table sale_offers add column reduction_reason text;
alter table sale_offers add constraint sale_offers_reduction_reason check (reduction_reason in ('EXPIRING')) not valid;
alter table sale_offer_terms add column reduction_reason text;
