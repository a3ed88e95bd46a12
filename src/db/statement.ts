import type { SQL } from 'drizzle-orm'

/** One SQL statement and the type of the rows it returns. Dates come as text, numerics as strings. */
export type Statement<Row = unknown> = { readonly query: SQL; readonly row?: Row }

/** Types the rows of a statement; the columns are named by the SQL itself. */
export function statement<Row = never>(query: SQL): Statement<Row> {
  return { query }
}
