import { SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import {
  type Columns,
  combineQueries,
  type DatabaseQuery,
  type EitherRow,
  mapQuery,
  type RowOf,
  type Statement,
} from '../db/query.ts'
import { tenantSequence } from '../db/sql.ts'
import { countingLimit, type Page, type PageRow, type Paging, type RowsOptions } from './paging.ts'

/** The query of a list's total: the stored total if nothing filters the list, else the matches, counted up to 10,001. */
export function totalQuery(filtered: boolean, totalName: string, matches: SQL): SQL {
  return filtered
    ? sql`select count(*)::int as total from (select 1 ${matches} limit ${countingLimit + 1}) as matching`
    : sql`select coalesce((select total from tenant_totals where tenant_id = current_tenant() and name = ${totalName}), 0)::int as total`
}

/** The `totalItems` of a list; null beyond the counting limit. */
export function totalOf(filtered: boolean, total: number): number | null {
  return filtered && total > countingLimit ? null : total
}

/** Alternative conditions, at most one of which holds for any row. Expressions computed first decide which. */
export type Alternatives = {
  /** The expressions (`name as (…)`) that the conditions refer to. Each is computed once. */
  readonly expressions: SQL
  readonly conditions: readonly SQL[]
}

/** The source of a list's rows. */
export type ListSource<Of extends Columns = Columns, Or extends Columns = Of> = RowsOptions & {
  readonly row: Of
  readonly otherRow?: Or
  /** `from … where …` including the tenant condition; or several such clauses, at most one of which returns rows. */
  readonly from: SQL | readonly SQL[]
  /** The expressions (`name as (…)`) that `from` refers to. */
  readonly expressions?: SQL
  readonly columns: SQL
  /** The size of a row as an SQL expression over the columns. */
  readonly bytes: SQL
  /** The name of the stored total of an unfiltered list; null if matches are counted. */
  readonly totalName: string | null
  /** Whether the list has no total, so that nothing is counted. */
  readonly isUncounted?: boolean
  /**
   * Selects the output rows from `page` with its columns `keys`, `found` and `nth`, which is null in rows that are no
   * members. By default the page's rows themselves.
   */
  readonly outputRows?: SQL
}

/** The rows of one page. */
export type Listed<Row> = {
  readonly rows: readonly (Row & PageRow)[]
  /** All rows of the statement: the page and the rows read with it. */
  readonly read: readonly Row[]
  readonly paging: Paging
  readonly sequence: number
}

/** The columns of every row. An empty page has one row in which all others are null. */
const listColumns = {
  tenantSequence: z.number(),
  listTotal: z.number(),
  foundNames: z.array(z.string()).nullable().optional(),
}
/** The columns of the members. They are null in other rows that are read with the page. */
const memberColumns = {
  keys: z.array(z.string()),
  found: z.number(),
  nth: z.number(),
  bytes_before: z.unknown().optional(),
  place: z.unknown().optional(),
}

/**
 * Reads one page of a list, its total and the tenant's event sequence in one statement that finds the page once. An empty
 * page returns one row with only the total and the sequence.
 */
export function listQuery<Of extends Columns, Or extends Columns = Of>(
  page: Page,
  {
    row,
    otherRow,
    from,
    expressions,
    separateValues,
    pageColumns,
    columns,
    bytes,
    totalName,
    isUncounted = false,
    outputRows,
  }: ListSource<Of, Or>,
): DatabaseQuery<Listed<EitherRow<Of, Or>>> {
  const filtered = totalName === null
  const clauses = from instanceof SQL ? [from] : from
  const joinClauses = (query: (clause: SQL) => SQL, between: SQL) =>
    sql.join(
      clauses.map((clause) => sql`(${query(clause)})`),
      between,
    )
  const rows = joinClauses(
    (clause) => page.rows(columns, clause, bytes, { separateValues, pageColumns }),
    sql` union all `,
  )
  const { column, values } = separateValues ?? {}
  const valueCondition = values ? sql` and ${column} = any(array(${values}))` : sql``
  const total = isUncounted
    ? sql`0`
    : joinClauses(
        (clause) => totalQuery(filtered, totalName ?? '', sql`${clause}${valueCondition}`),
        sql` + `,
      )
  const foundNames =
    page.foundNames &&
    joinClauses((clause) => sql`select unnest(${page.foundNames?.(clause)}) as name`, sql` union all `)
  const parts = [expressions ?? [], outputRows ? sql`page as materialized (${rows})` : []].flat()
  const query = sql`${parts.length > 0 ? sql`with ${sql.join(parts, sql`, `)}` : sql``}
    select list.*, shown.* from (select ${tenantSequence} as "tenantSequence", ${total} as "listTotal"${foundNames ? sql`, array(${foundNames}) as "foundNames"` : sql``}) as list
      left join (${outputRows ?? rows}) as shown on true order by shown.nth`
  const listed: Statement<EitherRow<Of, Or> & RowOf<typeof listColumns & typeof memberColumns>> = {
    query,
    // Only tests read the columns, so that requests do not pay for them.
    get columns() {
      const forms = [row, otherRow ?? row].map((form) => ({ ...form, ...listColumns }))
      return [...forms.map((form) => ({ ...form, ...memberColumns })), ...forms, listColumns]
    },
  }
  return mapQuery(combineQueries({ result: listed }), ({ result }) => {
    const [first] = result
    const members = result.filter(({ nth }) => nth !== null)
    const { rows, paging } = page.read(
      members,
      isUncounted ? null : totalOf(filtered, first?.listTotal ?? 0),
      first?.foundNames,
    )
    return { rows, read: members.length > 0 ? result : [], paging, sequence: first?.tenantSequence ?? 0 }
  })
}
