-- The epochs of tenants after restores of the database to an earlier time. `npm run recover` (src/local/recover.ts) begins one.
set local lock_timeout = '2s';
create table tenant_epochs (
  tenant_id uuid not null references tenants on delete cascade,
  -- The second of the recovery, since 1970. A count would repeat if a later restore undid a recovery.
  epoch bigint not null,
  restored_to timestamptz not null,
  recovered_at timestamptz not null,
  -- The events before and after the gap. The later one is catalogue/restored.
  last_sequence bigint not null,
  first_sequence bigint not null,
  primary key (tenant_id, epoch)
);
call protect('tenant_epochs');
-- The Worker reads epochs with the settings of the tenant; only the owner begins one.
revoke insert, update, delete on tenant_epochs from catalogue_app;
