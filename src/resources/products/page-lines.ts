/** A page that is found by the statement which reads products as lines, told in the head of these. */
import { type SQL, sql } from 'drizzle-orm'
import { parsed } from '../../core/json.ts'
import type { PageRow } from '../../core/page.ts'
import { type Statement, statement } from '../../db/client.ts'
import { productLines, type ReadOptions } from './store.ts'

/** What a statement finds beside the products. */
type FoundPage = {
  /** Selects the page's rows, each with an `id`. */
  readonly rows: SQL
  /** Counts what the list has. */
  readonly total: SQL
  /** What the page is found by, in front of it: `… as (…),`. */
  readonly before?: SQL
}

/** Finds a page and reads products; `ids` is an array of theirs, for which `page` is the page. */
export function pageLines(
  ids: SQL,
  options: ReadOptions,
  { rows, total, before = sql`` }: FoundPage,
): Statement<{ line: string }> {
  const page = sql`(select coalesce(json_agg(json_build_array(id, keys, found) order by nth), '[]') from page)`
  return statement<{ line: string }>(sql`
    with ${before} page as materialized (select id, keys, found, nth from (${rows}) as found_row)
    ${productLines(ids, options, sql`concat((${total}), e'\\t', ${page})`)}`)
}

/** The total and the rows of the page that a head tells. */
export function pageIn([total, page]: readonly string[]): {
  readonly total: number
  readonly page: readonly (PageRow & { readonly id: string })[]
} {
  const rows = parsed<readonly (readonly [id: string, keys: string[], found: number])[]>(page ?? '[]')
  return { total: Number(total), page: rows.map(([id, keys, found]) => ({ id, keys, found })) }
}
