-- The milliseconds of an attempt's parts, and the first bytes of the response if its subscription records responses.
-- Attempts from before have none.
set local lock_timeout = '2s';
alter table webhook_attempts add column address_milliseconds int, add column body_milliseconds int, add column response text;
