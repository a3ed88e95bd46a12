-- A read that is one statement is sent by itself, with the settings made in it: two trips between Neon's proxy and Postgres in place of
-- six, and a statement whose answer the Worker has already is not even parsed. Its time limit is the role's, as that of a write.

-- Makes the settings of such a read. `known`, where the tenant's clock is followed, is the moment at which the reader has an answer, or
-- empty; gives where the clock stands. What is called here changes nothing that others see, so that all of a read is of one snapshot:
-- that of the statement, since a stable function takes no other.
create function enter_alone(tenant text, lock_timeout text, known text) returns text
  language plpgsql stable as $$
begin
  perform set_config('app.tenant', tenant, true), set_config('lock_timeout', lock_timeout, true),
          set_config('transaction_read_only', 'on', true);
  if known is not null then
    return (select instant_text(c.last_at) from tenant_clock c where c.tenant_id = current_tenant());
  end if;
  return null;
end
$$;

-- Runs a query that calls nothing volatile. `query` is a template of format(), filled with `params`. The first row has the clock; where
-- it stands at `known`, that is all.
create function read_alone(tenant text, lock_timeout text, known text, query text, params text[]) returns table (line text, told json)
  language plpgsql stable as $$
begin
  line := enter_alone(tenant, lock_timeout, known);
  return next;
  if line is null or line <> known then
    return query execute format(query, variadic params);
  end if;
end
$$;

-- The same for products as `teller` tells them, by its plan which is kept on the connection: those with these ids, or the ones that `query`
-- finds as an array of ids and what the head tells of them, with how many there are where that is not the kept total of a name.
create function read_products_alone(tenant text, lock_timeout text, known text, query text, params text[], ids uuid[], kept_total text,
                                    teller text, form jsonb) returns setof text
  language plpgsql stable as $$
declare
  clock text := enter_alone(tenant, lock_timeout, known);
  page json;
  total int;
  head text := '';
begin
  return next clock;
  if clock = known then
    return;
  end if;
  if ids is null then
    execute format(query, variadic params) into ids, page, total;
    if kept_total is not null then
      select t.total into total from tenant_totals t where t.tenant_id = current_tenant() and t.name = kept_total;
    end if;
    ids := coalesce(ids, '{}');
    head := concat(coalesce(total, 0), e'\t', coalesce(page, '[]'));
  end if;
  case teller
    when 'tell_kept_products' then return query select tell_kept_products(ids, form, head);
    when 'tell_products' then return query select tell_products(ids, form, head);
    when 'read_products_prior' then return query select read_products_prior(ids, form, head);
    when 'read_products_known' then return query select read_products_known(ids, form, head);
  end case;
end
$$;
