import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable, PgTable } from 'drizzle-orm/pg-core'
import type { Statement } from './statement.ts'
import { rowsStatement, stepStatement } from './steps.ts'

type Insert<T extends PgTable> = T['$inferInsert']

/** Rows by the names of their columns. */
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

/** Inserts rows; columns that a row does not name have their standard, and `tenant_id` is the session's own. */
export function insertRows<T extends AnyPgTable>(
  table: T,
  rows: readonly Omit<Insert<T>, 'tenantId'>[],
): Statement[] {
  if (rows.length === 0) return []
  return [rowsStatement({ do: 'insert', table: getTableName(table), rows: records(table, rows) })]
}

/** Updates rows by `id`, setting the columns that each names, but for those that commit() stamps. */
export function updateRows<T extends AnyPgTable>(
  table: T,
  rows: readonly (Partial<Omit<Insert<T>, 'tenantId' | Stamped>> & { id: string })[],
): Statement[] {
  if (rows.length === 0) return []
  return [rowsStatement({ do: 'update', table: getTableName(table), rows: records(table, rows) })]
}

type Stamped = 'version' | 'createdAt' | 'updatedAt'

/**
 * Deletes rows by id, or by the id of what they belong to. A foreign key that still needs one of them raises its constraint's
 * name.
 */
export function deleteRows(table: AnyPgTable, ids: readonly string[], by = 'id'): Statement[] {
  if (ids.length === 0) return []
  return [stepStatement({ do: 'delete', table: getTableName(table), by, ids })]
}

/** An array parameter of ids. */
export function uuids(ids: readonly string[]): SQL {
  return sql`${`{${ids.join(',')}}`}::uuid[]`
}

/** An array parameter of texts. */
export function texts(values: readonly string[]): SQL {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`
}
