/** The resources of a large tenant other than products: each is the copy of one that the service created. */
import type { Client } from 'pg'
import { type FilledTenant, vacuumed } from './fill.ts'

/** The members that differ in the copies of a table's first row, by the copy's number `n`. */
const copied: Readonly<Record<string, string>> = {
  // Below one category that has no products, some dozens to a parent, as they are in shops.
  categories: `'parent_id', case when n % 50 <> 0 then uuid_of(n - n % 50) else (r.own).parent_id end, 'position', case when n % 50 <> 0 then n % 50 else 1000 + n end, 'level', (r.own).level + (n % 50 <> 0)::int`,
  collections: `'type', 'MANUAL', 'rules', null`,
  metaobjects: `'status', case when n % 3 = 0 then 'DRAFT' else 'ACTIVE' end`,
  bulk_operations: `'status', 'FINISHED', 'finished_at', now() - n * interval '1 minute'`,
  events: `'sequence', 1000000 + n, 'resource_id', uuid_of(n), 'fanned_out_at', now()`,
}

/** Copies the tenant's first category, collection, metaobject, bulk operation and event so many times. */
export async function fillOthers(owner: Client, { id }: FilledTenant, amount: number): Promise<void> {
  await owner.query(`select set_config('app.tenant', $1, false)`, [id])
  await owner.query(`create function pg_temp.uuid_of(n int) returns uuid language sql immutable
    return ('c0b1e500-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`)
  for (const [table, members] of Object.entries(copied)) {
    const { rows } = await owner.query<{ columns: string; names: string }>(
      `select string_agg(format('%I', attname), ', ' order by attnum) as columns, string_agg(format('c.%I', attname), ', ' order by attnum) as names
         from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    const [{ columns, names } = { columns: '', names: '' }] = rows
    await owner.query(
      `
      insert into ${table} (${columns})
      select ${names}
        from (select t as own from ${table} t where tenant_id = '${id}' limit 1) r
       cross join generate_series(0, ${amount} - 1) n
       cross join lateral jsonb_populate_record(r.own, jsonb_build_object(
         'id', uuid_of(n), 'handle', 'copy-' || n, 'external_id', 'copy-' || n, 'title', 'Copy ' || n,
         'created_at', now() - n * interval '1 minute', 'updated_at', now() - n * interval '1 minute', 'occurred_at', now(),
         ${members})) c`.replaceAll('uuid_of(', 'pg_temp.uuid_of('),
    )
  }
  await owner.query('select refresh_category_parts(array(select id from categories where tenant_id = $1))', [
    id,
  ])
  await owner.query(
    `update tenant_clock set sequence = (select max(sequence) from events where tenant_id = $1) where tenant_id = $1`,
    [id],
  )
  await vacuumed(owner, Object.keys(copied))
}
