-- The locale of the request that an event records: the language of the texts in its changes. Null for events without a request, and for older ones.
set local lock_timeout = '2s';
alter table events add column locale text;
-- The bulk operation that a bulk operation undoes.
alter table bulk_operations add column reverts uuid;
