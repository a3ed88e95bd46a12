import { type SQL, sql } from 'drizzle-orm'
import { countingLimit } from './page.ts'

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
