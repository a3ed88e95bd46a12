import { SQL, sql } from 'drizzle-orm'
import { combineQueries, type DatabaseQuery, mapQuery, statement } from '../db/query.ts'
import { tenantSequence } from '../db/sql.ts'
import { type Apart, countingLimit, type Page, type PageRow, type Paging } from './paging.ts'

/** The query of how many members a list has: the kept total of an unfiltered one, else the matches, counted up to 10,001. */
export function totalQuery(filtered: boolean, keptTotal: string, matches: SQL): SQL {
  return filtered
    ? sql`select count(*)::int as total from (select 1 ${matches} limit ${countingLimit + 1}) as matching`
    : sql`select coalesce((select total from tenant_totals where tenant_id = current_tenant() and name = ${keptTotal}), 0)::int as total`
}

/** The `totalItems` of a list: absent beyond what is counted. */
export function totalOf(filtered: boolean, total: number): number | null {
  return filtered && total > countingLimit ? null : total
}

/** Reading one page of a list, the total and the tenant's event sequence in one statement, in which the page is found once. */

/** Conditions of which at most one holds for any row, as what is found out in front of them decides. */
export type Ways = {
  /** The expressions (`name as (…)`) that the conditions refer to; each is worked out once. */
  readonly known: SQL
  readonly ways: readonly SQL[]
}

/** Where the rows of a list come from. */
export type ListSource = {
  /** `from … where …`, the tenant among the conditions; or several, of which at most one has rows. */
  readonly from: SQL | readonly SQL[]
  /** The expressions (`name as (…)`) that `from` refers to, where it does. */
  readonly known?: SQL
  /** The values that are meant of the column that first orders the list, where not all are. */
  readonly apart?: Apart
  readonly columns: SQL
  /** How large a row is, in terms of `columns`. */
  readonly bytes: SQL
  /** The name of the kept total, of a list that nothing filters; null where matches are counted. */
  readonly keptTotal: string | null
  /**
   * Selects what is shown from `page`, those rows, with its columns `keys`, `found` and `nth`: null in rows that stand for no
   * member. The page's rows themselves where nothing is said.
   */
  readonly shown?: SQL
}

/** A page that was read. */
export type Listed<Row> = {
  /** The rows of the page. */
  readonly rows: readonly (Row & PageRow)[]
  /** All rows that were read, those of the page and what is shown with them. */
  readonly read: readonly Row[]
  readonly paging: Paging
  readonly sequence: number
}

type ListedRow<Row> = Row &
  PageRow & {
    readonly tenantSequence: number
    readonly listTotal: number
    /** Null in rows that stand for no member: all columns of them where the page is empty. */
    readonly nth: number | null
  }

/** Reads a page. There is a row also where it is empty, which has the total and the sequence alone. */
export function listQuery<Row>(
  page: Page,
  { from, known, apart, columns, bytes, keptTotal, shown }: ListSource,
): DatabaseQuery<Listed<Row>> {
  const filtered = keptTotal === null
  const ways = from instanceof SQL ? [from] : from
  const each = (query: (way: SQL) => SQL, between: SQL) =>
    sql.join(
      ways.map((way) => sql`(${query(way)})`),
      between,
    )
  const rows = each((way) => page.rows(columns, way, bytes, apart), sql` union all `)
  const meant = apart ? sql` and ${apart.column} = any(array(${apart.values}))` : sql``
  const total = each((way) => totalQuery(filtered, keptTotal ?? '', sql`${way}${meant}`), sql` + `)
  const parts = [...(known ? [known] : []), ...(shown ? [sql`page as materialized (${rows})`] : [])]
  const query = sql`${parts.length > 0 ? sql`with ${sql.join(parts, sql`, `)}` : sql``}
    select list.*, shown.* from (select ${tenantSequence} as "tenantSequence", ${total} as "listTotal") as list
      left join (${shown ?? rows}) as shown on true order by shown.nth`
  return mapQuery(combineQueries({ found: statement<ListedRow<Row>>(query) }), ({ found }) => {
    const [first] = found
    const members = found.filter(({ nth }) => nth !== null)
    const { rows, paging } = page.read(members, totalOf(filtered, first?.listTotal ?? 0))
    return { rows, read: members.length > 0 ? found : [], paging, sequence: first?.tenantSequence ?? 0 }
  })
}
