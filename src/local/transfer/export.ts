import { existsSync, statSync } from 'node:fs'
import type pg from 'pg'
import { command, Failure, flag, option, runHere, text } from '../cli/command.ts'
import { databaseUrl, tenantName, transaction, withDatabase } from '../cli/database.ts'
import { type Progress, progressBar } from '../cli/output.ts'
import { type Changes, type End, type Header, LineWriter, linesOf, parsedLine } from './file.ts'
import { enterTenant, type MovedKind, type MovingTenant, movedKinds, newestMigration } from './tables.ts'

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
  if (standing) {
    demandSame(standing.header, tenant, migration)
    await demandSameEpoch(client, tenant.id, standing.since)
  }
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

/** A file from before a restore to an earlier time may have rows that the restore undid. */
async function demandSameEpoch(client: pg.Client, tenantId: string, since: number): Promise<void> {
  const { rowCount } = await client.query(
    'select from tenant_epochs where tenant_id = $1 and first_sequence > $2',
    [tenantId, since],
  )
  if (rowCount) throw new Failure('The database was restored since the file was begun. Begin another file.')
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
  const read = async () => {
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
  }
  const begin = 'begin isolation level repeatable read read only'
  return transaction(client, read, { begin, end: 'rollback' })
}

/** Bytes that the documents of a page have at most, unless one alone has more. */
const mostBytes = 4_000_000
const first = '00000000-0000-0000-0000-000000000000'

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`
const without = (names: readonly string[]) => names.map((name) => ` - ${quoted(name)}`).join('')

function rowOf({ decimals, left }: MovedKind): string {
  const exact = decimals.map((name) => `${quoted(name)}, t.${name}::text`).join(', ')
  return `(to_jsonb(t)${exact && ` || jsonb_build_object(${exact})`})${without(['tenant_id', ...left])}`
}

/** Products keep the membership of a deleted collection until its rebuild. */
const isThere = ` and exists (select from collections c where c.tenant_id = s.tenant_id and c.id = s.collection_id)`

function besideOf({ beside }: MovedKind): string {
  const tables = Object.entries(beside).map(
    ([table, column]) => `${quoted(table)}, (select coalesce(jsonb_agg(to_jsonb(s) - 'tenant_id'), '[]')
      from ${table} s where s.tenant_id = t.tenant_id and s.${column} = t.id${table === 'product_collections' ? isThere : ''})`,
  )
  return tables.length > 0 ? `, 'beside', jsonb_build_object(${tables.join(', ')})` : ''
}

type PageAsked = {
  /** Rows of a page at most. */
  readonly rows: number
  readonly after?: string
  readonly touchedSince?: number
}

/**
 * Reads the rows of a kind, a page at a time, behind an id: all of them, or those that events after a sequence may have touched.
 * A page is one statement, and so one snapshot.
 */
export async function* pagesOf(
  client: pg.ClientBase,
  tenantId: string,
  kind: MovedKind,
  { rows: most, after = first, touchedSince }: PageAsked,
): AsyncGenerator<{ readonly lines: readonly string[] }> {
  const { name } = kind
  // A parameter that is not used has no type.
  const touched = touchedSince === undefined ? '$2::bigint is null' : kind.touched
  for (let last = after; ; ) {
    const { rows } = await client.query<{ id: string; line: string }>(
      `with page as materialized (
         select id, sum(octet_length(document)) over (order by id) as bytes, row_number() over (order by id) as n
           from (select t.id, t.document from ${name} t where t.tenant_id = $1 and t.id > $3 and ${touched}
                  order by t.id limit ${most}) as found)
       select t.id, jsonb_build_object('kind', ${quoted(name)}, 'id', t.id, 'row', ${rowOf(kind)}${besideOf(kind)})::text as line
         from page join ${name} t on t.tenant_id = $1 and t.id = page.id
        where page.n = 1 or page.bytes <= ${mostBytes} order by t.id`,
      [tenantId, touchedSince ?? null, last],
    )
    const end = rows.at(-1)
    if (!end) return
    yield { lines: rows.map((each) => each.line) }
    last = end.id
  }
}

/** The lines of rows that were deleted after a sequence. */
export async function deletedSince(
  client: pg.ClientBase,
  tenantId: string,
  sequence: number,
): Promise<string[]> {
  const kinds = movedKinds.filter((each) => !each.movesLast).map(({ name }) => name)
  const gone = kinds.map(
    (name) => `select distinct e.kind, e.resource_id as id from events e
      where e.tenant_id = $1 and e.sequence > $2 and e.kind = ${quoted(name)}
        and not exists (select from ${name} t where t.tenant_id = $1 and t.id = e.resource_id)`,
  )
  const { rows } = await client.query<{ line: string }>(
    `select jsonb_build_object('kind', kind, 'id', id, 'deleted', true)::text as line from (${gone.join(' union all ')}) as gone`,
    [tenantId, sequence],
  )
  return rows.map((each) => each.line)
}

const stamps = ['version', 'created_at', 'updated_at']

/** The same sum over rows of a file. */
export async function checksumOf(
  client: pg.ClientBase,
  lines: readonly { readonly row: Readonly<Record<string, unknown>> }[],
): Promise<bigint> {
  const { rows } = await client.query<{ checksum: string }>(
    `select coalesce(sum(hashtextextended((r${without(stamps)})::text, 0)::numeric), 0)::text as checksum
       from jsonb_array_elements($1::jsonb) as r`,
    [JSON.stringify(lines.map(({ row }) => row))],
  )
  return BigInt(rows[0]?.checksum ?? 0)
}

/** How many rows of each kind a tenant has, and a sum over what they say, but for their stamps: the same where they are the same. */
export async function contentsOf(
  client: pg.ClientBase,
  tenantId: string,
): Promise<{ counts: Record<string, number>; checksums: Record<string, string> }> {
  const counts: Record<string, number> = {}
  const checksums: Record<string, string> = {}
  for (const kind of movedKinds) {
    const said = `(${rowOf(kind)}${without(stamps)})::text`
    const { rows } = await client.query<{ count: number; checksum: string }>(
      `select count(*)::int as count, coalesce(sum(hashtextextended(${said}, 0)::numeric), 0)::text as checksum
         from ${kind.name} t where tenant_id = $1`,
      [tenantId],
    )
    counts[kind.name] = rows[0]?.count ?? 0
    checksums[kind.name] = rows[0]?.checksum ?? ''
  }
  return { counts, checksums }
}

/** The tenant's event sequence. */
export async function sequenceOf(client: pg.ClientBase, tenantId: string): Promise<number> {
  const { rows } = await client.query<{ sequence: number }>(
    'select sequence::float8 as sequence from tenant_clock where tenant_id = $1',
    [tenantId],
  )
  return rows[0]?.sequence ?? 0
}

/** `npm run export`. */
export const exportCommand = command({
  name: 'export',
  summary:
    "Exports a tenant's catalogue to a file: products, options, values, variants, prices, purchase offers, categories, collections, metaobjects with their definitions, all translations, and webhook subscriptions without their secrets.",
  examples: ['npm run export -- --tenant acme'],
  options: {
    tenant: tenantName,
    file: option('FILE', 'the file to write or continue (default: NAME.ndjson)', text.optional()),
    'database-url': databaseUrl,
    json: flag('prints the result as JSON'),
  },
  notes: [
    'The service may run meanwhile. The command reads rows in pages. At the end it reads again what changed since the first page, in one snapshot. The last line of the file has the event sequence of this snapshot.',
    'If the command is interrupted, run it again: it continues the file. On a complete file it adds the changes since then.',
    'The file contains cost prices, so protect it like the database. It contains the URLs of pictures. Uploaded pictures remain in the bucket (.github/docs/tenants.md, "Moving a catalogue").',
  ],
  async run({ tenant: name, file, 'database-url': url, json }, { print }) {
    const path = file ?? `${name}.ndjson`
    await withDatabase(url, async (client) => {
      const tenant = await enterTenant(client, name)
      const result = await exportCatalogue(client, tenant, path, { progress: progressBar() })
      const rows = Object.values(result.counts).reduce((sum, count) => sum + count, 0)
      print(
        json
          ? JSON.stringify({ file: path, tenant: tenant.host, ...result })
          : `${path} contains all ${rows} rows of ${tenant.host} at event sequence ${result.sequence}.`,
      )
    })
    return 0
  },
})

if (import.meta.main) await runHere(exportCommand)
