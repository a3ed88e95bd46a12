import type { SQL } from 'drizzle-orm'

/** One SQL statement and the type of the rows it returns. Dates come as text, numerics as strings. */
export type Statement<Row = unknown> = {
  readonly query: SQL
  readonly row?: Row
  /** What it does, where it may be done in one statement with the steps before and after it. */
  readonly step?: Step
  /** Its one column, where that is text which would only grow if it were told within JSON. */
  readonly line?: string
  /** True where statements of its batch rest on what it did before them. */
  readonly apart?: boolean
}

/** A step of a write, as the SQL function `write()` knows it (migrations/0018_writes.sql). */
export type Step = { readonly do: string } & Readonly<Record<string, unknown>>

/** Types the rows of a statement; the columns are named by the SQL itself. */
export function statement<Row = never>(query: SQL): Statement<Row> {
  return { query }
}
