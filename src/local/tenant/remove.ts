/** Deleting a tenant: table by table, in steps of a bounded size, and itself at the end. */

import { existsSync } from 'node:fs'
import type pg from 'pg'
import { settingsTtl } from '../../db/tenants.ts'
import { Failure } from '../cli/command.ts'
import { transaction } from '../cli/database.ts'
import { linesOf, type ReadLine, readLine, sealOf } from '../transfer/file.ts'
import type { StoredTenant } from './stored.ts'

/** Rows of one transaction. */
const rowsAtOnce = 2000

/** How many milliseconds it is until no Worker serves a suspended tenant any more. @throws Failure where it is not suspended */
export async function untilUnserved(client: pg.ClientBase, { id, host }: StoredTenant): Promise<number> {
  const { rows } = await client.query<{ age: number | null }>(
    'select (extract(epoch from now() - suspended_at) * 1000)::float8 as age from tenants where id = $1',
    [id],
  )
  const age = rows[0]?.age ?? null
  if (age === null) {
    throw new Failure(`${host} is being served. First: npm run tenant -- suspend ${host}`)
  }
  return Math.max(0, settingsTtl - age)
}

/** The tables of a tenant in the order in which they can be emptied, with their numbers of rows. */
export async function contentsOf(
  client: pg.ClientBase,
  { id }: StoredTenant,
): Promise<{ readonly table: string; readonly rows: number }[]> {
  const contents: { table: string; rows: number }[] = []
  for (const table of await tablesInOrder(client)) {
    const count = () =>
      client.query<{ rows: number }>(`select count(*)::float8 as rows from ${table} where tenant_id = $1`, [
        id,
      ])
    const { rows } = await transaction(client, count, { tenant: id })
    contents.push({ table, rows: rows[0]?.rows ?? 0 })
  }
  return contents
}

/**
 * Deletes all rows of a tenant. From the first step on it is never served again. After an interruption it continues.
 * `onStep` is called after each step with a table and the number of its deleted rows.
 */
export async function removeTenant(
  client: pg.ClientBase,
  { id }: StoredTenant,
  onStep: (table: string, rows: number) => void = () => {},
): Promise<void> {
  await client.query(`update tenants set status = 'REMOVING' where id = $1`, [id])
  for (const table of await tablesInOrder(client)) {
    // Hosts are deleted with the tenant.
    if (table === 'tenant_hosts') continue
    for (let rows = rowsAtOnce; rows > 0; ) {
      rows = await transaction(client, () => deleteSome(client, table, id), { tenant: id })
      if (rows > 0) onStep(table, rows)
    }
  }
  await client.query('delete from tenants where id = $1', [id])
}

async function deleteSome(client: pg.ClientBase, table: string, id: string): Promise<number> {
  // Those below first: a category that has children stays until they are gone.
  const order = table === 'categories' ? 'order by level desc' : ''
  const { rowCount } = await client.query(
    `delete from ${table} where tenant_id = $1 and ctid = any (array(
       select ctid from ${table} where tenant_id = $1 ${order} limit ${rowsAtOnce}))`,
    [id],
  )
  return rowCount ?? 0
}

/** The tables that have a tenant, each before those that its rows refer to. */
async function tablesInOrder(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ table: string; refers: string[] }>(`
    with own as (
      select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    )
    select quote_ident(own.relname) as table, array(
        select distinct quote_ident(other.relname) from pg_constraint k join own other on other.oid = k.confrelid
         where k.conrelid = own.oid and k.contype = 'f' and k.confrelid <> k.conrelid) as refers
      from own order by 1`)
  const left = new Map(rows.map(({ table, refers }) => [table, refers]))
  const order: string[] = []
  while (left.size > 0) {
    const referred = new Set([...left.values()].flat())
    const free = [...left.keys()].filter((table) => !referred.has(table))
    if (free.length === 0) throw new Error(`tables that refer to each other: ${[...left.keys()].join(', ')}`)
    for (const table of free) {
      order.push(table)
      left.delete(table)
    }
  }
  return order
}

/** The reason why a file is not the complete current export of a tenant. Null if it is. */
export function exportFault(
  path: string,
  { hosts, sequence }: { readonly hosts: readonly string[]; readonly sequence: number },
): string | null {
  if (!existsSync(path)) return `There is no file ${path}.`
  let [first, last]: [ReturnType<typeof readLine> | null, ReadLine | null] = [null, null]
  for (const line of linesOf(path)) {
    first ??= readLine(line.text)
    last = line
  }
  if (first === null || typeof first === 'string' || !('format' in first))
    return `${path} is no export of a tenant.`
  if (!hosts.includes(first.tenant.host)) return `${path} is an export of ${first.tenant.host}.`
  const end = readLine(last?.text ?? null)
  if (typeof end === 'string' || !('counts' in end))
    return `${path} is not complete. Run the same "npm run export" again, which continues it.`
  if (sealOf(path) !== 'matches')
    return `${path} has no digest, or one that differs from its content. Run the same "npm run export" again into a new file.`
  if (end.sequence < sequence) {
    return `${path} is of sequence ${end.sequence}, and the tenant has changed since: it is at ${sequence}. Run the same "npm run export" again.`
  }
  return null
}
