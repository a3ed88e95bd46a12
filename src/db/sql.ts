import { type Query, type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { combineQueries, type DatabaseQuery, mapQuery, type Statement, withColumns } from './query.ts'

const dialect = new PgDialect()

/** The text of a statement with numbered parameters, and their values. */
export const serialize = (query: SQL): Query => dialect.sqlToQuery(query)

/** A statement as a template of Postgres' `format()`, which quotes the values of its parameters. Those of `earlier` templates come first. */
export function templateOf(
  query: SQL,
  earlier = 0,
): { readonly template: string; readonly params: unknown[] } {
  const { sql: numbered, params } = serialize(query)
  const template = numbered
    .replaceAll('%', '%%')
    .replaceAll(/\$(\d+)/g, (_, nth) => `%${earlier + Number(nth)}$L`)
  return { template, params }
}

/**
 * An expression that a read computes before it plans its query, which then has the value as a literal. Postgres estimates rows by literals,
 * but not by subqueries. The expression depends on no row of the query.
 */
export function constant(expression: SQL): SQL {
  return sql`/*constant*/${expression}/*end*/`
}

/** An array parameter of ids. */
export function uuidArray(ids: readonly string[]): SQL {
  return sql`${`{${ids.join(',')}}`}::uuid[]`
}

/** An array parameter of strings. Postgres estimates the rows that match the elements of a literal, but not those of a subquery. */
export function textArray(values: readonly string[]): SQL {
  return sql`${arrayText(values)}::text[]`
}

/** The text of an array: `{"a",null}`. */
export function arrayText(values: readonly unknown[]): string {
  const elements = values.map((value) =>
    value === null ? 'null' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`,
  )
  return `{${elements.join()}}`
}

/** The column of a statement that selects ids. */
export const idColumn = { id: z.string() }

/** The tenant's event sequence at the time of a read, as an expression. */
export const tenantSequence: SQL = sql`(select sequence::float8 from tenant_clock where tenant_id = current_tenant())`

/** Rows and the tenant's event sequence at the time of the read; 0 if there are no rows. */
export type WithSequence<Row> = { readonly rows: readonly Row[]; readonly sequence: number }

/** Reads the rows of a statement and the tenant's event sequence in one statement. */
export function withSequence<Row>(statement: Statement<Row>): DatabaseQuery<WithSequence<Row>> {
  const query = sql`select found.*, ${tenantSequence} as "tenantSequence" from (${statement.query}) as found`
  const rows = withColumns(statement, query, sequenceColumn)
  return mapQuery(combineQueries({ rows }), (result) => ({
    rows: result.rows,
    sequence: result.rows[0]?.tenantSequence ?? 0,
  }))
}

const sequenceColumn = { tenantSequence: z.number() }

/**
 * Selects the distinct values of a column among the tenant's rows, in order, as one column, `value`; at most `limit`.
 * Each value is found after the previous one in an index that begins with the tenant and the column. So the cost is one
 * lookup per value, however many rows have it. `condition` limits the rows, as the index does.
 */
export function distinctValues(table: string, column: string, condition: SQL, limit = 2_147_483_647): SQL {
  const name = sql.identifier(column)
  const next = (after: SQL) => sql`select ${name} from ${sql.identifier(table)}
    where tenant_id = current_tenant() and ${condition} and ${after} order by ${name} limit 1`
  return sql`
    with recursive known(value, nth) as (
      select (${next(sql`true`)}), 1
      union all
      select (${next(sql`${name} > known.value`)}), nth + 1 from known where value is not null and nth < ${limit}
    )
    select value from known where value is not null`
}
