-- Housekeeping finds old responses. Most attempts have none, so the index is small.
set lock_timeout = '1min';
drop index concurrently if exists webhook_attempts_responses;
create index concurrently webhook_attempts_responses on webhook_attempts (tenant_id, started_at) where response is not null;
