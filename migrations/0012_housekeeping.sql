-- What is kept for a time only is found by its age, and nothing is asked of tenants that have nothing to let go of.

create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);
create index events_documents on events (tenant_id, occurred_at) where document is not null;

-- Tenants after one, in order, with idempotency keys, event documents or deliveries from before some moments. Fails rather
-- than find nothing when its owner cannot see past row security.
create function tenants_to_tidy(
  keys_before timestamptz, documents_before timestamptz, deliveries_before timestamptz, after uuid, most int
) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public set row_security = off
  begin atomic
    select t.id from tenants t
     where (tenants_to_tidy.after is null or t.id > tenants_to_tidy.after)
       and (exists (select from idempotency_keys k where k.tenant_id = t.id and k.created_at < keys_before)
         or exists (select from events e
                     where e.tenant_id = t.id and e.document is not null and e.occurred_at < documents_before)
         or exists (select from webhook_deliveries d where d.tenant_id = t.id and d.created_at < deliveries_before))
     order by t.id limit most;
  end;

revoke all on function tenants_to_tidy(timestamptz, timestamptz, timestamptz, uuid, int) from public;
grant execute on function tenants_to_tidy(timestamptz, timestamptz, timestamptz, uuid, int) to catalogue_app;
