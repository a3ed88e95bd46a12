/** Loads the recorded catalogue: source tables with named columns, one row per line. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { rebuildDerivedRows } from './derived.ts'

/** The tenant of the rows in `catalogue/`. */
export const recordedTenant = '01a2309e-2400-7f69-9140-e6a128895edd'

/** In the order of their foreign keys. */
const tables = [
  'metaobject_definitions',
  'metaobjects',
  'categories',
  'collections',
  'products',
  'product_tags',
  'product_channels',
  'product_categories',
  'product_collections',
  'product_options',
  'option_values',
  'variants',
  'variant_option_values',
  'sale_offers',
  'purchase_offers',
  'webhook_subscriptions',
  'events',
  // The history of sale offers is a source: it cannot be derived from the other tables.
  'sale_offer_terms',
] as const

export type TenantRow = {
  readonly id: string
  readonly host: string
  readonly locales: readonly string[]
  /** The public keys of its tokens. */
  readonly keys: readonly object[]
}

/** Inserts a tenant without a catalogue, and selects it for row security. `client` is connected as the owner of the database. */
export async function insertTenant(client: pg.Client, { id, host, locales, keys }: TenantRow): Promise<void> {
  await client.query(`select set_config('app.tenant', $1, false)`, [id])
  const row = {
    id,
    host,
    name: 'Recorded catalogue',
    locales,
    default_api_version: '2026-10',
    issuer: `https://login.${host}/`,
    audience: `https://${host}/api`,
    jwks: { keys },
    prior_price_days: 30,
    time_zone: 'Europe/Paris',
  }
  await insertRows(client, 'tenants', [row])
  await rebuildDerivedRows(client, id)
}

/** Inserts the recorded rows into the tenant that was inserted last, and rebuilds the derived rows. */
export async function loadCatalogue(client: pg.Client, tenantId: string): Promise<void> {
  for (const table of tables) {
    const rows = rowsOf(table).map((row) => ({ tenant_id: tenantId, ...row }))
    // A trigger has recorded terms from the events that were inserted before.
    if (table === 'sale_offer_terms')
      await client.query('delete from sale_offer_terms where tenant_id = $1', [tenantId])
    await insertRows(client, table, rows)
  }
  await rebuildDerivedRows(client, tenantId)
}

type Row = Readonly<Record<string, unknown>>

/** The recorded rows of a table, by the names of their columns without the tenant's. */
export function rowsOf(table: string): Row[] {
  const rows: Row[] = textOf(table)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  // A category comes after its parent.
  return rows.toSorted((a, b) => Number(a.level ?? 0) - Number(b.level ?? 0))
}

const textOf = (table: string) =>
  readFileSync(join(import.meta.dirname, 'catalogue', `${table}.jsonl`), 'utf8')

let recordedTexts: ReadonlySet<string> | undefined

/** Whether an id or a time is from the recorded catalogue, and so the same in every run. */
export function isRecorded(text: string): boolean {
  recordedTexts ??= new Set(
    tables
      .map(textOf)
      .join('')
      .match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g),
  )
  return recordedTexts.has(text)
}

async function insertRows(client: pg.Client, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  )
}
