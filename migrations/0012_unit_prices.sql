-- The content of a variant's package, in its document: {"value": 750, "unit": "ml"}. Documents without one meet the constraint.
set local lock_timeout = '2s';
alter table variants add constraint variants_measure check (
  coalesce(document::json ->> 'measure', '') = ''
  or coalesce((document::json -> 'measure' ->> 'value')::numeric, 0) > 0
     and coalesce(document::json -> 'measure' ->> 'unit', '') in ('g', 'kg', 'ml', 'l', 'm', 'm2', 'm3', 'piece')) not valid;
-- The quantity to which unit prices of a category's products refer, in its document.
alter table categories add constraint categories_reference_unit check (
  coalesce(document::json ->> 'referenceUnit', '') = ''
  or coalesce((document::json -> 'referenceUnit' ->> 'value')::numeric, 0) > 0
     and coalesce(document::json -> 'referenceUnit' ->> 'unit', '') in ('g', 'kg', 'ml', 'l', 'm', 'm2', 'm3')) not valid;
-- The quantities to which a tenant's unit prices refer: [{"value": 100, "unit": "g"}] (src/core/context.ts).
alter table tenants add column reference_units jsonb;
alter table tenants add constraint tenants_reference_units check (jsonb_typeof(reference_units) = 'array') not valid;
