-- The tenant's clock, its events, its totals and its idempotency keys, and the two functions that every write passes:
-- guard() in front, commit() at the end. Nothing else in the database decides anything.

-- What can be guarded and stamped, in the order in which locks are taken. A new resource adds its row here.
create table resource_kinds (
  kind text primary key,
  lock_order int not null unique
);
grant select on resource_kinds to catalogue_app;

create table tenant_clock (
  tenant_id uuid primary key references tenants on delete cascade,
  last_at timestamptz not null default '2000-01-01T00:00:00Z',
  sequence bigint not null default 0
);

create table tenant_totals (
  tenant_id uuid not null references tenants on delete cascade,
  name text not null,
  total bigint not null,
  primary key (tenant_id, name)
);

-- One row is one change: audit trail, change feed and outbox at once.
create table events (
  tenant_id uuid not null references tenants on delete cascade,
  sequence bigint not null,
  id uuid not null,
  topic text not null,
  kind text not null references resource_kinds,
  resource_id uuid not null,
  -- The product of an option, a value or a variant; null where nothing embeds the resource.
  owner_id uuid,
  resource_version int not null,
  occurred_at timestamptz not null,
  actor jsonb not null,
  api_version text not null,
  request_id text not null,
  -- The stored shape of the resource as it was, from which its document can be rendered in any locale and version.
  document text,
  changes jsonb not null,
  -- Whether the resource came to a place among its siblings or left them: what the order at any moment is told from.
  moved boolean not null generated always as (changes @> '[{"path": "position"}]') stored,
  -- When it was last handed to the queue, and when its deliveries were made: at once where nobody asked for its topic.
  relayed_at timestamptz,
  fanned_out_at timestamptz,
  primary key (tenant_id, sequence),
  unique (tenant_id, id)
);
create index events_resource on events (tenant_id, kind, resource_id, sequence desc);
create index events_owner on events (tenant_id, owner_id, sequence desc) where owner_id is not null;
create index events_moved on events (tenant_id, owner_id, sequence) where moved;
create index events_topic on events (tenant_id, topic, sequence);
create index events_waiting on events (tenant_id, sequence) where fanned_out_at is null;

create table idempotency_keys (
  tenant_id uuid not null references tenants on delete cascade,
  client text not null,
  key text not null,
  fingerprint text not null,
  operation text not null,
  -- What the operation answered, before its stamps; commit() adds those in the same transaction.
  result jsonb not null,
  stamps jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, client, key)
);

-- Puts a tenant's table behind row security, for its owner too.
create procedure protect(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format('create policy tenant on %s using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', tenant_table);
  execute format('grant select, insert, update, delete on %s to catalogue_app', tenant_table);
end
$$;

call protect('tenant_clock');
call protect('tenant_totals');
call protect('events');
call protect('idempotency_keys');

create function instant_text(moment timestamptz) returns text
  language sql stable parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- Ends a batch from within a statement that has found what must not be: select reject('PC422', 'cycle') where ….
create function reject(code text, reason text) returns void
  language plpgsql as $$
begin
  raise exception '%', reason using errcode = code;
end
$$;

-- Locks what a write rests on, always in the same order, and proves that it is as it was read.
-- items: [{kind, id, version}], version null where existence is enough. Three kinds are no rows: 'category_tree' locks the
-- tenant's tree; 'collection_rules' shares the rules of its collections, at their version, with all who sort products by
-- them; 'collection_rules_change' waits until nobody does, for who changes them.
-- Raises PC404 when a row is gone and PC412 when its version moved, with 'kind:id' as the message.
create function guard(items jsonb) returns void
  language plpgsql as $$
declare
  item record;
  found_version int;
begin
  if items @> '[{"kind": "category_tree"}]' then
    perform pg_advisory_xact_lock(hashtextextended('category_tree:' || current_tenant(), 0));
  end if;
  if items @> '[{"kind": "collection_rules_change"}]' then
    perform pg_advisory_xact_lock(hashtextextended('collection_rules:' || current_tenant(), 0));
  elsif items @> '[{"kind": "collection_rules"}]' then
    perform pg_advisory_xact_lock_shared(hashtextextended('collection_rules:' || current_tenant(), 0));
    select coalesce(max(version), 0) into found_version from collection_rules where tenant_id = current_tenant();
    if not items @> jsonb_build_array(jsonb_build_object('kind', 'collection_rules', 'version', found_version)) then
      raise exception 'collection_rules:%', current_tenant() using errcode = 'PC412', detail = found_version;
    end if;
  end if;
  for item in
    select k.kind, i.id, max(i.version) as version, k.lock_order
      from jsonb_to_recordset(items) as i(kind text, id uuid, version int)
      join resource_kinds k on k.kind = i.kind
     group by k.kind, k.lock_order, i.id
     order by k.lock_order, i.id
  loop
    execute format('select version from %I where tenant_id = current_tenant() and id = $1 for no key update', item.kind)
      into found_version using item.id;
    if found_version is null then
      raise exception '%:%', item.kind, item.id using errcode = 'PC404';
    elsif found_version <> item.version then
      raise exception '%:%', item.kind, item.id using errcode = 'PC412', detail = found_version;
    end if;
  end loop;
end
$$;

-- The last statement of every write: moves the tenant's clock, stamps the rows, records the events, keeps the totals
-- and completes the idempotency key. The clock's lock is held from here to the commit and no longer, so stamps and
-- sequences are distinct and in commit order.
-- changes: [{kind, id, version, action, topic, eventId, ownerId, document, changes}], one event each, in order; a change
-- without a topic is stamped and records none. Returns [{id, kind, version, at, sequence, awaited}] in the
-- same order; awaited tells whether a webhook subscription asked for that topic.
create function commit(envelope jsonb, changes jsonb, totals jsonb) returns jsonb
  language plpgsql as $$
declare
  tenant uuid := current_tenant();
  amount int := jsonb_array_length(changes);
  told int := (select count(c.topic) from jsonb_to_recordset(changes) as c(topic text));
  first_at timestamptz;
  first_sequence bigint;
  patterns text[];
  each_kind text;
  stamped jsonb;
begin
  update tenant_clock
     set last_at = greatest(clock_timestamp(), last_at + interval '1 microsecond') + (amount - 1) * interval '1 microsecond',
         sequence = sequence + told
   where tenant_id = tenant
  returning last_at - (amount - 1) * interval '1 microsecond', sequence - told + 1 into first_at, first_sequence;
  if first_at is null then
    raise exception 'no clock for tenant %', tenant;
  end if;
  -- Under the clock's lock: whoever subscribed before this change is told of it, and nobody who did after.
  patterns := (select coalesce(array_agg(distinct topic), '{}') from webhook_subscriptions
               where tenant_id = tenant and status <> 'DISABLED');

  for each_kind in
    select distinct c.kind from jsonb_to_recordset(changes) as c(kind text, action text) join resource_kinds using (kind)
     where c.action <> 'deleted'
  loop
    execute format($update$
      update %I t
         set version = c.version,
             updated_at = $1 + (c.n - 1) * interval '1 microsecond',
             created_at = case when c.action = 'created' then $1 + (c.n - 1) * interval '1 microsecond' else t.created_at end
        from rows from (jsonb_to_recordset($2) as (kind text, id uuid, version int, action text))
             with ordinality as c(kind, id, version, action, n)
       where c.kind = %L and t.tenant_id = $3 and t.id = c.id
    $update$, each_kind, each_kind) using first_at, changes, tenant;
  end loop;

  with noted as (
    select c.*, first_at + (c.n - 1) * interval '1 microsecond' as at,
           first_sequence - 1 + count(c.topic) over (order by c.n) as sequence,
           case when c.topic is not null then array[c.topic, split_part(c.topic, '/', 1) || '/*', '*'] && patterns end as awaited
      from rows from (jsonb_to_recordset(commit.changes) as (
             kind text, id uuid, version int, action text, topic text, "eventId" uuid, "ownerId" uuid,
             document text, changes jsonb))
           with ordinality as c(kind, id, version, action, topic, "eventId", "ownerId", document, changes, n)
  ), recorded as (
    insert into events (tenant_id, sequence, id, topic, kind, resource_id, owner_id, resource_version, occurred_at,
                        actor, api_version, request_id, document, changes, fanned_out_at)
    select tenant, c.sequence, c."eventId", c.topic, c.kind, c.id, c."ownerId", c.version, c.at,
           envelope -> 'actor', envelope ->> 'apiVersion', envelope ->> 'requestId', c.document, c.changes,
           case when not c.awaited then c.at end
      from noted c where c.topic is not null
  )
  select coalesce(jsonb_agg(jsonb_build_object(
           'id', id, 'kind', kind, 'version', noted.version, 'at', instant_text(at), 'sequence', sequence,
           'awaited', noted.awaited) order by n), '[]')
    into stamped from noted;

  insert into tenant_totals as t (tenant_id, name, total)
  select tenant, key, value::bigint from jsonb_each_text(totals) where value <> '0' order by key
  on conflict (tenant_id, name) do update set total = t.total + excluded.total;

  if envelope ? 'idempotencyKey' then
    update idempotency_keys k set stamps = stamped
     where k.tenant_id = tenant and k.client = envelope ->> 'client' and k.key = envelope ->> 'idempotencyKey';
  end if;
  return stamped;
end
$$;
