-- What sale offers said, and for how long that was what was recorded of them: so that a price can be told as it applied, and by the
-- offers as they were known at any moment. The database keeps them itself, of the event of each change and in its transaction:
-- what an offer is read from and what its history is read from cannot part.

create table sale_offer_terms (
  tenant_id uuid not null,
  sale_offer_id uuid not null,
  variant_id uuid not null,
  -- The moments at which these were the recorded terms, of the first and not of the second.
  known_from timestamptz not null,
  known_until timestamptz not null default 'infinity',
  -- The events by which they came to be recorded, and ceased to be.
  recorded_by uuid not null,
  ended_by uuid,
  status text not null,
  channel text,
  countries text[] not null,
  currency text not null,
  amount numeric not null,
  compare_at_amount numeric,
  valid_from timestamptz,
  valid_until timestamptz,
  priority int not null,
  min_quantity int not null,
  tax_included boolean not null,
  primary key (tenant_id, sale_offer_id, known_from),
  foreign key (tenant_id, sale_offer_id) references sale_offers (tenant_id, id) on delete cascade,
  constraint sale_offer_terms_span check (known_until > known_from),
  constraint sale_offer_terms_ended check ((known_until = 'infinity') = (ended_by is null))
);
-- An offer has one version of its terms that holds.
create unique index sale_offer_terms_open on sale_offer_terms (tenant_id, sale_offer_id) where known_until = 'infinity';
-- What was recorded of a variant's offers since a moment, or at one.
create index sale_offer_terms_known on sale_offer_terms (tenant_id, variant_id, known_until, known_from);

-- Tenants whose events from before this table have still to be read into it, and the offer to go on with.
create table sale_offer_terms_due (
  tenant_id uuid primary key references tenants on delete cascade,
  next_id uuid not null default '00000000-0000-0000-0000-000000000000'
);

call protect('sale_offer_terms');
call protect('sale_offer_terms_due');
-- Read by the Worker, written by nothing but the functions below.
revoke insert, update, delete on sale_offer_terms, sale_offer_terms_due from catalogue_app;

-- Keeps the terms of an offer that events tell, from its first event to its last; does nothing where some are kept.
create function replay_sale_offer_terms(tenant uuid, offer uuid) returns void
  language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
  event record;
  state jsonb := '{}';
  terms sale_offer_terms;
  last sale_offer_terms;
begin
  if exists (select from sale_offer_terms t where t.tenant_id = tenant and t.sale_offer_id = offer) then
    return;
  end if;
  terms.tenant_id := tenant;
  terms.sale_offer_id := offer;
  select o.variant_id into terms.variant_id from sale_offers o where o.tenant_id = tenant and o.id = offer;
  for event in
    select e.id, e.occurred_at, e.changes from events e
     where e.tenant_id = tenant and e.kind = 'sale_offers' and e.resource_id = offer order by e.sequence
  loop
    state := state || coalesce((select jsonb_object_agg(c ->> 'path', c -> 'after') from jsonb_array_elements(event.changes) as c), '{}');
    terms.status := state ->> 'status';
    terms.channel := state ->> 'channel';
    terms.countries := array(select jsonb_array_elements_text(coalesce(nullif(state -> 'countries', 'null'), '[]')));
    terms.currency := state ->> 'currency';
    terms.amount := state ->> 'amount';
    terms.compare_at_amount := state ->> 'compareAtAmount';
    terms.valid_from := state ->> 'validFrom';
    terms.valid_until := state ->> 'validUntil';
    terms.priority := state ->> 'priority';
    terms.min_quantity := state ->> 'minQuantity';
    terms.tax_included := state ->> 'taxIncluded';
    terms.known_from := last.known_from;
    terms.known_until := 'infinity';
    terms.recorded_by := last.recorded_by;
    if last is distinct from terms then
      if last.known_from is not null then
        update sale_offer_terms t set known_until = event.occurred_at, ended_by = event.id
         where t.tenant_id = tenant and t.sale_offer_id = offer and t.known_from = last.known_from;
      end if;
      terms.known_from := event.occurred_at;
      terms.recorded_by := event.id;
      insert into sale_offer_terms select terms.*;
      last := terms;
    end if;
  end loop;
end
$$;
revoke all on function replay_sale_offer_terms(uuid, uuid) from public;

-- Keeps the terms that an event leaves recorded, where they are others than before.
create function record_sale_offer_terms() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  offer record;
  last record;
begin
  select o.variant_id, o.status, o.channel, o.countries, o.currency, o.amount, o.compare_at_amount, o.valid_from, o.valid_until,
         o.priority, o.min_quantity, o.tax_included
    into offer from sale_offers o where o.tenant_id = new.tenant_id and o.id = new.resource_id;
  if new.topic <> 'sale_offer/created' then
    select t.known_from,
           row(t.variant_id, t.status, t.channel, t.countries, t.currency, t.amount, t.compare_at_amount, t.valid_from, t.valid_until,
               t.priority, t.min_quantity, t.tax_included) is distinct from
           row(offer.variant_id, offer.status, offer.channel, offer.countries, offer.currency, offer.amount, offer.compare_at_amount,
               offer.valid_from, offer.valid_until, offer.priority, offer.min_quantity, offer.tax_included) as is_other
      into last from sale_offer_terms t
     where t.tenant_id = new.tenant_id and t.sale_offer_id = new.resource_id and t.known_until = 'infinity';
    if not found then
      -- An offer of which nothing is kept yet: its events have all, this one too.
      perform replay_sale_offer_terms(new.tenant_id, new.resource_id);
      return null;
    end if;
    if not last.is_other then
      return null;
    end if;
    update sale_offer_terms t set known_until = new.occurred_at, ended_by = new.id
     where t.tenant_id = new.tenant_id and t.sale_offer_id = new.resource_id and t.known_from = last.known_from;
  end if;
  insert into sale_offer_terms
    (tenant_id, sale_offer_id, variant_id, known_from, recorded_by, status, channel, countries, currency, amount, compare_at_amount,
     valid_from, valid_until, priority, min_quantity, tax_included)
  values
    (new.tenant_id, new.resource_id, offer.variant_id, new.occurred_at, new.id, offer.status, offer.channel, offer.countries,
     offer.currency, offer.amount, offer.compare_at_amount, offer.valid_from, offer.valid_until, offer.priority, offer.min_quantity,
     offer.tax_included);
  return null;
end
$$;
revoke all on function record_sale_offer_terms() from public;

create trigger events_record_sale_offer_terms after insert on events
  for each row when (new.kind = 'sale_offers') execute function record_sale_offer_terms();

-- Behind the trigger: what commits from here on keeps its terms itself.
insert into sale_offer_terms_due (tenant_id) select distinct tenant_id from sale_offers;

-- Reads the events of up to `most` further offers of one tenant that is due; false where none is. For the owner, in transactions of
-- its own, as often as there is something left: what was kept before it was stopped stays. An offer is locked as a write locks it.
create function fill_sale_offer_terms(most int) returns boolean
  language plpgsql as $$
declare
  due sale_offer_terms_due;
  offers uuid[];
  offer uuid;
begin
  select * into due from sale_offer_terms_due limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  perform set_config('app.tenant', due.tenant_id::text, true);
  select array_agg(o.id order by o.id) into offers from (
    select s.id from sale_offers s where s.tenant_id = due.tenant_id and s.id > due.next_id order by s.id limit most for no key update
  ) o;
  foreach offer in array coalesce(offers, '{}') loop
    perform replay_sale_offer_terms(due.tenant_id, offer);
  end loop;
  if coalesce(cardinality(offers), 0) < most then
    delete from sale_offer_terms_due d where d.tenant_id = due.tenant_id;
  else
    update sale_offer_terms_due d set next_id = offers[most] where d.tenant_id = due.tenant_id;
  end if;
  return true;
end
$$;
revoke all on function fill_sale_offer_terms(int) from public;

-- Since when a tenant's prices are known: the moment of its first event, '' where there is none yet, 'due' while events are being read.
create function price_history() returns text
  language sql stable parallel safe
  return case when exists (select from sale_offer_terms_due d where d.tenant_id = current_tenant()) then 'due'
    else coalesce((select instant_text(e.occurred_at) from events e where e.tenant_id = current_tenant() order by e.sequence limit 1), '') end;

-- Products as read_products() tells them, with the offers of their variants as they were recorded at `form.knownAt` in place of today's:
-- behind the line of a variant one of 't' and these, as that line has them else. The head ends in price_history(). Variants, and in
-- a list products, end where too much was read, as they do there: what was recorded then may be more than what is now.
create function read_products_known(ids uuid[], form jsonb, head text default '') returns setof text
  language plpgsql stable parallel safe rows 30 set plan_cache_mode = force_generic_plan as $$
declare
  tenant uuid := current_tenant();
  known_at timestamptz := form ->> 'knownAt';
  explained boolean := form ->> 'explain';
  asked_channel text := form ->> 'channel';
  asked_country text := form ->> 'country';
  asked_at timestamptz := form ->> 'at';
  variant_bytes bigint := form ->> 'variantBytes';
  most bigint := form ->> 'most';
  own text;
begin
  -- Neither explained nor not: none of today's offers are read, and their variants are weighed with them all the same.
  for own in select read_products(ids, form - 'rendered' || '{"explain": null}', concat(head, e'\t', price_history())) loop
    if starts_with(own, e'h\t') or starts_with(own, e'c\t') then
      return next own;
    elsif most > 0 then
      if strpos(own, e'\ns\t') > 0 then
        select string_agg(concat(l.line, e'\nt\t' || l.variant_id || e'\t' || l.told), e'\n' order by l.nth) into own from (
          select l.nth, l.line, v.id as variant_id, k.told,
                 coalesce(sum(octet_length(l.line) + coalesce(octet_length(k.told), 0)) filter (where v.id is not null)
                   over (order by l.nth rows between unbounded preceding and 1 preceding), 0) as before
            from string_to_table(own, e'\n') with ordinality as l(line, nth)
           cross join lateral (select case when starts_with(l.line, e's\t') then split_part(l.line, e'\t', 2)::uuid end as id) v
           cross join lateral (
             select coalesce(string_agg(offer_text(o), ';'), case when explained and v.id is not null then '' end) as told
               from sale_offer_terms o
              where o.tenant_id = tenant and o.variant_id = v.id and o.known_until > known_at and o.known_from <= known_at
                and case when explained then o.status <> 'ARCHIVED'
                    else o.status = 'ACTIVE' and (o.channel is null or o.channel = asked_channel)
                     and (o.countries = '{}' or asked_country = any(o.countries))
                     and (o.valid_until is null or o.valid_until > asked_at) end
           ) k
        ) l where l.variant_id is null or l.before < variant_bytes;
      end if;
      return next own;
      most := most - octet_length(own);
    end if;
  end loop;
end
$$;
