/** A page that is found by the statement which reads products as lines, told in the head of these. */
import { type SQL, sql } from 'drizzle-orm'
import { parsed } from '../../core/json.ts'
import type { PageRow } from '../../core/page.ts'
import { totalQuery } from '../../core/totals.ts'
import type { Statement } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import { productLines, productsAlone, type ReadOptions } from './store.ts'

/** What a statement finds beside the products. */
type FoundPage = {
  /** Selects the page's rows, each with an `id` and its `keys`, in their order. */
  readonly rows: SQL
  /** Whether the rows tell how many there are, being fewer. */
  readonly weighed?: true
  /** The name of the list's kept total; null where `matches`, from `from` on, are counted. */
  readonly keptTotal: string | null
  readonly matches: SQL
  /** What the page is found by, in front of it: `… as (…),`. */
  readonly before?: SQL
}

/** Finds a page and reads products: those of the page, or the one whose parts it is of. */
export function pageLines(
  options: ReadOptions,
  { rows, weighed, keptTotal, matches, before = sql`` }: FoundPage,
  owner: string | null = null,
): Statement<{ line: string }> {
  const told = sql`json_build_array(id, keys${weighed ? sql`, found` : sql``})`
  // What is materialized is read in the order in which it was found.
  const found = sql`with ${before} page as materialized (${rows})`
  const total = totalQuery(keptTotal === null, keptTotal ?? '', matches)
  const read = sql`${found} select array_agg(id), json_agg(${told}), (${keptTotal === null ? total : sql`select null::int`}) from page`
  return {
    get query() {
      const page = sql`(select coalesce(json_agg(${told}), '[]') from page)`
      const ids = owner === null ? sql`array(select id from page)` : uuids([owner])
      return sql`${found} ${productLines(ids, options, sql`concat((${total}), e'\\t', ${page})`)}`
    },
    line: 'line',
    ...(owner === null && { alone: productsAlone({ query: read, keptTotal }, options) }),
  }
}

/** The total and the rows of the page that a head tells. */
export function pageIn([total, page]: readonly string[]): {
  readonly total: number
  readonly page: readonly (PageRow & { readonly id: string })[]
} {
  const rows = parsed<readonly (readonly [id: string, keys: string[], found?: number])[]>(page ?? '[]')
  return { total: Number(total), page: rows.map(([id, keys, found = rows.length]) => ({ id, keys, found })) }
}
