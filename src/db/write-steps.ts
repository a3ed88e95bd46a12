import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable, PgTable } from 'drizzle-orm/pg-core'
import { templateOf } from './sql.ts'

/**
 * Steps of a write. The SQL function `apply_write()` (migrations/functions/20_write.sql) performs them in sequence in one
 * statement. It takes one round trip, and a connection plans its queries once.
 */

/** JSON by column name. */
type Row = Readonly<Record<string, unknown>>

/**
 * The steps of a plan in two phases, of which one may be absent. The next writer of the tenant waits while a write holds
 * the tenant's clock, so most work runs before.
 */
export type PlannedSteps = Phases &
  (Required<Pick<Phases, 'beforeClock'>> | Required<Pick<Phases, 'underClock'>>)

type Phases = {
  /** Steps before the clock is taken. Rows that these save get version and times at the end of the write. */
  readonly beforeClock?: readonly WriteStep[]
  /**
   * Steps under the lock of the clock. Rows that these save get version and times at once. The first one saves rows, and
   * takes the clock.
   */
  readonly underClock?: readonly ClockStep[]
}

/** A step that is short, and waits for no lock whose holder may wait for the clock. */
export type ClockStep =
  | {
      readonly do: 'save'
      readonly table: string
      readonly rows: readonly (Row & { readonly id: string })[]
    }
  | {
      readonly do: 'replace_links'
      readonly table: string
      readonly owners: readonly string[]
      readonly rows: readonly Row[]
    }
  | {
      readonly do: 'place_rows'
      readonly table: string
      readonly owner: string | null
      readonly ids: readonly string[]
      readonly positions: readonly number[]
    }
  | SavePrices
  | { readonly do: 'change_live_prices'; readonly product: string; readonly live: boolean }
  | {
      readonly do: 'set_product_archived'
      readonly product: string
      readonly archived: boolean
      readonly channels: readonly string[]
    }

/** Saves prices of variants. `written` are the offers that the write changes. */
export type SavePrices = {
  readonly do: 'save_prices'
  readonly prices: PricesOfVariants
  readonly written: readonly object[]
  /** The prices of the step's variants after all writes of a joint write. It runs in the Worker. */
  pricesAfter(written: readonly object[]): PricesOfVariants
}

export type PricesOfVariants = {
  readonly variants: readonly { readonly id: string }[]
  readonly rows: readonly { readonly v: string }[]
}

export type WriteStep =
  | ClockStep
  | { readonly do: 'delete'; readonly table: string; readonly ids: readonly string[] }
  | {
      readonly do: 'change_memberships'
      readonly removed: readonly Membership[]
      readonly added: readonly Membership[]
    }
  | { readonly do: 'index_products'; readonly texts: readonly string[]; readonly rows: readonly Row[] }
  | { readonly do: 'lock_prices'; readonly prices: Pick<PricesOfVariants, 'variants'> }
  | { readonly do: 'require_offerable'; readonly variants: readonly string[] }
  | { readonly do: 'count_offers'; readonly counts: readonly Row[] }
  | ({ readonly do: 'run' } & SqlTemplate)

type Membership = { readonly product_id: string; readonly collection_id: string }

/** A template of Postgres' `format()` and the values that fill it. */
export type SqlTemplate = { readonly query: string; readonly params: readonly (string | null)[] }

/** A step as `apply_write()` receives it. A save has the places of its rows among the changes, or null for rows without. */
export type SentStep = WriteStep & { readonly places?: readonly (number | null)[] }

/** A write, as `apply_write()` receives it. */
export type WriteRequest = WritePart & {
  readonly locks?: readonly object[]
  readonly beforeClock?: readonly SentStep[]
  readonly underClock?: readonly SentStep[]
  readonly changes?: readonly SentChange[]
  readonly envelope?: object
  readonly totals?: Readonly<Record<string, number>>
  /** Of a joint write, instead of its own key and query. `places` are those of the part's changes. */
  readonly parts?: readonly (WritePart & { readonly places: readonly number[] })[]
  /** Selects rows of the state after the write, of which nothing is stored then: see `rehearse_write()`. */
  readonly report?: SqlTemplate
}

/** The idempotency key and the query of one request. */
type WritePart = { readonly key?: object; readonly readBack?: SqlTemplate }

/** A write as JSON for `apply_write()`. */
export function sentWrite(
  { beforeClock = [], underClock = [], ...write }: WriteRequest,
  limits = {},
): string {
  const steps = [...beforeClock, ...underClock].map((step) =>
    step.do === 'save_prices' ? { do: step.do, prices: step.prices } : step,
  )
  return JSON.stringify({ ...limits, ...write, steps })
}

export type SentChange = {
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly eventId?: string | undefined
}

/** A row of a table without the columns that the write sets. The database computes the place of a category in the tree. */
type SavedRow<T extends PgTable> = Omit<
  T['$inferInsert'],
  | 'tenantId'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
  | (T['_']['name'] extends 'categories' ? 'position' | 'level' : never)
> & { readonly id: string }

/** Inserts rows with new ids, and updates those with known ids. Each row needs a change in the plan. */
export function save<T extends PgTable>(table: T, rows: readonly SavedRow<T>[]): ClockStep[] {
  if (rows.length === 0) return []
  return [
    {
      do: 'save',
      table: getTableName(table),
      rows: rows.map((row) => ({ ...columnsOf(table, row), id: row.id })),
    },
  ]
}

/** Updates some columns of a row, if concurrent writers may have changed the others. */
export function update<T extends PgTable>(table: T, id: string, values: Partial<SavedRow<T>>): WriteStep {
  const row = columnsOf(table, values)
  const columns = columnList(Object.keys(row))
  return run(sql`update ${table} set (${columns}) = (
      select ${columns} from jsonb_populate_record(null::${table}, ${JSON.stringify(row)}::jsonb))
    where tenant_id = current_tenant() and id = ${id}::uuid`)
}

/** Inserts rows that are stamped at the end of the write, or have their version and times. `rows`: by column name. */
export function insert(table: string, rows: readonly Row[]): WriteStep[] {
  const [first] = rows
  if (!first) return []
  const [name, columns] = [sql.identifier(table), columnList(Object.keys(first))]
  return [
    run(sql`insert into ${name} (tenant_id, ${columns}) select current_tenant(), ${columns}
      from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::jsonb)`),
  ]
}

/** Inserts a row that no later write of this kind updates as a whole. */
export function insertRow<T extends PgTable>(table: T, row: SavedRow<T>): WriteStep[] {
  return insert(getTableName(table), [columnsOf(table, row)])
}

function columnList(names: readonly string[]): SQL {
  return sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  )
}

/** Replaces the rows that link owners with others: tags, channels, categories, option values. A new owner has none yet. */
export function replaceLinks<T extends PgTable>(
  table: T,
  owners: readonly string[],
  rows: readonly Omit<T['$inferInsert'], 'tenantId'>[],
): ClockStep[] {
  if (owners.length === 0 && rows.length === 0) return []
  return [
    {
      do: 'replace_links',
      table: getTableName(table),
      owners,
      rows: rows.map((row) => columnsOf(table, row)),
    },
  ]
}

function columnsOf(table: AnyPgTable, row: object): Row {
  const columns = getTableColumns(table)
  return Object.fromEntries(
    Object.entries(row).map(([property, value]) => {
      const column = columns[property]
      if (!column) throw new Error(`Table ${getTableName(table)} has no column for ${property}.`)
      return [column.name, value ?? null]
    }),
  )
}

/** Deletes a row. A foreign key that still references it fails with its constraint's name. */
export function deleteRow(table: AnyPgTable, id: string): WriteStep {
  return { do: 'delete', table: getTableName(table), ids: [id] }
}

/** Runs a statement that no other step covers. Its rows are ignored. */
export function run(query: SQL): WriteStep {
  return { do: 'run', ...sqlTemplate(query) }
}

export function sqlTemplate(query: SQL): SqlTemplate {
  const { template, params } = templateOf(query)
  return { query: template, params: params.map((value) => (value === null ? null : String(value))) }
}

/**
 * The steps as `apply_write()` receives them. Saved rows have the version of their change. Rows under the clock also have its
 * place among the changes, from which the database computes their times.
 */
export function sentSteps(
  { beforeClock = [], underClock = [] }: PlannedSteps,
  changes: readonly { readonly id: string; readonly version: number }[],
): Pick<WriteRequest, 'beforeClock' | 'underClock'> {
  const changesById = new Map(changes.map(({ id, version }, place) => [id, { version, place }]))
  const sentStep = (step: WriteStep, hasPlaces: boolean): SentStep => {
    if (step.do !== 'save') return step
    const rows = step.rows.map((row) => {
      const change = changesById.get(row.id)
      if (!change) throw new Error(`The plan saves row ${row.id} of ${step.table} without a change of it.`)
      return { row: { ...row, version: change.version }, place: hasPlaces ? change.place : null }
    })
    return { ...step, rows: rows.map(({ row }) => row), places: rows.map(({ place }) => place) }
  }
  return {
    beforeClock: beforeClock.map((step) => sentStep(step, false)),
    underClock: underClock.map((step) => sentStep(step, true)),
  }
}

/** The ids of the rows that are saved under the clock. */
export function idsSavedUnderClock({ underClock = [] }: PlannedSteps): ReadonlySet<string> {
  return new Set(underClock.flatMap((step) => (step.do === 'save' ? step.rows.map(({ id }) => id) : [])))
}

/** A row and its final position. */
type PositionedRow = { readonly id: string; readonly position: number }

/**
 * Renumbers the children of an owner without gaps, with `moved` at position `at` in the given order. Positions are
 * 0-based; positions beyond the end mean the end. Rows whose position does not change are not written.
 */
export function reorder(
  table: AnyPgTable,
  owner: string | null,
  moved: readonly string[] = [],
  at = 0,
): ClockStep {
  return reorderAll(
    table,
    owner,
    moved.map((id, index) => ({ id, position: at + index })),
  )
}

/** Moves children of an owner to their final positions. Other siblings keep their order and fill the remaining positions. */
export function reorderAll(
  table: AnyPgTable,
  owner: string | null,
  rows: readonly PositionedRow[],
): ClockStep {
  return {
    do: 'place_rows',
    table: getTableName(table),
    owner,
    ids: rows.map((row) => row.id),
    positions: rows.map((row) => Math.min(row.position, maximumPosition)),
  }
}

/** Beyond any end, and small enough to add positions in 32 bits. */
const maximumPosition = 2_000_000_000
