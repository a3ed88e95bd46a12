-- A market has several events price/changed of one moment, each for up to 1,000 variants.
set lock_timeout = '1min';
drop index concurrently if exists events_boundary_once;
create unique index concurrently events_boundary_once on events (tenant_id, kind, resource_id, topic, effective_at)
  where effective_at is not null and topic <> 'price/changed';
drop index concurrently if exists events_boundary;
