-- Functions that tables are built with: policies, generated columns and triggers call them.
-- This file runs before every numbered migration, so it works in an empty database. PL/pgSQL looks up tables when it runs.

-- Returns the tenant of the session, which every policy compares with. Null outside a tenant.
create or replace function current_tenant() returns uuid
  language sql stable parallel safe return nullif(current_setting('app.tenant', true), '')::uuid;

-- Puts a table of tenants' rows behind row security, for its owner too, and grants it to the Worker's role.
create or replace procedure protect(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format('create policy tenant on %s using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', tenant_table);
  execute format('grant select, insert, update, delete on %s to catalogue_app', tenant_table);
end
$$;

-- Returns a timestamp as the API writes it: UTC with six decimals.
create or replace function instant_text(moment timestamptz) returns text
  language sql stable parallel safe return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- Returns the hash of an id by which copies are compared: 32 bits. The indexes …_sums store the results of these two functions, so a change
-- needs other names and indexes.
create or replace function sync_range(id uuid) returns bigint
  language sql immutable parallel safe return ('x' || left(encode(sha256(id::text::bytea), 'hex'), 8))::bit(32)::bigint;

-- Returns the value of a resource in the sums by which copies are compared: 48 bits.
create or replace function sync_value(id uuid, version int) returns bigint
  language sql immutable parallel safe return ('x' || left(encode(sha256((id::text || ':' || version::text)::bytea), 'hex'), 12))::bit(48)::bigint;

-- Ends a transaction from within a statement that found a broken rule: select reject('PC422', 'cycle') where ….
create or replace function reject(code text, reason text) returns void
  language plpgsql as $$
begin
  raise exception '%', reason using errcode = code;
end
$$;

-- Returns the locales in which a row has every text that it has in any locale, in one order: `,en-US,fr-FR,`.
-- A row without texts gives `*`, because it lacks no text in any locale.
-- Generated columns store the result: a change of this function needs a migration that rewrites them.
-- Most rows have texts in one language, so these are decided without comparing texts.
create or replace function translated_in(texts jsonb) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  locales jsonb := jsonb_path_query_array(texts, '$.keyvalue().key');
  found text;
begin
  if jsonb_array_length(locales) < 2 then
    return case when texts @? 'strict $.* ? (@.type() == "object").* ? (@ != null)' then ',' || (locales ->> 0) || ',' else '*' end;
  end if;
  with pairs as (
    select l.key as locale, t.key as name
      from jsonb_each(texts) as l, jsonb_each(case jsonb_typeof(l.value) when 'object' then l.value else '{}' end) as t
     where t.value <> 'null'
  ), whole as (
    select locale from pairs group by locale having count(*) = (select count(distinct name) from pairs)
  )
  select case when exists (select from pairs)
              then ',' || coalesce((select string_agg(locale || ',', '' order by locale collate "C") from whole), '')
              else '*' end
    into found;
  return found;
end
$$;

-- Returns an offer's countries as text, `DE,FR`; empty if the offer is for every country.
-- A generated column stores the result. It is text because row security keeps comparisons of arrays from using an index.
create or replace function country_set(countries text[]) returns text
  language plpgsql immutable parallel safe strict as $$
begin
  return array_to_string(countries, ',');
end
$$;

-- Moves a tenant's clock with every update, even if the update stamps no row or the machine's clock is behind.
create or replace function clock_moves() returns trigger
  language plpgsql as $$
begin
  new.last_at := old.last_at + interval '1 microsecond';
  return new;
end
$$;

-- Adds a new primary host to the hosts of its tenant. The previous primary host stays a host of the tenant.
create or replace function tenant_host_of_primary() returns trigger
  language plpgsql as $$
begin
  insert into tenant_hosts (tenant_id, host) values (new.id, new.host) on conflict (tenant_id, host) do nothing;
  return null;
end
$$;

-- Records the terms of sale offers from the events of their changes, in the same transaction. A change of other properties records nothing.
-- The settings make Postgres look up each offer by its key, however many events there are.
create or replace function record_terms() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  recorded record;
begin
  for recorded in
    with ended as (
      update sale_offer_terms t set known_until = r.occurred_at, ended_by = r.id
        from rows r join sale_offers o on o.tenant_id = r.tenant_id and o.id = r.resource_id
       where r.kind = 'sale_offers' and r.topic <> 'sale_offer/created' and r.effective_at is null
         and t.tenant_id = r.tenant_id and t.sale_offer_id = r.resource_id and t.known_until = 'infinity'
         and offer_json(o.id, t) <> offer_json(o.id, o)
      returning t.sale_offer_id
    ), begun as (
      insert into sale_offer_terms
        (tenant_id, sale_offer_id, variant_id, known_from, recorded_by, status, channel, countries, currency, amount, compare_at_amount,
         valid_from, valid_until, priority, min_quantity, tax_included, reduction_reason)
      select r.tenant_id, o.id, o.variant_id, r.occurred_at, r.id, o.status, o.channel, o.countries, o.currency, o.amount, o.compare_at_amount,
             o.valid_from, o.valid_until, o.priority, o.min_quantity, o.tax_included, o.reduction_reason
        from rows r join sale_offers o on o.tenant_id = r.tenant_id and o.id = r.resource_id
       where r.kind = 'sale_offers' and (r.topic = 'sale_offer/created' or o.id in (select e.sale_offer_id from ended e))
      returning tenant_id, first_boundary(status, valid_from, valid_until, known_from) as soonest
    )
    select b.tenant_id, min(b.soonest) as soonest from begun b where b.soonest is not null group by 1
  loop
    perform expect_boundary(recorded.tenant_id, recorded.soonest);
  end loop;
  return null;
end
$$;
revoke all on function record_terms() from public;

-- Records the previous handle of a product, and at most 20 of each product. An archived product had it until it was archived.
create or replace function record_former_handle() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  -- A product that takes a handle back has it.
  delete from former_handles f where f.tenant_id = new.tenant_id and f.product_id = new.id and f.handle = new.handle;
  insert into former_handles as f (tenant_id, handle, product_id, given_up_at)
  values (new.tenant_id, old.handle, new.id, case when old.status = 'ARCHIVED' then old.updated_at else new.updated_at end)
  on conflict (tenant_id, handle, product_id) do update set given_up_at = excluded.given_up_at;
  delete from former_handles f
   where f.tenant_id = new.tenant_id and f.product_id = new.id and f.given_up_at < (
           select h.given_up_at from former_handles h where h.tenant_id = new.tenant_id and h.product_id = new.id
            order by h.given_up_at desc offset 19 limit 1);
  return null;
end
$$;

-- Returns the language whose order the titles of a locale have: its own, if that differs from the root order of CLDR.
-- The Worker has the same list (src/resources/shared/titles.ts).
create or replace function title_language(locale text) returns text
  language sql immutable parallel safe
  return case when split_part(locale, '-', 1) = any('{cs,da,es,et,fi,hr,hu,is,ja,ko,lt,lv,nb,nn,pl,ro,sk,sl,sv,tr,uk,vi,zh}'::text[])
              then split_part(locale, '-', 1) else 'und' end;

-- Returns the title that a row shows in a locale: in the locale, else in one of the same language, the first locale, or any other.
create or replace function shown_title(translations jsonb, locale text, locales text[]) returns text
  language sql immutable parallel safe
  return coalesce(translations -> locale ->> 'title', (
    select translations -> l.name ->> 'title' from unnest(locales) with ordinality as l(name, n)
     where translations -> l.name ->> 'title' is not null
     order by split_part(l.name, '-', 1) <> split_part(locale, '-', 1), l.n limit 1), '');

-- Returns the titles of a row in the locales of its tenant, without those that are being removed.
create or replace function titles_of(tenant uuid, translations jsonb) returns table (locale text, language text, title text)
  language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
begin
  return query select l.name, title_language(l.name), shown_title(translations, l.name, t.locales)
    from tenants t cross join unnest(t.locales) as l(name) where t.id = tenant and l.name <> all(t.leaving);
end
$$;
revoke all on function titles_of(uuid, jsonb) from public;

-- Adds the titles of new rows.
create or replace function keep_titles() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  insert into titles (tenant_id, kind, id, locale, language, title)
  select r.tenant_id, tg_table_name, r.id, of_row.* from rows r cross join lateral titles_of(r.tenant_id, r.translations) of_row;
  return null;
end
$$;
revoke all on function keep_titles() from public;

-- Keeps the titles of a row whose texts have changed. Moves of thousands of siblings change none.
create or replace function keep_changed_titles() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  insert into titles as t (tenant_id, kind, id, locale, language, title)
  select new.tenant_id, tg_table_name, new.id, of_row.* from titles_of(new.tenant_id, new.translations) of_row
  on conflict (tenant_id, kind, id, locale) do update set title = excluded.title where t.title <> excluded.title;
  return null;
end
$$;
revoke all on function keep_changed_titles() from public;

create or replace function remove_titles() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  delete from titles t using rows r where t.tenant_id = r.tenant_id and t.kind = tg_table_name and t.id = r.id;
  return null;
end
$$;
revoke all on function remove_titles() from public;

-- Requests that the price index of the session's tenant is computed again. A write of a market requests it, and a write of offers without
-- their prices, such as an import. The latter concerns all markets.
create or replace function expect_prices(of_offers boolean) returns void
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  insert into price_rebuilds as r (tenant_id, token, next_id, leased_until, is_full)
  select each.id, gen_random_uuid(), '00000000-0000-0000-0000-000000000000', now(), of_offers
    from (select current_tenant() as id) each
   where each.id is not null and (not of_offers or exists (select from markets m where m.tenant_id = each.id))
  on conflict (tenant_id) do update
    set token = excluded.token, next_id = excluded.next_id, leased_until = excluded.leased_until, is_full = r.is_full or excluded.is_full;
end
$$;
create or replace function request_price_rebuild() returns trigger
  language plpgsql as $$
begin
  perform expect_prices(tg_table_name = 'sale_offers');
  return null;
end
$$;

-- Keeps whether prices are those of live variants. The write has taken the clock, and stored the variants with their times.
create or replace function keep_live_prices() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  changed record;
begin
  -- Migration 0017 made a trigger for each row, and 0021 replaces it.
  if tg_level = 'ROW' then
    return null;
  end if;
  for changed in
    select array_agg(a.id) as ids, a.status = 'ACTIVE' and not a.product_archived as live, min(a.updated_at) as at
      from after a join before b on b.tenant_id = a.tenant_id and b.id = a.id
     where a.status <> b.status group by 2
  loop
    perform change_live_prices(changed.ids, changed.live, changed.at);
  end loop;
  return null;
end
$$;
