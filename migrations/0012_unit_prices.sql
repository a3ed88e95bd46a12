-- The content of a variant's package, in its document: {"value": 750, "unit": "ml"}. Documents without one meet the constraint.
set local lock_timeout = '2s';
alter table variants add constraint variants_measure check (
  coalesce(document::json ->> 'measure', '') = ''
  or coalesce((document::json -> 'measure' ->> 'value')::numeric, 0) > 0
     and coalesce(document::json -> 'measure' ->> 'unit', '') in ('g', 'kg', 'ml', 'l', 'm', 'm2', 'm3', 'piece')) not valid;
