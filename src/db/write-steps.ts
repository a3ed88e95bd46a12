import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable, PgTable } from 'drizzle-orm/pg-core'
import type { Statement, Step, WrittenRows } from './query.ts'

/**
 * Steps of a write, which the SQL function `write()` performs in sequence in one statement. It takes one round trip,
 * and a connection plans its queries once.
 */

/** A statement that is a step. */
export function stepStatement(step: Step): Statement {
  return {
    step,
    get query() {
      return writeStatement(JSON.stringify([step]))
    },
  }
}

/** A step that writes rows. */
export function rowsStatement(rows: WrittenRows): Statement {
  return {
    rows,
    step: rows,
    get query() {
      return writeStatement(JSON.stringify([rows]))
    },
  }
}

/** Maximum characters of merged steps. A larger step is its own statement, with its own time limit. */
const maximumMerged = 500_000
/** Maximum characters of steps that must stay together: Postgres writes a megabyte of them in a quarter of a second. */
const maximumTogether = 4_000_000

/**
 * Merges neighbouring steps into one statement, in the same order. It returns `written`: the result of commit(), if the
 * steps include it.
 */
export function mergeSteps(statements: readonly Statement[]): Statement[] {
  return mergeParts(statements.map(withText), statements.length)
}

/** Merges like `mergeSteps`, but all steps from `first` on into one statement; null if they are too large for that. */
function mergeStepsFrom(statements: readonly Statement[], first: number): Statement[] | null {
  const parts = statements.map(withText)
  const last = parts.slice(first)
  const size = last.reduce((sum, { text = '' }) => sum + text.length, 0)
  return size > maximumTogether || last.some(({ text }) => text === undefined)
    ? null
    : mergeParts(parts, first)
}

type Part = { readonly statement: Statement; readonly text: string | undefined }

function withText(statement: Statement): Part {
  return { statement, text: statement.step && JSON.stringify(statement.step) }
}

function mergeParts(parts: readonly Part[], firstTogether: number): Statement[] {
  const result: Statement[] = []
  let steps: string[] = []
  let size = 0
  const end = () => {
    const text = `[${steps.join(',')}]`
    if (steps.length > 0) result.push({ query: writeStatement(text), steps: text })
    steps = []
    size = 0
  }
  for (const [index, { statement, text }] of parts.entries()) {
    if (text === undefined || (index <= firstTogether && size + text.length > maximumMerged)) end()
    if (text === undefined) result.push(statement)
    else {
      steps.push(text)
      size += text.length
    }
  }
  end()
  return result
}

function writeStatement(steps: string) {
  return sql`select write(${steps}::jsonb) as written`
}

/**
 * The end of a write runs under the lock of the tenant's clock. Rows get their version and times in the first write, so
 * that no second write has to add them.
 */

/** A change of a row, as commit() receives it. */
type Change = {
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly action: 'created' | 'updated' | 'deleted'
}

/** The statements of a write with its commit at the end. The clock is locked before the first row that gets a stamp. */
export function underClock(
  statements: readonly Statement[],
  changes: readonly Change[],
  commit: Statement,
): Statement[] {
  const unstamped = [...statements, commit]
  const stampedStatements = [...stampRows(statements, changes), commit]
  const first = stampedStatements.findIndex((statement, index) => statement !== unstamped[index])
  return (first < 0 ? null : mergeStepsFrom(stampedStatements, first)) ?? mergeSteps(unstamped)
}

/** The same statements, whose rows have their new version and the position of their change. */
function stampRows(statements: readonly Statement[], changes: readonly Change[]): Statement[] {
  const pending = stampsOf(changes)
  return statements.map((statement) => {
    if (!statement.rows) return statement
    const { table, rows } = statement.rows
    const action = statement.rows.do === 'insert' ? 'created' : 'updated'
    const stamps = rows.map(({ id }) => {
      const key = keyOf(action, table, id)
      const stamp = pending.get(key) ?? null
      // A row that is written again keeps its first stamp.
      pending.delete(key)
      return stamp
    })
    if (stamps.every((stamp) => stamp === null)) return statement
    return stepStatement({
      ...statement.rows,
      rows: rows.map((row, index) => ({ ...row, ...(stamps[index] && { version: stamps[index].version }) })),
      places: stamps.map((stamp) => stamp?.position ?? null),
    })
  })
}

type Stamp = { readonly position: number; readonly version: number }

/** The stamps of rows that change once. commit() stamps rows that change several times. */
function stampsOf(changes: readonly Change[]): Map<string, Stamp> {
  const numbered = changes.map((change, position) => ({ ...change, position }))
  const resources = Map.groupBy(numbered, ({ kind, id }) => `${kind} ${id}`)
  const singleChanges = [...resources.values()].filter((changes) => changes.length === 1).flat()
  return new Map(
    singleChanges.map(({ action, kind, id, position, version }) => [
      keyOf(action, kind, id),
      { position, version },
    ]),
  )
}

const keyOf = (action: Change['action'], kind: string, id: unknown) => `${action} ${kind} ${id}`

type Insert<T extends PgTable> = T['$inferInsert']

/** Rows by column name. */
function records(table: AnyPgTable, rows: readonly object[]): Record<string, unknown>[] {
  const columns = getTableColumns(table)
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([property, value]) => {
        const column = columns[property]
        if (!column) throw new Error(`no column for ${property}`)
        return [column.name, value ?? null]
      }),
    ),
  )
}

/** Inserts rows. Absent columns get their default, and `tenant_id` is the session's. */
export function insertRows<T extends AnyPgTable>(
  table: T,
  rows: readonly Omit<Insert<T>, 'tenantId'>[],
): Statement[] {
  if (rows.length === 0) return []
  return [rowsStatement({ do: 'insert', table: getTableName(table), rows: records(table, rows) })]
}

/** Updates rows by `id`. Each row sets the columns that it names; commit() sets the stamp columns. */
export function updateRows<T extends AnyPgTable>(
  table: T,
  rows: readonly (Partial<Omit<Insert<T>, 'tenantId' | Stamped>> & { id: string })[],
): Statement[] {
  if (rows.length === 0) return []
  return [rowsStatement({ do: 'update', table: getTableName(table), rows: records(table, rows) })]
}

type Stamped = 'version' | 'createdAt' | 'updatedAt'

/**
 * Deletes rows by id, or by the id of their owner. A foreign key that still references a row fails with its
 * constraint's name.
 */
export function deleteRows(table: AnyPgTable, ids: readonly string[], by = 'id'): Statement[] {
  if (ids.length === 0) return []
  return [stepStatement({ do: 'delete', table: getTableName(table), by, ids })]
}

/** An array parameter of ids. */
export function uuidArray(ids: readonly string[]): SQL {
  return sql`${`{${ids.join(',')}}`}::uuid[]`
}

/** An array parameter of strings. */
export function textArray(values: readonly string[]): SQL {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`
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
): Statement {
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
): Statement {
  return stepStatement({
    do: 'place',
    table: getTableName(table),
    owner,
    moved: rows.map((row) => row.id),
    places: rows.map((row) => Math.min(row.position, maximumPosition)),
  })
}

/** Beyond any end, and small enough to add positions in 32 bits. */
const maximumPosition = 2_000_000_000
