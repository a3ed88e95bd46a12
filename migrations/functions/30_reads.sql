-- Performs all reads of the Worker (`src/db/client.ts`).

-- Runs queries one after the other on one snapshot, and returns each row as JSON with the number of its query, from 1.
-- A query is a template of format(), filled with `params`. Expressions between `/*constant*/` and `/*end*/` are computed first, and their
-- values become literals: Postgres then plans with them. It selects its number and one text per row, and calls nothing volatile
-- except set_config(), which passes values to later queries. Row 0 is the time of the tenant's last change. If that equals `cached_clock`,
-- the Worker's cached response is current and there are no other rows. A stable function uses the snapshot of its statement.
create or replace function run_reads(tenant text, lock_timeout text, cached_clock text, queries text[], params text[])
  returns table (query int, line text)
  language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  template text;
  expression text;
  filled text;
  value text;
  constants jsonb := '{}';
begin
  perform set_config('app.tenant', tenant, true), set_config('lock_timeout', lock_timeout, true),
          set_config('transaction_read_only', 'on', true);
  query := 0;
  select instant_text(c.last_at) into line from tenant_clock c where c.tenant_id = current_tenant();
  return next;
  if line is null or line is distinct from cached_clock then
    foreach template in array queries loop
      -- Only the template is searched, which has no data of callers.
      if strpos(template, '/*constant*/') > 0 then
        for expression in select distinct split_part(part, '/*end*/', 1) from unnest((string_to_array(template, '/*constant*/'))[2:]) as part loop
          filled := format(expression, variadic params);
          if not constants ? filled then
            execute 'select ' || filled into value;
            constants := constants || jsonb_build_object(filled, value);
          end if;
          template := replace(template, '/*constant*/' || expression || '/*end*/', replace(quote_nullable(constants ->> filled), '%', '%%'));
        end loop;
      end if;
      return query execute format(template, variadic params);
    end loop;
  end if;
end
$$;
