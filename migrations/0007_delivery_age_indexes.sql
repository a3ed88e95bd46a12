-- Finished deliveries are deleted earlier than pending ones. Each index has no rows of the other kind, which a search would pass over.
set lock_timeout = '1min';
drop index concurrently if exists webhook_deliveries_finished;
create index concurrently webhook_deliveries_finished on webhook_deliveries (tenant_id, created_at) where status <> 'PENDING';
drop index concurrently if exists webhook_deliveries_held;
create index concurrently webhook_deliveries_held on webhook_deliveries (tenant_id, created_at) where status = 'PENDING';
drop index concurrently if exists webhook_deliveries_age;
-- Housekeeping finds old events by their sequence.
drop index concurrently if exists events_documents;
