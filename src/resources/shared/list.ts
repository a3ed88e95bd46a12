import { type SQL, sql } from 'drizzle-orm'
import type { Value } from '../../core/document.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Answer, Context } from '../../core/operation.ts'
import { type Direction, type Orders, type PageQuery, planPage } from '../../core/paging.ts'
import { rowBytes } from '../../db/columns.ts'

/** A list of rows whose documents embed nothing, so that one statement reads all data. */
export type RowList<Row> = {
  /** The table, which also names the stored total. */
  readonly table: string
  readonly orders: Orders
  readonly standard: readonly (readonly [string, Direction])[]
  /** Conditions of the query, in addition to the tenant. */
  readonly conditions: readonly SQL[]
  /** The columns, including `document`. */
  readonly columns: SQL
  /** The size of a row, in terms of `columns`. Defaults to the size of its document. */
  readonly bytes?: SQL
  readonly document: (row: Row) => Value
}

/** Returns one page of a list. */
export async function listRows<Row>(
  { db, url }: Context,
  query: PageQuery,
  { table, orders, standard, conditions, columns, bytes = rowBytes(), document }: RowList<Row>,
): Promise<Answer> {
  const page = planPage(query, url, orders, standard)
  const name = sql.identifier(table)
  const from = sql`from ${name} where ${sql.join([sql`${name}.tenant_id = current_tenant()`, ...conditions], sql` and `)}`
  const keptTotal = conditions.length > 0 ? null : table
  const { list } = await db.read({
    list: listQuery<Row>(page, { from, columns, bytes, totalName: keptTotal }),
  })
  return { kind: 'collection', members: list.rows.map(document), ...list.paging, sequence: list.sequence }
}
