import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from './client.ts'
import { gathered, made, type Reading } from './reading.ts'

/** The tenant's event sequence at the moment of a read, as an expression. */
export const tenantSequence: SQL = sql`(select sequence::float8 from tenant_clock where tenant_id = current_tenant())`

/** Rows that were read, and the tenant's event sequence at that moment; 0 where there are none. */
export type Sequenced<Row> = { readonly rows: readonly Row[]; readonly sequence: number }

/** Reads the rows of a statement and the tenant's event sequence, in one statement. */
export function sequenced<Row>({ query }: Statement<Row>): Reading<Sequenced<Row>> {
  const found = statement<Row & { readonly tenantSequence: number }>(
    sql`select found.*, ${tenantSequence} as "tenantSequence" from (${query}) as found`,
  )
  return made(gathered({ found }), (read) => ({
    rows: read.found,
    sequence: read.found[0]?.tenantSequence ?? 0,
  }))
}
