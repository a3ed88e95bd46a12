import { SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { assertRows, type Columns, type EitherRow, type RowOf, type RowSource } from './row-types.ts'

export type { Columns, EitherRow, RowOf } from './row-types.ts'

/** One SQL statement and the type of its rows. */
export type Statement<Row = unknown> = RowSource<Row> & {
  /** True if its only column is a text, `line`, which is sent as it is, because JSON encoding would enlarge it. */
  readonly selectsLines?: boolean
}

/**
 * A statement, and the columns of its rows: none for a statement without rows, two if its rows have two forms. With the
 * columns alone, the template that follows is its text: statement(columns)`select …`. Tests parse each row, and compare the
 * columns with the description of Postgres (test/support/checked-rows.ts).
 */
export function statement(query: SQL): Statement
export function statement<Of extends Columns>(query: SQL, columns: Of): Statement<RowOf<Of>>
export function statement<Of extends Columns, Or extends Columns>(
  query: SQL,
  columns: Of,
  otherForm: Or,
): Statement<EitherRow<Of, Or>>
export function statement<Of extends Columns>(columns: Of): StatementTag<RowOf<Of>>
export function statement<Of extends Columns, Or extends Columns>(
  columns: Of,
  otherForm: Or,
): StatementTag<EitherRow<Of, Or>>
export function statement(
  first: SQL | Columns,
  ...others: readonly Columns[]
): Statement | StatementTag<unknown> {
  if (first instanceof SQL) return { query: first, columns: others }
  return (strings, ...params) => ({ query: sql(strings, ...params), columns: [first, ...others] })
}

/** Makes a statement of the template that follows. */
type StatementTag<Row> = (strings: TemplateStringsArray, ...params: readonly unknown[]) => Statement<Row>

/** Columns of one type. */
export function columnsOf<Type extends z.ZodType, Name extends string>(
  type: Type,
  ...names: readonly Name[]
): Readonly<Record<Name, Type>> {
  return Object.assign({}, ...names.map((name) => ({ [name]: type })))
}

/** A query around a statement, whose rows have more columns. */
export function withColumns<Row, More extends Columns>(
  { columns = [] }: Statement<Row>,
  query: SQL,
  more: More,
): Statement<Row & RowOf<More>> {
  return { query, columns: columns.map((form) => ({ ...form, ...more })) }
}

/** Statements that are read together, and a function that maps their rows to a result. */
export type DatabaseQuery<Result = unknown> = {
  readonly statements: readonly Statement[]
  /** Maps the rows, in the order of the statements, to the result. */
  readonly take: (rows: readonly (readonly unknown[])[]) => Result
}

/** The queries of one batch, by name. */
export type DatabaseQueries = Readonly<Record<string, Statement | DatabaseQuery>>

/** The result of a query; of a single statement, its rows. */
export type ResultOf<Each> =
  Each extends DatabaseQuery<infer Result> ? Result : Each extends Statement<infer Row> ? Row[] : never

/** The results of a batch, by name. */
export type Results<Sent extends DatabaseQueries> = { readonly [Name in keyof Sent]: ResultOf<Sent[Name]> }

/** Combines several queries into one. */
export function combineQueries<Sent extends DatabaseQueries>(queries: Sent): DatabaseQuery<Results<Sent>> {
  const parts = Object.entries(queries).map(([name, entry]) => {
    if (!('query' in entry)) return { name, ...entry }
    const take = ([rows = []]: readonly (readonly unknown[])[]) => typedRows(entry, rows)
    return { name, statements: [entry], take }
  })
  return {
    statements: parts.flatMap((part) => part.statements),
    take(rows) {
      let at = 0
      const results = parts.map(({ name, statements, take }) => {
        const partRows = rows.slice(at, at + statements.length)
        at += statements.length
        return [name, take(partRows)]
      })
      return Object.fromEntries(results)
    },
  }
}

/** Maps the result of a query. */
export function mapQuery<From, To>(query: DatabaseQuery<From>, map: (result: From) => To): DatabaseQuery<To> {
  return { statements: query.statements, take: (rows) => map(query.take(rows)) }
}

/** An empty query. */
export const noQuery: DatabaseQuery<null> = { statements: [], take: () => null }

/** Types rows by the columns of their statement, which tests check. */
export function typedRows<Row>(statement: Statement<Row>, rows: readonly unknown[]): readonly Row[] {
  assertRows(statement, rows)
  return rows
}
