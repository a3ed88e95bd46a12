import { type SQL, sql } from 'drizzle-orm'

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
  readonly alone?: SingleStatement
  /** True where statements of its batch rest on what it did before them. */
  readonly apart?: boolean
}

/**
 * A function that reads lines as `read_alone()` does (migrations/functions/30_read.sql): it makes the settings, tells the clock in
 * its first line, runs a query where there is one, and takes what else it is given as texts.
 */
export type SingleStatement = {
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

/** Statements that are read together, and what is made of their rows. */
export type DatabaseQuery<Result = unknown> = {
  readonly statements: readonly Statement[]
  /** Makes the result of the statements' rows, given in the statements' order. */
  readonly take: (rows: readonly (readonly unknown[])[]) => Result
}

/** What is sent in one batch, by name. */
export type DatabaseQueries = Readonly<Record<string, Statement | DatabaseQuery>>

/** What a reading gives: of a single statement, its rows. */
export type ResultOf<Each> =
  Each extends DatabaseQuery<infer Result> ? Result : Each extends Statement<infer Row> ? Row[] : never

/** What a batch gives, by the names of what was sent. */
export type Results<Sent extends DatabaseQueries> = { readonly [Name in keyof Sent]: ResultOf<Sent[Name]> }

/** Several readings as one. */
export function combineQueries<Sent extends DatabaseQueries>(readings: Sent): DatabaseQuery<Results<Sent>> {
  const parts = Object.entries(readings).map(([name, each]) => {
    const { statements, take } = 'query' in each ? { statements: [each], take: soleRows } : each
    return { name, statements, take }
  })
  return {
    statements: parts.flatMap((each) => each.statements),
    take(rows) {
      let at = 0
      const results = parts.map(({ name, statements, take }) => {
        const own = rows.slice(at, at + statements.length)
        at += statements.length
        return [name, take(own)]
      })
      return Object.fromEntries(results)
    },
  }
}

/** Readings of one kind, as many as there are. */
export function queryAll<Each extends Statement | DatabaseQuery>(
  readings: readonly Each[],
): DatabaseQuery<ResultOf<Each>[]> {
  const named = Object.fromEntries(readings.map((each, index) => [`nth${index}`, each]))
  return mapQuery(combineQueries(named), (results) => Object.values(results))
}

/** A reading whose result is turned into another. */
export function mapQuery<From, To>(
  reading: DatabaseQuery<From>,
  make: (result: From) => To,
): DatabaseQuery<To> {
  return { statements: reading.statements, take: (rows) => make(reading.take(rows)) }
}

/** Statements of which the last one's first row is read. */
export function ending<Row>(statements: readonly Statement[]): DatabaseQuery<Row | undefined> {
  const last = statements
    .slice(-1)
    .map(({ query, steps }) => ({ ...statement<Row>(query), ...(steps !== undefined && { steps }) }))
  const readings = combineQueries({ before: effects(statements.slice(0, -1)), last: queryAll(last) })
  return mapQuery(readings, ({ last: [rows] }) => rows?.[0])
}

/**
 * A reading as one statement: rows travel as JSON, in which numbers, texts, arrays and nulls are what they are in columns. What
 * Postgres reads as text because JavaScript has no such number (bigint, numeric) must be cast by the statement.
 */
export function asOneStatement<Result>({ statements, take }: DatabaseQuery<Result>): DatabaseQuery<Result> {
  const [first, ...others] = statements
  if (!first || others.length === 0 || statements.some(({ apart }) => apart)) return { statements, take }
  const parts = statements.map(({ query, line }, nth) =>
    line === undefined
      ? sql`select ${nth}::int as nth, null::text as line, to_json(r) as told from (${query}) as r`
      : sql`select ${nth}::int as nth, r.${sql.identifier(line)} as line, null::json as told from (${query}) as r`,
  )
  return mapQuery(
    combineQueries({ rows: statement<UnitedRow>(sql.join(parts, sql` union all `)) }),
    ({ rows }) => {
      const results: unknown[][] = statements.map(() => [])
      for (const { nth, line, told } of rows) {
        const column = statements[nth]?.line
        results[nth]?.push(column === undefined ? told : { [column]: line })
      }
      return take(results)
    },
  )
}

type UnitedRow = { readonly nth: number; readonly line: string | null; readonly told: unknown }

/** Statements whose rows nobody reads. */
export function effects(statements: readonly Statement[]): DatabaseQuery<null> {
  return { statements, take: () => null }
}

/** What is read where nothing is asked for. */
export const noQuery: DatabaseQuery<null> = effects([])

function soleRows([rows]: readonly (readonly unknown[])[]): readonly unknown[] {
  return rows ?? []
}
