import { type SQL, sql } from 'drizzle-orm'
import { statement } from '../db/client.ts'
import { countingLimit } from './page.ts'

/** How many members a list has: the kept total of an unfiltered one, else the matches, counted up to 10,001. */
export function totalStatement(filtered: boolean, keptTotal: string, matches: SQL) {
  return statement<{ total: number }>(totalQuery(filtered, keptTotal, matches))
}

/** The query of `totalStatement`, for a statement that finds more than the total. */
export function totalQuery(filtered: boolean, keptTotal: string, matches: SQL): SQL {
  return filtered
    ? sql`select count(*)::int as total from (select 1 ${matches} limit ${countingLimit + 1}) as matching`
    : sql`select coalesce((select total from tenant_totals where tenant_id = current_tenant() and name = ${keptTotal}), 0)::int as total`
}

/** The `totalItems` of a list: absent beyond what is counted. */
export function totalOf(filtered: boolean, rows: readonly { total: number }[]): number | null {
  const total = rows[0]?.total ?? 0
  return filtered && total > countingLimit ? null : total
}
