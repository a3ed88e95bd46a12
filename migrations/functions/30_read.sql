-- Reads begin here: they set the tenant and limits of the session, and return the tenant's clock.
-- The Worker compares the clock with that of its cached response. If they are equal, the read returns nothing else.

-- Begins a batch of reads: makes its settings, and returns when the tenant's catalogue last changed.
-- If that is `cached_clock`, the other reads of the batch return no rows. The clock is of the same snapshot as these reads.
create or replace function enter_tenant(tenant text, statement_timeout text, lock_timeout text, cached_clock text) returns text
  language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  at text;
begin
  perform set_config('app.tenant', tenant, true), set_config('statement_timeout', statement_timeout, true),
          set_config('lock_timeout', lock_timeout, true);
  select instant_text(c.last_at) into at from tenant_clock c where c.tenant_id = current_tenant();
  perform set_config('app.clock_is_cached', case when at = cached_clock then 'on' else 'off' end, true);
  return at;
end
$$;

-- Makes the settings of a read of one statement. If `cached_clock` is given, returns the tenant's clock.
-- A stable function reads in the snapshot of the statement, so the clock and the rows belong together.
create or replace function enter_alone(tenant text, lock_timeout text, cached_clock text) returns text
  language plpgsql stable as $$
begin
  perform set_config('app.tenant', tenant, true), set_config('lock_timeout', lock_timeout, true),
          set_config('transaction_read_only', 'on', true);
  if cached_clock is not null then
    return (select instant_text(c.last_at) from tenant_clock c where c.tenant_id = current_tenant());
  end if;
  return null;
end
$$;

-- Runs one read: `query` is a template of format(), filled with `params`, that calls nothing volatile.
-- The first row has the clock. If it is `cached_clock`, there are no other rows.
create or replace function read_alone(tenant text, lock_timeout text, cached_clock text, query text, params text[])
  returns table (line text, value json)
  language plpgsql stable as $$
begin
  line := enter_alone(tenant, lock_timeout, cached_clock);
  return next;
  if line is null or line <> cached_clock then
    return query execute format(query, variadic params);
  end if;
end
$$;
