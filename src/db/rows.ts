import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable, PgTable } from 'drizzle-orm/pg-core'
import { type Statement, statement } from './client.ts'

type Insert<T extends PgTable> = T['$inferInsert']

/**
 * Rows travel as one JSON parameter, so that a batch of thousands stays far below Postgres's 65,535 parameters and
 * the statement's text never changes.
 */
function recordset(table: AnyPgTable, rows: readonly object[]): SQL {
  const records = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([property, value]) => [columnName(table, property), value])),
  )
  return sql`jsonb_populate_recordset(null::${table}, ${JSON.stringify(records)}::jsonb)`
}

function columnName(table: AnyPgTable, property: string): string {
  const column = getTableColumns(table)[property]
  if (!column) throw new Error(`no column for ${property}`)
  return column.name
}

function columnNames(table: AnyPgTable, properties: readonly string[]): SQL {
  return sql.join(
    properties.map((property) => sql.identifier(columnName(table, property))),
    sql`, `,
  )
}

/** Inserts rows, of which all must name the same columns as the first; `tenant_id` is the session's own. */
export function insertRows<T extends AnyPgTable>(
  table: T,
  rows: readonly Omit<Insert<T>, 'tenantId'>[],
): Statement[] {
  const [first] = rows
  if (!first) return []
  const columns = columnNames(table, Object.keys(first))
  return [
    statement(
      sql`insert into ${table} (tenant_id, ${columns}) select current_tenant(), ${columns} from ${recordset(table, rows)}`,
    ),
  ]
}

/** Updates rows by `id`, setting the columns that the first row names. */
export function updateRows<T extends AnyPgTable>(
  table: T,
  rows: readonly (Partial<Omit<Insert<T>, 'tenantId'>> & { id: string })[],
): Statement[] {
  const [first] = rows
  if (!first) return []
  const changed = Object.keys(first).filter((property) => property !== 'id')
  const assignments = sql.join(
    changed.map((property) => {
      const name = columnNames(table, [property])
      return sql`${name} = r.${name}`
    }),
    sql`, `,
  )
  return [
    statement(
      sql`update ${table} t set ${assignments} from ${recordset(table, rows)} r where t.tenant_id = current_tenant() and t.id = r.id`,
    ),
  ]
}

/** Deletes rows by id. A foreign key that still needs one of them raises its constraint's name. */
export function deleteRows(table: AnyPgTable, ids: readonly string[]): Statement[] {
  if (ids.length === 0) return []
  return [statement(sql`delete from ${table} where tenant_id = current_tenant() and id = any(${uuids(ids)})`)]
}

/** An array parameter of ids. */
export function uuids(ids: readonly string[]): SQL {
  return sql`${`{${ids.join(',')}}`}::uuid[]`
}

/** An array parameter of texts. */
export function texts(values: readonly string[]): SQL {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`
}
