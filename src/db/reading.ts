import { sql } from 'drizzle-orm'
import { type Statement, statement } from './statement.ts'

/** Statements that are read together, and what is made of their rows. */
export type Reading<Result = unknown> = {
  readonly statements: readonly Statement[]
  /** Makes the result of the statements' rows, given in the statements' order. */
  readonly take: (rows: readonly (readonly unknown[])[]) => Result
}

/** What is sent in one batch, by name. */
export type Readings = Readonly<Record<string, Statement | Reading>>

/** What a reading gives: of a single statement, its rows. */
export type ResultOf<Each> =
  Each extends Reading<infer Result> ? Result : Each extends Statement<infer Row> ? Row[] : never

/** What a batch gives, by the names of what was sent. */
export type Results<Sent extends Readings> = { readonly [Name in keyof Sent]: ResultOf<Sent[Name]> }

/** Several readings as one. */
export function gathered<Sent extends Readings>(readings: Sent): Reading<Results<Sent>> {
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
export function listed<Each extends Statement | Reading>(
  readings: readonly Each[],
): Reading<ResultOf<Each>[]> {
  const named = Object.fromEntries(readings.map((each, index) => [`nth${index}`, each]))
  return made(gathered(named), (results) => Object.values(results))
}

/** A reading whose result is turned into another. */
export function made<From, To>(reading: Reading<From>, make: (result: From) => To): Reading<To> {
  return { statements: reading.statements, take: (rows) => make(reading.take(rows)) }
}

/** Statements of which the last one's first row is read. */
export function ending<Row>(statements: readonly Statement[]): Reading<Row | undefined> {
  const last = statements
    .slice(-1)
    .map(({ query, steps }) => ({ ...statement<Row>(query), ...(steps !== undefined && { steps }) }))
  const readings = gathered({ before: effects(statements.slice(0, -1)), last: listed(last) })
  return made(readings, ({ last: [rows] }) => rows?.[0])
}

/**
 * A reading as one statement: rows travel as JSON, in which numbers, texts, arrays and nulls are what they are in columns. What
 * Postgres reads as text because JavaScript has no such number (bigint, numeric) must be cast by the statement.
 */
export function united<Result>({ statements, take }: Reading<Result>): Reading<Result> {
  const [first, ...others] = statements
  if (!first || others.length === 0 || statements.some(({ apart }) => apart)) return { statements, take }
  const parts = statements.map(({ query, line }, nth) =>
    line === undefined
      ? sql`select ${nth}::int as nth, null::text as line, to_json(r) as told from (${query}) as r`
      : sql`select ${nth}::int as nth, r.${sql.identifier(line)} as line, null::json as told from (${query}) as r`,
  )
  return made(gathered({ rows: statement<UnitedRow>(sql.join(parts, sql` union all `)) }), ({ rows }) => {
    const results: unknown[][] = statements.map(() => [])
    for (const { nth, line, told } of rows) {
      const column = statements[nth]?.line
      results[nth]?.push(column === undefined ? told : { [column]: line })
    }
    return take(results)
  })
}

type UnitedRow = { readonly nth: number; readonly line: string | null; readonly told: unknown }

/** Statements whose rows nobody reads. */
export function effects(statements: readonly Statement[]): Reading<null> {
  return { statements, take: () => null }
}

/** What is read where nothing is asked for. */
export const nothing: Reading<null> = effects([])

function soleRows([rows]: readonly (readonly unknown[])[]): readonly unknown[] {
  return rows ?? []
}
