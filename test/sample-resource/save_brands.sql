-- The function that saves brands.
create or replace function save_brands(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into brands as t (tenant_id, id, version, created_at, updated_at, external_id, handle, document, translations)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, handle, document, translations
    from jsonb_populate_recordset(null::brands, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at, external_id = excluded.external_id,
    handle = excluded.handle, document = excluded.document, translations = excluded.translations;
end $$;
