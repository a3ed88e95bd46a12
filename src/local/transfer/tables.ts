/** The kinds of rows of a catalogue, each after those that it refers to. */
import type pg from 'pg'
import { parseInstant } from '../../core/instant.ts'
import { isId } from '../../core/iri.ts'
import type { Locales } from '../../core/locale.ts'
import { findTenant, type StoredTenant } from '../tenant/stored.ts'

/** A kind of resource that has a table of its own, by the table's name. */
export type MovedKind = {
  readonly name: string
  /** Tables whose rows describe this row, and the column that names it. They are exported with it. */
  readonly beside: Readonly<Record<string, string>>
  /** Columns of exact decimals: as JSON numbers they would lose their zeros. */
  readonly decimals: readonly string[]
  /** Columns that differ between tenants, or are counted again. */
  readonly left: readonly string[]
  /**
   * The condition of the rows `t` that events after the sequence `$2` may have touched. A place among siblings moves without an
   * event of its own, so that all siblings count.
   */
  readonly touched: string
  /** Read only at the end, because its changes have no events. */
  readonly movesLast: boolean
}

/** Derived from the row's own texts. */
const left = ['translated_in']
const plain = { beside: {}, decimals: [], left: [], touched: 'false', movesLast: false }
const events = 'from events e where e.tenant_id = $1 and e.sequence > $2'
const changed = (kind: string) => `t.id in (select e.resource_id ${events} and e.kind = '${kind}')`
const ofProduct = (column: string) =>
  `t.${column} in (select coalesce(e.owner_id, e.resource_id) ${events}
     and e.kind in ('products', 'product_options', 'option_values', 'variants'))`

export const movedKinds: readonly MovedKind[] = [
  { ...plain, name: 'metaobject_definitions', touched: changed('metaobject_definitions') },
  { ...plain, name: 'metaobjects', touched: changed('metaobjects') },
  { ...plain, left, name: 'categories', touched: `exists (select ${events} and e.kind = 'categories')` },
  { ...plain, left, name: 'collections', touched: changed('collections') },
  {
    ...plain,
    left,
    name: 'products',
    beside: {
      product_tags: 'product_id',
      product_channels: 'product_id',
      product_categories: 'product_id',
      product_collections: 'product_id',
      former_handles: 'product_id',
    },
    touched: ofProduct('id'),
  },
  { ...plain, left, name: 'product_options', touched: ofProduct('product_id') },
  { ...plain, left, name: 'option_values', touched: ofProduct('product_id') },
  {
    ...plain,
    name: 'variants',
    beside: { variant_option_values: 'variant_id' },
    // Offers are counted without an event of the variant.
    left: ['sale_offer_count', 'purchase_offer_count'],
    touched: ofProduct('product_id'),
  },
  { ...plain, name: 'campaigns', touched: changed('campaigns') },
  {
    ...plain,
    name: 'sale_offers',
    decimals: ['amount', 'compare_at_amount'],
    left: ['country_set'],
    touched: changed('sale_offers'),
  },
  { ...plain, name: 'purchase_offers', decimals: ['cost'], touched: changed('purchase_offers') },
  { ...plain, name: 'markets', left: ['prices_complete_at'], touched: changed('markets') },
  { ...plain, name: 'search_synonyms', touched: changed('search_synonyms') },
  {
    ...plain,
    name: 'webhook_subscriptions',
    // Secrets are not exported. Columns that follow from deliveries begin again.
    left: [
      'secret',
      'previous_secret',
      'previous_secret_until',
      'status',
      'failing_since',
      'disabled_reason',
    ],
    movesLast: true,
  },
]

/** A column that an export contains. */
export type Column = { readonly name: string; readonly type: string; readonly isRequired: boolean }

/** Columns by table. */
export type Columns = ReadonlyMap<string, readonly Column[]>

/** Reads the columns of every table that moves, without those that a restore computes. */
export async function columnsOf(client: pg.ClientBase): Promise<Columns> {
  const left = new Map<string, readonly string[]>(
    movedKinds.flatMap((kind) => [
      [kind.name, kind.left] as const,
      ...Object.keys(kind.beside).map((table) => [table, []] as const),
    ]),
  )
  const { rows } = await client.query<Column & { table: string }>(
    `select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull as "isRequired"
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and a.attname <> 'tenant_id'
      order by c.relname, a.attnum`,
    [[...left.keys()]],
  )
  const moved = rows.filter(({ table, name }) => !left.get(table)?.includes(name))
  return Map.groupBy(moved, ({ table }) => table)
}

const mostInteger = 2 ** 31
/** Postgres writes moments in UTC without zeros at the end of the fraction. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,5}[1-9])?\+00:00$/
const decimal = /^(?:0|[1-9]\d{0,19})(?:\.\d{1,10})?$/

const isText = (value: unknown) => typeof value === 'string'
const isUuid = (value: unknown) => typeof value === 'string' && isId(value)
const listOf = (isElement: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isElement)

/** The values of columns of each type. Numbers with decimals are text, because JSON numbers lose their zeros. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  uuid: isUuid,
  'uuid[]': listOf(isUuid),
  text: isText,
  'text[]': listOf(isText),
  boolean: (value) => typeof value === 'boolean',
  integer: (value) =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    !Object.is(value, -0) &&
    value >= -mostInteger &&
    value < mostInteger,
  numeric: (value) => typeof value === 'string' && decimal.test(value),
  'timestamp with time zone': (value) =>
    typeof value === 'string' && moment.test(value) && parseInstant(value) !== null,
  jsonb: (value) => value !== null,
}

/** Lists what is wrong with a row's members: one that is missing, unknown, or of another type than its column. */
export function columnFaults(
  table: string,
  row: Readonly<Record<string, unknown>>,
  columns: readonly Column[],
): string[] {
  const names = new Set(columns.map(({ name }) => name))
  const unknown = Object.keys(row).filter((name) => !names.has(name))
  return [
    ...unknown.map((name) => `${table}.${name} is no column`),
    ...columns.flatMap(({ name, type, isRequired }) => {
      if (!Object.hasOwn(row, name)) return [`${table}.${name} is missing`]
      const value = row[name]
      if (value === null) return isRequired ? [`${table}.${name} is null`] : []
      return types[type]?.(value) ? [] : [`${table}.${name} is not of type ${type}`]
    }),
  ]
}

/** A tenant whose catalogue moves. */
export type MovingTenant = Pick<StoredTenant, 'id' | 'host' | 'hosts' | 'name' | 'defaultApiVersion'> &
  Locales

/**
 * Finds a tenant by a host of it, the first label of its primary host (`acme` of `acme.example.com`) or its id, and makes it the one that
 * the connection sees. @throws Failure for none or several tenants
 */
export async function enterTenant(client: pg.ClientBase, asked: string): Promise<MovingTenant> {
  const found = await findTenant(client, asked)
  const leaving = found.localeChanges.filter(({ action }) => action === 'remove').map(({ locale }) => locale)
  // Exported moments are text: both commands have them in the same zone.
  await client.query(`select set_config('app.tenant', $1, false), set_config('timezone', 'UTC', false)`, [
    found.id,
  ])
  return { ...found, leaving }
}

/** The newest migration that was applied to a database. */
export async function newestMigration(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select name from schema_migrations where name ~ '^[0-9]' order by name desc limit 1`,
  )
  return rows[0]?.name ?? ''
}
