import { closeSync, openSync, readSync } from 'node:fs'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import type { SecretKeys } from '../../core/operation.ts'
import { traceIn } from '../../core/trace.ts'
import { DatabaseError, type Session } from '../../db/client.ts'
import { stampRows, writeRows, writeSubscription } from '../../resources/restored.ts'
import { type Restorer, restoredKinds } from '../../resources/restored-events.ts'
import { encryptSecret, mintSecret } from '../../resources/webhooks/subscriptions/secret.ts'
import { type End, type Header, linesOf, type MovedRow, parsedLine, Refused } from './file.ts'
import { type MovedKind, movedKinds } from './kinds.ts'
import { contentsOf } from './pages.ts'
import type { Progress } from './progress.ts'
import { type MovingTenant, newestMigration } from './tenant.ts'

/** What a restore has come to, kind by kind. */
export type Restored = {
  readonly kinds: readonly {
    readonly kind: string
    /** Rows in the file. */
    readonly exported: number
    /** Rows of the file that were missing in the tenant. */
    readonly written: number
    /** Rows that the tenant has now. */
    readonly present: number
    /** Whether these say the same as those in the file. */
    readonly same: boolean
  }[]
  /** Whether the tenant has all that the file has, and nothing else. */
  readonly equal: boolean
}

/** What a restore works with. */
export type Restoring = {
  /** Connected as the owner; has entered the tenant. */
  readonly client: pg.Client
  /** A session of the service's own for the tenant. */
  readonly session: Session
  readonly tenant: MovingTenant
  readonly secretKeys: SecretKeys
  readonly progress: Progress
  /** Whether rows may be added to a catalogue that has others. */
  readonly intoFilled?: boolean
}

/**
 * Restores an export into a tenant, or goes on with it: rows that are there, by their id, are left as they are. @throws Refused for a
 * file that is not whole, of another schema or of languages that the tenant has not, and for a tenant that has other rows
 */
export async function restoreCatalogue(restoring: Restoring, path: string): Promise<Restored> {
  const { client, tenant, progress } = restoring
  const { header, end, rows } = indexed(path)
  await demandFitting(client, tenant, header)
  if (!restoring.intoFilled) await demandEmpty(client, tenant, rows)
  const total = [...rows.values()].reduce((sum, each) => sum + each.size, 0)
  progress.start(2 * total, 0)
  const requestId = uuidv7()
  const restorer: Restorer = {
    db: restoring.session,
    tenant,
    rebuilding: end.rebuilding,
    apiVersion: tenant.defaultApiVersion,
    // One for all events, which then tell where each stands at the end.
    requestId,
    trace: traceIn(null, requestId),
    idempotency: null,
    actor: { subject: 'restore', client: 'restore', person: false },
  }
  const written = new Map<string, number>()
  const file = openSync(path, 'r')
  try {
    const writeAll = async (
      { name }: MovedKind,
      write: (batch: readonly MovedRow[]) => Promise<number>,
    ): Promise<void> => {
      let count = 0
      for (const batch of batchesOf(file, rows, name)) {
        count += await write(batch)
        progress.advance(name, batch.length)
      }
      written.set(name, count)
    }
    for (const kind of movedKinds.filter((each) => !each.atEnd))
      await writeAll(kind, (batch) =>
        namingConflicts(kind.name, writeRows(restoring.session, kind.name, batch)),
      )
    await stampAll(restorer, progress)
    // After the events, which are then no news to them.
    for (const kind of movedKinds.filter((each) => each.atEnd))
      await writeAll(kind, (batch) => writeSubscriptions(restoring, restorer, batch))
  } finally {
    closeSync(file)
    progress.stop()
  }
  return compared(client, tenant, end, written)
}

async function stampAll(restorer: Restorer, progress: Progress): Promise<void> {
  for (const kind of restoredKinds) {
    for (let after: string | null = null; ; ) {
      const { count, last }: Awaited<ReturnType<typeof stampRows>> = await stampRows(restorer, kind, after)
      if (last === null) break
      progress.advance(`${kind} (events)`, count)
      after = last
    }
  }
}

/** Where the last line of each row stands in the file, by kind and id; categories by their level, so that parents come first. */
type Places = ReadonlyMap<string, ReadonlyMap<string, Place>>
type Place = { readonly at: number; readonly bytes: number; readonly level: number }

function indexed(path: string): { header: Header; end: End; rows: Places } {
  let header: Header | null = null
  let end: End | null = null
  const rows = new Map(movedKinds.map(({ name }) => [name, new Map<string, Place>()]))
  for (const each of linesOf(path)) {
    const line = parsedLine(each)
    end = null
    if ('format' in line) header = line
    else if ('counts' in line) end = line
    else if ('after' in line) {
      // What is read at the end alone is read whole each time.
      for (const { name, atEnd } of movedKinds) if (atEnd) rows.get(name)?.clear()
    } else {
      const places = rows.get(line.kind)
      if (!places) throw new Refused(`The file has rows of ${line.kind}, which this service does not know.`)
      if ('row' in line) demandKnownTables(line)
      if ('deleted' in line) places.delete(line.id)
      else places.set(line.id, { at: each.at, bytes: each.bytes, level: Number(line.row.level ?? 0) })
    }
  }
  if (!header) throw new Refused(`${path} is no export.`)
  if (!end)
    throw new Refused('The export is not whole. Run it again with the same file: it goes on where it was.')
  return { header, end, rows }
}

/** A file may have been written by anybody: it names no other tables than those of its kinds. */
function demandKnownTables({ kind, beside }: MovedRow): void {
  const known = movedKinds.find(({ name }) => name === kind)?.beside ?? {}
  const other = Object.keys(beside).find((table) => !Object.hasOwn(known, table))
  if (other !== undefined)
    throw new Refused(`The file has rows of ${other} beside ${kind}, where none belong.`)
}

/** Rows of a batch at most, and the bytes of their lines. */
const mostRows = 200
const mostBytes = 1_500_000

function* batchesOf(file: number, rows: Places, kind: string): Generator<MovedRow[]> {
  const places = [...(rows.get(kind)?.values() ?? [])].sort((a, b) => a.level - b.level || a.at - b.at)
  let [batch, bytes]: [MovedRow[], number] = [[], 0]
  for (const place of places) {
    if (batch.length === mostRows || (batch.length > 0 && bytes + place.bytes > mostBytes)) {
      yield batch
      ;[batch, bytes] = [[], 0]
    }
    const text = Buffer.alloc(place.bytes)
    readSync(file, text, 0, place.bytes, place.at)
    const line = parsedLine({ text: text.toString('utf8'), at: place.at })
    if ('row' in line) batch.push(withoutGone(line, rows))
    bytes += place.bytes
  }
  if (batch.length > 0) yield batch
}

/** Which tables beside a row name rows of another kind, which may have been deleted since the line was written. */
const referring: Readonly<Record<string, readonly [column: string, kind: string]>> = {
  product_categories: ['category_id', 'categories'],
  product_collections: ['collection_id', 'collections'],
}

function withoutGone(line: MovedRow, rows: Places): MovedRow {
  const beside = Object.entries(line.beside).map(([table, all]) => {
    const [column, kind] = referring[table] ?? []
    if (column === undefined || kind === undefined) return [table, all]
    return [table, all.filter((each) => rows.get(kind)?.has(String(each[column])))]
  })
  return { ...line, beside: Object.fromEntries(beside) }
}

async function writeSubscriptions(
  { tenant, secretKeys }: Restoring,
  restorer: Restorer,
  rows: readonly MovedRow[],
): Promise<number> {
  let count = 0
  for (const each of rows) {
    const secret = await encryptSecret(mintSecret(), secretKeys, { tenantId: tenant.id, id: each.id })
    if (await writeSubscription(restorer, each, secret)) count += 1
  }
  return count
}

/** A row that another one of the tenant leaves no room for is the caller's to mend. */
async function namingConflicts<Result>(kind: string, writing: Promise<Result>): Promise<Result> {
  return writing.catch((error) => {
    if (error instanceof DatabaseError && error.constraint)
      throw new Refused(`A row of ${kind} stands against one that the tenant has (${error.constraint}).`)
    throw error
  })
}

async function demandFitting(client: pg.Client, tenant: MovingTenant, header: Header): Promise<void> {
  const migration = await newestMigration(client)
  if (migration !== header.migration)
    throw new Refused(
      `The file is of a database at ${header.migration}; this one is at ${migration}. Restore into a database at the same ` +
        'migration, and migrate that.',
    )
  const [standard, ...others] = header.tenant.locales
  if (standard !== tenant.locales[0])
    throw new Refused(`The file's first language is ${standard}; the tenant's is ${tenant.locales[0]}.`)
  const missing = others.filter((each) => !tenant.locales.includes(each))
  if (missing.length > 0)
    throw new Refused(`The tenant lacks languages that the file has: ${missing.join(', ')}.`)
}

/** What a broken restore has left is of the file; anything else is not. */
async function demandEmpty(client: pg.Client, tenant: MovingTenant, rows: Places): Promise<void> {
  for (const { name } of movedKinds) {
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const found = await client.query<{ id: string }>(
        `select id from ${name} where tenant_id = $1 and id > $2 order by id limit 10000`,
        [tenant.id, after],
      )
      const other = found.rows.find(({ id }) => !rows.get(name)?.has(id))
      if (other)
        throw new Refused(
          `The tenant is not empty: it has rows of ${name} that the file has not. --into-filled adds the file's to them.`,
        )
      const last = found.rows.at(-1)
      if (!last) break
      after = last.id
    }
  }
}

async function compared(
  client: pg.Client,
  tenant: MovingTenant,
  end: End,
  written: ReadonlyMap<string, number>,
): Promise<Restored> {
  const { counts, checksums } = await contentsOf(client, tenant.id)
  const kinds = movedKinds.map(({ name: kind }) => {
    const [exported, present] = [end.counts[kind] ?? 0, counts[kind] ?? 0]
    const same = present === exported && checksums[kind] === end.checksums[kind]
    return { kind, exported, written: written.get(kind) ?? 0, present, same }
  })
  return { kinds, equal: kinds.every((each) => each.same) }
}
