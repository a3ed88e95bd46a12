import type { SQL } from 'drizzle-orm'

/** One SQL statement and the type of the rows it returns. Dates come as text, numerics as strings. */
export type Statement<Row = unknown> = {
  readonly query: SQL
  readonly row?: Row
  /** What it does, where it may be done in one statement with the steps before and after it. */
  readonly step?: Step
  /** The rows that it writes, where that is all that it does. */
  readonly rows?: WrittenRows
  /** The steps that it does, as JSON, where it does nothing else: by itself it needs no transaction around it. */
  readonly steps?: string
  /** Its one column, a name as SQL has it, where that is text which would only grow if it were told within JSON. */
  readonly line?: string
  /** How it is read by itself, where a function does more than to run its query, which is written only where it is not. */
  readonly alone?: Alone
  /** True where statements of its batch rest on what it did before them. */
  readonly apart?: boolean
}

/**
 * A function that reads lines as `read_alone()` does (migrations/functions/30_read.sql): it makes the settings, tells the clock in
 * its first line, runs a query where there is one, and takes what else it is given as texts.
 */
export type Alone = {
  readonly function: string
  readonly query: SQL | null
  readonly given: readonly (string | null)[]
}

/** A step of a write, as the SQL function `write()` knows it (migrations/functions/20_write.sql). */
export type Step = { readonly do: string } & Readonly<Record<string, unknown>>

/** Rows of a table, by the names of their columns. */
export type WrittenRows = {
  readonly do: 'insert' | 'update'
  readonly table: string
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** Types the rows of a statement; the columns are named by the SQL itself. */
export function statement<Row = never>(query: SQL): Statement<Row> {
  return { query }
}
