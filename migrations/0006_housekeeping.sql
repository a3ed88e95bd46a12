-- How far housekeeping has come with a tenant, so that it never reads again what it keeps.
set local lock_timeout = '2s';

create table housekeeping (
  tenant_id uuid primary key references tenants on delete cascade,
  -- The documents of old events are cleared up to this sequence.
  cleared_sequence bigint not null default 0
);
call protect('housekeeping');
