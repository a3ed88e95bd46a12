import { closeSync, openSync } from 'node:fs'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import type { SecretKeys } from '../../core/operation.ts'
import { traceIn } from '../../core/trace.ts'
import { DatabaseError, type Session } from '../../db/client.ts'
import { combineQueries, type DatabaseQueries, type Results } from '../../db/query.ts'
import { serialize } from '../../db/sql.ts'
import { sentWrite } from '../../db/write-steps.ts'
import { maximumLevels } from '../../resources/categories/schema.ts'
import { continuePrices } from '../../resources/prices/price-rebuild.ts'
import { encryptSecret, mintSecret } from '../../resources/webhooks/subscriptions/secrets.ts'
import { command, Failure, flag, runHere, UsageError } from '../cli/command.ts'
import { databaseUrl, tenantName, withDatabase } from '../cli/database.ts'
import { type Progress, progressBar, table } from '../cli/output.ts'
import { keysFor } from '../secret-keys.ts'
import { Check } from './check.ts'
import { checksumOf, contentsOf } from './export.ts'
import {
  type End,
  Faults,
  type Header,
  type Line,
  lineAt,
  linesOf,
  type MovedRow,
  type ReadLine,
  readLine,
  sealOf,
} from './file.ts'
import { type Restorer, restoredKinds, stampRows, writeRows, writeSubscription } from './restored-rows.ts'
import {
  type Columns,
  columnsOf,
  enterTenant,
  type MovedKind,
  type MovingTenant,
  movedKinds,
  newestMigration,
} from './tables.ts'

/** The result of a restore, by kind. */
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

/** The input of a restore. */
export type Restoring = {
  /** Connected as the owner; has entered the tenant. */
  readonly client: pg.Client
  readonly tenant: MovingTenant
  readonly secretKeys: SecretKeys
  readonly progress: Progress
  /** Whether rows may be added to a catalogue that has others. */
  readonly intoFilled?: boolean
  /** Whether the file has been changed on purpose, so that its digest and checksums are not those of its content. */
  readonly isEdited?: boolean
}

/**
 * Restores an export into a tenant, in one transaction: all of it or nothing. Rows that are there, by their id, are left as they are.
 * The whole file is checked before the first row is written. @throws Failure with the faults of the file, also for one with other
 * columns or languages that the tenant has not, and for a tenant that has other rows
 */
export async function restoreCatalogue(restoring: Restoring, path: string): Promise<Restored> {
  const { client, tenant, progress, isEdited = false } = restoring
  const header = headerOf(path)
  if (header) demandLanguages(tenant, header)
  const columns = await columnsOf(client)
  const migration = await newestMigration(client)
  const whole = namingMigrations({ file: header?.migration, database: migration }, () =>
    readExport(path, columns, { isEdited }),
  )
  if (!restoring.intoFilled) await demandEmpty(client, tenant, whole.rows)
  progress.start(2 * [...whole.rows.values()].reduce((sum, each) => sum + each.size, 0), 0)
  const file = openSync(path, 'r')
  await client.query('begin')
  try {
    const { written, checksums } = await writeAll(restoring, whole, { file, path })
    // Some references are checked when the transaction ends.
    await client.query('set constraints all immediate')
    const expected = isEdited ? { ...whole.end, checksums } : whole.end
    const done = await compared(client, tenant, expected, written)
    const differing = done.kinds.flatMap(({ kind, same }) => (same ? [] : [kind]))
    const isNew = [...written.values()].some((count) => count > 0)
    if (isNew && differing.length > 0 && !restoring.intoFilled)
      throw new Failure(
        `The written rows differ from the file in ${differing.join(', ')}. Nothing was restored.`,
      )
    await client.query('commit')
    return done
  } catch (error) {
    // Without a connection, Postgres rolls back.
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    closeSync(file)
    progress.stop()
  }
}

async function writeAll(
  restoring: Restoring,
  { end, rows, deleted }: WholeExport,
  { file, path }: { readonly file: number; readonly path: string },
): Promise<{ written: ReadonlyMap<string, number>; checksums: Record<string, string> }> {
  const { client, tenant, progress, isEdited } = restoring
  const session = transactionSession(client)
  const requestId = uuidv7()
  const restorer: Restorer = {
    db: session,
    tenant,
    rebuilding: end.rebuilding,
    apiVersion: tenant.defaultApiVersion,
    // One for all events. The events then have the final state of each row.
    requestId,
    trace: traceIn(null, requestId),
    idempotency: null,
    ifMatch: null,
    actor: { subject: 'restore', client: 'restore', person: false },
  }
  const written = new Map<string, number>()
  const checksums: Record<string, string> = {}
  const writeKind = async (
    { name }: MovedKind,
    write: (batch: readonly NumberedRow[]) => Promise<number>,
  ): Promise<void> => {
    let [count, sum] = [0, 0n]
    for (const batch of batchesOf(file, { rows, deleted }, name)) {
      if (isEdited) sum += await checksumOf(client, batch)
      count += await write(batch)
      progress.advance(name, batch.length)
    }
    written.set(name, count)
    checksums[name] = String(sum)
  }
  for (const kind of movedKinds.filter((each) => !each.movesLast))
    await writeKind(kind, (batch) => writeBatch(session, kind.name, batch, path))
  await stampAll(restorer, progress)
  await continuePrices(session, () => true)
  // After the events, which are then no news to them.
  for (const kind of movedKinds.filter((each) => each.movesLast))
    await writeKind(kind, (batch) => writeSubscriptions(restoring, restorer, batch))
  return { written, checksums }
}

/** Writes a batch; if the database rejects it, finds the lines that it rejects. */
async function writeBatch(
  session: Session,
  kind: string,
  batch: readonly NumberedRow[],
  path: string,
): Promise<number> {
  try {
    return await writeRows(session, kind, batch)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const faults = new Faults(path)
    for (const row of batch) {
      await writeRows(session, kind, [row]).catch((rejection) => {
        if (!(rejection instanceof DatabaseError)) throw rejection
        const { constraint, sqlstate } = rejection
        faults.add(row.number, `${kind} does not fit the database or a row there (${constraint ?? sqlstate})`)
      })
    }
    faults.demandNone()
    throw error
  }
}

async function stampAll(restorer: Restorer, progress: Progress): Promise<void> {
  for (const kind of restoredKinds) {
    for (const level of kind === 'categories' ? levels : [undefined]) {
      for (let after: string | null = null; ; ) {
        const part: Parameters<typeof stampRows>[2] = level === undefined ? { after } : { after, level }
        const { counts, last }: Awaited<ReturnType<typeof stampRows>> = await stampRows(restorer, kind, part)
        if (last === null) break
        for (const [name, count] of Object.entries(counts)) progress.advance(`${name} (events)`, count)
        after = last
      }
    }
  }
}

/** The levels of the category tree. */
const levels = Array.from({ length: maximumLevels }, (_, level) => level)

/** The place of the last line of each row in the file, by kind and id. Categories have their level, so that parents come first. */
type Places = ReadonlyMap<string, ReadonlyMap<string, Place>>
type Place = Omit<ReadLine, 'text'> & { readonly level: number }

/** The rows of a file, and the ids of rows that were deleted while it was written. */
type FileRows = { readonly rows: Places; readonly deleted: ReadonlySet<string> }

/** A whole export without a fault. */
type WholeExport = FileRows & { readonly end: End }

function headerOf(path: string): Header | null {
  for (const { text } of linesOf(path)) {
    const line = readLine(text)
    return typeof line !== 'string' && 'format' in line ? line : null
  }
  return null
}

/**
 * Reads an export and checks all of it. The digest must match, unless a user has edited the file on purpose: then only what
 * the lines themselves say is checked. @throws Failure with the faults, by line
 */
export function readExport(
  path: string,
  columns: Columns,
  { isEdited }: { readonly isEdited: boolean },
): WholeExport {
  const faults = new Faults(path)
  const { header, end, rows, deleted } = indexed(path, faults)
  if (header && end) {
    checkRows(path, { rows, deleted }, new Check(columns, header.tenant.locales[0], hasIn(rows)), faults)
    checkEnd(end, rows, faults)
    if (!isEdited) checkSeal(path, faults)
  }
  faults.demandNone()
  if (!end) throw new Failure(`${path} is no export.`)
  return { end: end.line, rows, deleted }
}

const hasIn = (rows: Places) => (kind: string, id: string) => rows.get(kind)?.has(id) ?? false

function checkEnd({ line, number }: NonNullable<Indexed['end']>, rows: Places, faults: Faults): void {
  for (const { name } of movedKinds) {
    const [found, counted] = [rows.get(name)?.size ?? 0, line.counts[name] ?? 0]
    if (found !== counted) faults.add(number, `counts ${counted} rows of ${name}, and the file has ${found}`)
  }
  for (const id of line.rebuilding)
    if (!hasIn(rows)('collections', id)) faults.add(number, `rebuilding names ${id}, which is no collection`)
}

function checkSeal(path: string, faults: Faults): void {
  const seal = sealOf(path)
  if (seal === 'matches') return
  const fault = seal === 'differs' ? 'the digest differs from the content' : 'the last line has no digest'
  faults.add(null, `${fault}. Run the export again, or use --edited for a file that you changed on purpose`)
}

type Indexed = FileRows & {
  readonly header: Header | null
  readonly end: { readonly line: End; readonly number: number } | null
}

function indexed(path: string, faults: Faults): Indexed {
  let [header, end]: [Header | null, Indexed['end']] = [null, null]
  const rows = new Map(movedKinds.map(({ name }) => [name, new Map<string, Place>()]))
  const deleted = new Set<string>()
  for (const { text, ...place } of linesOf(path)) {
    const line = readLine(text)
    end = null
    if (typeof line === 'string') faults.add(place.number, line)
    else if ('format' in line !== (place.number === 1))
      faults.add(place.number, 'the header is not the first line, or the first line is no header')
    else if ('format' in line) header = line
    else if ('counts' in line) end = { line, number: place.number }
    else if ('after' in line) {
      // Kinds that are read only at the end are complete each time.
      for (const { name, movesLast } of movedKinds) if (movesLast) rows.get(name)?.clear()
    } else indexRow(line, place, { rows, deleted }, faults)
  }
  if (!header) faults.add(1, 'the file is no export')
  else if (!end)
    faults.add(
      null,
      'the export is not whole. Run it again with the same file: it continues where it stopped',
    )
  return { header, end, rows, deleted }
}

function indexRow(
  line: Extract<Line, { id: string }>,
  place: Omit<Place, 'level'>,
  {
    rows,
    deleted,
  }: { readonly rows: ReadonlyMap<string, Map<string, Place>>; readonly deleted: Set<string> },
  faults: Faults,
): void {
  const places = rows.get(line.kind)
  if (!places) faults.add(place.number, `${line.kind} is no kind of an export`)
  else if ('deleted' in line) {
    places.delete(line.id)
    deleted.add(line.id)
  } else places.set(line.id, { ...place, level: Number(line.row.level ?? 0) })
}

function checkRows(path: string, rows: FileRows, check: Check, faults: Faults): void {
  const file = openSync(path, 'r')
  try {
    for (const { name } of movedKinds)
      for (const batch of batchesOf(file, rows, name))
        for (const row of batch)
          for (const fault of check.faultsOf(row, row.number)) faults.add(row.number, fault)
  } finally {
    closeSync(file)
  }
}

/** A row and the number of its line. */
type NumberedRow = MovedRow & { readonly number: number }

/** Rows of a batch at most, and the bytes of their lines. */
const mostRows = 200
const mostBytes = 1_500_000

function* batchesOf(file: number, { rows, deleted }: FileRows, kind: string): Generator<NumberedRow[]> {
  const places = [...(rows.get(kind)?.values() ?? [])].sort((a, b) => a.level - b.level || a.at - b.at)
  let [batch, bytes]: [NumberedRow[], number] = [[], 0]
  for (const place of places) {
    if (batch.length === mostRows || (batch.length > 0 && bytes + place.bytes > mostBytes)) {
      yield batch
      ;[batch, bytes] = [[], 0]
    }
    const line = lineAt(file, place)
    if ('row' in line) batch.push({ ...withoutDeleted(line, deleted), number: place.number })
    bytes += place.bytes
  }
  if (batch.length > 0) yield batch
}

/** Columns that name a category or a collection, which may have been deleted after the line was written. */
const references: Readonly<Record<string, string>> = {
  product_categories: 'category_id',
  product_collections: 'collection_id',
}

function withoutDeleted(line: MovedRow, deleted: ReadonlySet<string>): MovedRow {
  const beside = Object.entries(line.beside).map(([table, all]) => {
    const column = references[table]
    return [table, column === undefined ? all : all.filter((row) => !deleted.has(String(row[column])))]
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

/**
 * Adds both migrations to the faults of a file from another one. A file that has the columns of this database fits, because stored
 * documents are checked and derived rows are built again.
 */
function namingMigrations(
  { file, database }: { readonly file: string | undefined; readonly database: string },
  read: () => WholeExport,
): WholeExport {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Failure) || file === undefined || file === database) throw error
    throw new Failure(
      `${error.message}\nThe file is of a database at ${file}; this one is at ${database}. ` +
        'If columns differ, restore into a database at the same migration, and migrate that.',
    )
  }
}

function demandLanguages(tenant: MovingTenant, header: Header): void {
  const [standard, ...others] = header.tenant.locales
  if (standard !== tenant.locales[0])
    throw new Failure(`The file's first language is ${standard}; the tenant's is ${tenant.locales[0]}.`)
  const missing = others.filter((each) => !tenant.locales.includes(each))
  if (missing.length > 0)
    throw new Failure(
      `The tenant lacks languages that the file has: ${missing.join(', ')}. ` +
        `Add them: npm run tenant -- update ${tenant.host} ${missing.map((each) => `--add-locale ${each}`).join(' ')}`,
    )
}

/** @throws Failure if the tenant has rows that are not in the file */
async function demandEmpty(client: pg.Client, tenant: MovingTenant, rows: Places): Promise<void> {
  for (const { name } of movedKinds) {
    const found = await client.query(
      `select from ${name} where tenant_id = $1 and id <> all($2::uuid[]) limit 1`,
      [tenant.id, [...(rows.get(name)?.keys() ?? [])]],
    )
    if (found.rows.length > 0)
      throw new Failure(
        `The tenant is not empty: it has rows of ${name} that the file has not. --into-filled adds the file's to them.`,
      )
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
    // An export from before a kind existed does not name it.
    const [exported, present] = [end.counts[kind] ?? 0, counts[kind] ?? 0]
    const same = present === exported && checksums[kind] === (end.checksums[kind] ?? '0')
    return { kind, exported, written: written.get(kind) ?? 0, present, same }
  })
  return { kinds, equal: kinds.every((each) => each.same) }
}

/**
 * A session whose batches all belong to the transaction that `client` is in. A failed batch is undone, so that the
 * transaction can continue. `client` has entered the tenant.
 */
export function transactionSession(client: pg.ClientBase): Session {
  const spent = { trips: 0, statements: 0, milliseconds: 0 }
  const queryAll = async (
    statements: readonly ReturnType<typeof serialize>[],
  ): Promise<pg.QueryResult['rows'][]> => {
    const started = performance.now()
    spent.trips += 1
    spent.statements += statements.length
    await client.query('savepoint batch')
    try {
      const results = []
      for (const { sql, params } of statements) results.push((await client.query(sql, params)).rows)
      await client.query('release savepoint batch')
      return results
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      await client.query('rollback to savepoint batch')
      throw new DatabaseError(error.code ?? '', error.constraint, error.message)
    } finally {
      spent.milliseconds += performance.now() - started
    }
  }
  const send = async <Sent extends DatabaseQueries>(queries: Sent): Promise<Results<Sent>> => {
    const { statements, take } = combineQueries(queries)
    return take(await queryAll(statements.map(({ query }) => serialize(query))))
  }
  return {
    stats: spent,
    followUp: { hasSubscribers: null, hasNearSchedule: false },
    clock: null,
    announceWrite() {},
    setCachedClock() {},
    read: send,
    write: send,
    async apply(write) {
      const [rows] = await queryAll([{ sql: applyInTransaction, params: [sentWrite(write)] }])
      return rows?.[0].result
    },
  }
}

/** Performs a write with the settings of the transaction. */
const applyInTransaction = `select apply_write(current_setting('app.tenant'), current_setting('lock_timeout'), $1::jsonb) as result`

/** `npm run restore`. */
export const restoreCommand = command({
  name: 'restore',
  summary:
    'Restores an export into an empty tenant, with the same ids, documents, translations, order and creation dates.',
  examples: ['npm run restore -- acme.ndjson --tenant other'],
  argument: {
    name: 'FILE',
    missing: 'The file is required: npm run restore -- acme.ndjson --tenant other',
    isFile: true,
  },
  options: {
    tenant: tenantName,
    'into-filled': flag('allows a tenant that has a catalogue, and adds the rows whose ids it does not have'),
    edited: flag('accepts an edited file: checks its lines, but not its digest'),
    'database-url': databaseUrl,
    json: flag('prints the result as JSON'),
  },
  notes: [
    'The command checks the whole file before it writes, and lists each fault with its line. One transaction then writes all rows or none. After a failure the tenant is unchanged, and the command can be run again. At the end it compares the rows of the tenant with the file.',
    'Each row is recorded as a created event. Versions begin at 1. Webhook subscriptions are paused and have new secrets, which rotate_secret shows. WEBHOOK_SECRET_KEY encrypts them and must have the same value as in the Worker; the Postgres of "npm start" does not need it. Picture URLs and uploaded pictures in the bucket stay unchanged.',
  ],
  exitCodes: '0 the tenant has the rows of the file, 1 it has not or the command failed',
  async run({ argument: path, tenant: name, edited, json, ...values }, { print }) {
    const url = values['database-url']
    const secretKeys = keysFor(url)
    if (!secretKeys)
      throw new UsageError(
        'Set WEBHOOK_SECRET_KEY to its value in the Worker: it encrypts the new secrets of subscriptions.',
      )
    return withDatabase(url, async (client) => {
      const tenant = await enterTenant(client, name)
      const restoring = { client, tenant, secretKeys, progress: progressBar() }
      const result = await restoreCatalogue(
        { ...restoring, intoFilled: values['into-filled'], isEdited: edited },
        path,
      )
      print(json ? JSON.stringify({ file: path, tenant: tenant.host, ...result }) : resultText(result))
      return result.equal ? 0 : 1
    })
  },
})

function resultText({ kinds, equal }: Restored): string {
  const rows = kinds.map(({ kind, exported, written, present, same }) => [
    kind,
    exported,
    written,
    present,
    same ? 'yes' : 'no',
  ])
  const ending = equal
    ? 'The tenant has the rows of the file.'
    : 'The tenant differs from the file in each kind that is not the same: rows were added, changed or deleted.'
  return `${table([['kind', 'in file', 'written', 'in tenant', 'same'], ...rows])}\n${ending}`
}

if (import.meta.main) await runHere(restoreCommand)
