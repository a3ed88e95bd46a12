/** Deleting a tenant: table by table, in steps of a bounded size, and itself at the end. */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type pg from 'pg'
import * as z from 'zod'
import { settingsTtl } from '../../db/tenants.ts'
import { Failure } from '../cli/command.ts'
import { sealOf } from '../transfer/file.ts'
import { type StoredTenant, transaction } from './stored.ts'

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

/** The event sequence at which a tenant stands. */
export async function sequenceOf(client: pg.ClientBase, { id }: StoredTenant): Promise<number> {
  const { rows } = await client.query<{ sequence: number }>(
    'select sequence::float8 as sequence from tenant_clock where tenant_id = $1',
    [id],
  )
  return rows[0]?.sequence ?? 0
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
    const { rows } = await transaction(client, id, count)
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
      rows = await transaction(client, id, () => deleteSome(client, table, id))
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

/** Whether a file is the export of a tenant as it is now, by its first line and its last. */

const header = z.object({ kind: z.literal('export'), tenant: z.object({ host: z.string() }) })
const end = z.object({ kind: z.literal('end'), sequence: z.int() })

/** Bytes in which a first or a last line is looked for. */
const most = 1 << 20

/** The reason why a file is not the complete current export of a tenant. Null if it is. */
export function exportFault(
  path: string,
  { hosts, sequence }: { readonly hosts: readonly string[]; readonly sequence: number },
): string | null {
  const lines = firstAndLast(path)
  if (!lines) return `There is no file ${path}.`
  const [first, last] = [header.safeParse(lines.first), end.safeParse(lines.last)]
  if (!first.success) return `${path} is no export of a tenant.`
  if (!hosts.includes(first.data.tenant.host)) return `${path} is an export of ${first.data.tenant.host}.`
  if (!last.success)
    return `${path} is not complete. Run the same "npm run export" again, which continues it.`
  if (sealOf(path) !== 'matches')
    return `${path} has no digest, or one that differs from its content. Run the same "npm run export" again into a new file.`
  if (last.data.sequence < sequence) {
    return `${path} is of sequence ${last.data.sequence}, and the tenant has changed since: it is at ${sequence}. Run the same "npm run export" again.`
  }
  return null
}

function firstAndLast(path: string): { first: unknown; last: unknown } | null {
  const file = opened(path)
  if (file === null) return null
  try {
    const { size } = fstatSync(file)
    const text = (from: number) => {
      const bytes = Buffer.alloc(Math.min(most, size))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('utf8')
    }
    const [first = ''] = text(0).split('\n', 1)
    const last =
      text(Math.max(0, size - most))
        .trimEnd()
        .split('\n')
        .at(-1) ?? ''
    return { first: jsonIn(first), last: jsonIn(last) }
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
