import { existsSync, statSync } from 'node:fs'
import type pg from 'pg'
import { Failure } from '../cli/command.ts'
import type { Progress } from '../cli/output.ts'
import { type Changes, type End, type Header, LineWriter, linesOf, parsedLine } from './file.ts'
import { movedKinds } from './kinds.ts'
import { contentsOf, deletedSince, pagesOf, sequenceOf } from './pages.ts'
import { type MovingTenant, newestMigration } from './tenant.ts'

/** The result of an export: the file is complete at `sequence`. */
export type Exported = Pick<End, 'sequence' | 'counts'> & {
  /** The sequence of the first page. */
  readonly since: number
  /** Whether it continued an existing file. */
  readonly resumed: boolean
}

/**
 * Exports a tenant's catalogue to a file, or continues one: the remaining rows after an interruption, and then, in one snapshot,
 * what has changed since its first page, or since it was last whole. `client` is connected as the owner, and has entered the tenant.
 * @throws Failure for a file that is of another tenant or schema
 */
export async function exportCatalogue(
  client: pg.Client,
  tenant: MovingTenant,
  path: string,
  { progress, pageRows = 500 }: { readonly progress: Progress; readonly pageRows?: number },
): Promise<Exported> {
  const migration = await newestMigration(client)
  const standing = existsSync(path) && statSync(path).size > 0 ? standingOf(path) : null
  if (standing) demandSame(standing.header, tenant, migration)
  const { host, name, locales } = tenant
  const sequence = standing?.since ?? (await sequenceOf(client, tenant.id))
  const file = new LineWriter(path, standing?.keep ?? 0)
  try {
    const header: Header = {
      kind: 'export',
      format: 1,
      tenant: { host, name, locales: [...locales] },
      migration,
      sequence,
    }
    if (!standing) file.write([JSON.stringify(header)])
    const { counts } = await contentsEstimate(client, tenant.id)
    progress.start(counts, standing?.rows ?? 0)
    const writing = { client, tenant, file, progress, pageRows }
    await writeRows(writing, standing)
    const end = await writeChanges(writing, sequence)
    return { since: sequence, sequence: end.sequence, counts: end.counts, resumed: standing !== null }
  } finally {
    file.close()
    progress.stop()
  }
}

/** How far a file has come. */
type Standing = {
  readonly header: Header
  /** The sequence from which changes are to be read. */
  readonly since: number
  /** Bytes that stay. Changes that were read incompletely are read again. */
  readonly keep: number
  readonly rows: number
  /** Whether all rows were read once. */
  readonly listed: boolean
  /** The last row that was read; null before the first. */
  readonly last: { readonly kind: string; readonly after: string } | null
}

function standingOf(path: string): Standing | null {
  let header: Header | null = null
  let end: End | null = null
  let changes: { at: number } | null = null
  let last: Standing['last'] = null
  let [keep, rows, since] = [0, 0, 0]
  for (const each of linesOf(path)) {
    const line = parsedLine(each)
    if ('format' in line) {
      header = line
      since = line.sequence
    } else if ('after' in line) {
      changes = each
      end = null
    } else if ('counts' in line) {
      end = line
      since = line.sequence
    } else if (!changes && 'row' in line) {
      last = { kind: line.kind, after: line.id }
      rows += 1
    }
    keep = each.at + each.bytes + 1
  }
  if (!header) return null
  const isBroken = changes !== null && end === null
  return { header, since, rows, last, listed: changes !== null, keep: isBroken ? (changes?.at ?? 0) : keep }
}

function demandSame(header: Header, tenant: MovingTenant, migration: string): void {
  if (!tenant.hosts.includes(header.tenant.host))
    throw new Failure(`The file is an export of ${header.tenant.host}. Name another file.`)
  if (header.migration !== migration)
    throw new Failure(
      `The file was begun on a database at ${header.migration}, which is at ${migration} by now. Begin another file.`,
    )
}

async function contentsEstimate(client: pg.Client, tenantId: string): Promise<{ counts: number }> {
  const each = movedKinds.map(({ name }) => `(select count(*) from ${name} where tenant_id = $1)`)
  const { rows } = await client.query<{ counts: number }>(`select (${each.join(' + ')})::float8 as counts`, [
    tenantId,
  ])
  return { counts: rows[0]?.counts ?? 0 }
}

type Writing = {
  readonly client: pg.Client
  readonly tenant: MovingTenant
  readonly file: LineWriter
  readonly progress: Progress
  readonly pageRows: number
}

async function writeRows(
  { client, tenant, file, progress, pageRows: rows }: Writing,
  standing: Standing | null,
): Promise<void> {
  if (standing?.listed) return
  const last = standing?.last ?? null
  const listed = movedKinds.filter((each) => !each.movesLast)
  const from = Math.max(
    0,
    listed.findIndex(({ name }) => name === last?.kind),
  )
  for (const kind of listed.slice(from)) {
    const behind = kind.name === last?.kind ? { rows, after: last.after } : { rows }
    for await (const { lines } of pagesOf(client, tenant.id, kind, behind)) {
      file.write(lines)
      progress.advance(kind.name, lines.length)
    }
  }
}

/** Reads what changed after a sequence, in one snapshot, at whose sequence the file is then whole. */
async function writeChanges(
  { client, tenant: { id }, file, progress, pageRows: rows }: Writing,
  after: number,
): Promise<End> {
  const changes: Changes = { kind: 'changes', after }
  file.write([JSON.stringify(changes)])
  await client.query('begin isolation level repeatable read read only')
  try {
    const sequence = await sequenceOf(client, id)
    for (const kind of movedKinds) {
      for await (const { lines } of pagesOf(
        client,
        id,
        kind,
        kind.movesLast ? { rows } : { rows, touchedSince: after },
      )) {
        file.write(lines)
        progress.advance(`${kind.name} (changes)`, kind.movesLast ? lines.length : 0)
      }
    }
    file.write(await deletedSince(client, id, after))
    const { counts, checksums } = await contentsOf(client, id)
    const rebuilding = await client.query<{ id: string }>(
      'select r.id from collection_rebuilds r join collections c using (tenant_id, id) where r.tenant_id = $1 order by r.id',
      [id],
    )
    const end: End = {
      kind: 'end',
      sequence,
      counts,
      checksums,
      rebuilding: rebuilding.rows.map((each) => each.id),
    }
    file.seal(end)
    return end
  } finally {
    await client.query('rollback').catch(() => {})
  }
}
