import { type SQL, sql } from 'drizzle-orm'
import type { Value } from '../core/document.ts'
import type { Answer, Context } from '../core/operation.ts'
import { type Direction, type Orders, type PageQuery, type PageRow, planPage } from '../core/page.ts'
import { totalOf, totalStatement } from '../core/totals.ts'
import { statement } from '../db/client.ts'
import { rowBytes } from '../db/columns.ts'
import { sequenceStatement } from '../db/sequence.ts'

/** A list of rows that stand for themselves: their documents embed nothing that another statement would have to read. */
export type RowList<Row> = {
  /** The table, which also names the kept total. */
  readonly table: string
  readonly orders: Orders
  readonly standard: readonly (readonly [string, Direction])[]
  /** What the query asks for, beside the tenant. */
  readonly conditions: readonly SQL[]
  /** `document` among them. */
  readonly columns: SQL
  /** How large a row is, in terms of `columns`; its document alone where nothing is said. */
  readonly bytes?: SQL
  readonly document: (row: Row) => Value
}

/** Answers one page of a list, with the total and the clock, in one trip. */
export async function listRows<Row>(
  { db, url }: Context,
  query: PageQuery,
  { table, orders, standard, conditions, columns, bytes = rowBytes(), document }: RowList<Row>,
): Promise<Answer> {
  const page = planPage(query, url, orders, standard)
  const filtered = conditions.length > 0
  const name = sql.identifier(table)
  const all = sql`from ${name} where ${sql.join([sql`${name}.tenant_id = current_tenant()`, ...conditions], sql` and `)}`
  const { clock, totals, found } = await db.read({
    clock: sequenceStatement,
    totals: totalStatement(filtered, table, all),
    found: statement<Row & PageRow>(page.rows(columns, all, bytes)),
  })
  const { rows, paging } = page.read(found, totalOf(filtered, totals))
  return {
    kind: 'collection',
    members: rows.map(document),
    ...paging,
    sequence: clock[0]?.sequence ?? 0,
  }
}
