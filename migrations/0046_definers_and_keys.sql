-- Postgres searches temporary tables first unless pg_temp is listed. So a role that may create them could replace a table that a SECURITY
-- DEFINER function writes. A trigger on the temporary table then ran as the owner of the function.
do $$
declare
  definer regprocedure;
begin
  for definer in
    select p.oid from pg_proc p
     where p.prosecdef and p.pronamespace = 'public'::regnamespace
       and not exists (select from unnest(p.proconfig) as setting where setting = 'search_path=pg_catalog, public, pg_temp')
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('alter function %s set search_path = pg_catalog, public, pg_temp', definer);
  end loop;
end
$$;

-- An idempotency key belongs to tenant, client and subject: people who use the same client must not see each other's responses. Rows of
-- earlier requests, and those of a Worker that does not send a subject yet, have none, and no later request finds them.
alter table idempotency_keys add subject text not null default '';
alter table idempotency_keys
  drop constraint idempotency_keys_pkey,
  add constraint idempotency_keys_pkey primary key (tenant_id, client, subject, key);
call make_writers();

do $$
declare
  change text[];
  source text;
begin
  foreach change slice 1 in array array[
    ['write(jsonb)',
     $was$k.client = step ->> 'client' and k.key = step ->> 'key'$was$,
     $is$k.client = step ->> 'client' and k.subject = coalesce(step ->> 'subject', '') and k.key = step ->> 'key'$is$],
    ['write(jsonb)',
     $was$(tenant_id, client, key, fingerprint, operation, result, stamps)
        values (tenant, step ->> 'client', step ->> 'key',$was$,
     $is$(tenant_id, client, subject, key, fingerprint, operation, result, stamps)
        values (tenant, step ->> 'client', coalesce(step ->> 'subject', ''), step ->> 'key',$is$],
    ['record_changes(jsonb, jsonb, jsonb, timestamptz, bigint, int[])',
     $was$k.client = envelope ->> 'client' and k.key = envelope ->> 'idempotencyKey'$was$,
     $is$k.client = envelope ->> 'client' and k.subject = coalesce(envelope ->> 'subject', '')
       and k.key = envelope ->> 'idempotencyKey'$is$]
  ] loop
    source := pg_get_functiondef(change[1]::regprocedure);
    if strpos(source, change[2]) = 0 then
      raise exception '% does not contain the text that this migration replaces', change[1];
    end if;
    execute replace(source, change[2], change[3]);
  end loop;
end
$$;
