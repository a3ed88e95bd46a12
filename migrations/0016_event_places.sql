-- What an event says of its resource's place among its siblings, and how large its changes are, in columns of its own: the
-- history of a product is read for every event of it, and `changes` may hold half a megabyte of other things. Postgres
-- tells the size of a text without reading it, but not that of a jsonb.
alter table events
  add column place_before int generated always as
    ((jsonb_path_query_first(changes, '$[*] ? (@.path == "position").before') #>> '{}')::int) stored,
  add column place_after int generated always as
    ((jsonb_path_query_first(changes, '$[*] ? (@.path == "position").after') #>> '{}')::int) stored,
  -- The option of a value, as an IRI.
  add column place_option text generated always as
    (jsonb_path_query_first(changes, '$[*] ? (@.path == "option").after') #>> '{}') stored,
  add column changes_size int not null generated always as (octet_length(changes::text)) stored;

drop index events_moved;
create index events_moved on events (tenant_id, owner_id, sequence)
  include (kind, resource_id, place_before, place_after) where moved;

-- Deliveries that wait because of a failure of this service's own before an attempt: how often in a row they were put back
-- without an attempt being counted, and why; null as soon as one is.
alter table webhook_deliveries
  add column deferrals int not null default 0,
  add column deferred_for text check ((deferred_for is null) = (deferrals = 0));
