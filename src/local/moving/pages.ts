/** Reading a tenant's rows as the lines of an export. `$1` is the tenant, `$2` a sequence. */
import type pg from 'pg'
import { type MovedKind, movedKinds } from './kinds.ts'

/** Bytes that the documents of a page have at most, unless one alone has more. */
const mostBytes = 4_000_000
const first = '00000000-0000-0000-0000-000000000000'

const text = (value: string) => `'${value.replaceAll("'", "''")}'`
const without = (names: readonly string[]) => names.map((name) => ` - ${text(name)}`).join('')

function rowOf({ decimals, left }: MovedKind): string {
  const exact = decimals.map((name) => `${text(name)}, t.${name}::text`).join(', ')
  return `(to_jsonb(t)${exact && ` || jsonb_build_object(${exact})`})${without(['tenant_id', ...left])}`
}

/** Products keep the membership of a deleted collection until its rebuild. */
const isThere = ` and exists (select from collections c where c.tenant_id = s.tenant_id and c.id = s.collection_id)`

function besideOf({ beside }: MovedKind): string {
  const tables = Object.entries(beside).map(
    ([table, column]) => `${text(table)}, (select coalesce(jsonb_agg(to_jsonb(s) - 'tenant_id'), '[]')
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
       select t.id, jsonb_build_object('kind', ${text(name)}, 'id', t.id, 'row', ${rowOf(kind)}${besideOf(kind)})::text as line
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
      where e.tenant_id = $1 and e.sequence > $2 and e.kind = ${text(name)}
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
