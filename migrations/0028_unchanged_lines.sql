-- The lines of a bulk operation that changed nothing, which its `succeeded` contains.
set local lock_timeout = '2s';
alter table bulk_operations add column unchanged int not null default 0;
