-- Begins a read whose answer may be known already: sets what every batch sets, and tells when the tenant's catalogue was last
-- changed (its clock, which every commit moves). Where it stands at `known` still, what follows in the batch gives no rows:
-- the Worker has the answer. The clock is read with the settings made, so under row security, and of the batch's one snapshot.
create function enter_tenant(tenant text, statement_timeout text, lock_timeout text, known text) returns text
  language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  at text;
begin
  perform set_config('app.tenant', tenant, true), set_config('statement_timeout', statement_timeout, true),
          set_config('lock_timeout', lock_timeout, true);
  select instant_text(c.last_at) into at from tenant_clock c where c.tenant_id = current_tenant();
  perform set_config('app.known', case when at = known then 'on' else 'off' end, true);
  return at;
end
$$;

-- A clock that is written moves, also by a write that stamps no row, and where the machine's own clock is behind.
create function clock_moves() returns trigger
  language plpgsql as $$
begin
  new.last_at := old.last_at + interval '1 microsecond';
  return new;
end
$$;
create trigger tenant_clock_moves before update on tenant_clock
  for each row when (new.last_at <= old.last_at) execute function clock_moves();
