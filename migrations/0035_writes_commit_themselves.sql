-- A write that is one statement is sent alone and commits itself: nobody between Worker and Postgres is waited for while its rows and the
-- tenant's clock are locked. So the settings that come in front of a batch are made in the same call. A statement's time limit is
-- taken when it begins, therefore it is the role's.
alter role catalogue_app set statement_timeout = '5s';

create function write_alone(tenant text, lock_timeout text, steps jsonb) returns jsonb
  language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform set_config('app.tenant', tenant, true), set_config('lock_timeout', lock_timeout, true);
  return write(steps);
end
$$;

-- Every query of the Worker begins with the tenant, for which each table has an index. Where one tenant has most of a table, reading the
-- table costs about the same and is planned by chance; with more tenants it would read theirs.
alter role catalogue_app set enable_seqscan = off;
