import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { type Orders, type PageRow, planPage } from '../../core/page.ts'
import { totalOf, totalQuery } from '../../core/totals.ts'
import { type Statement, statement } from '../../db/client.ts'
import { documentColumn, textsColumn } from '../../db/columns.ts'
import { gathered, made, nothing, type Reading } from '../../db/reading.ts'
import { sequenceStatement } from '../../db/sequence.ts'
import { levelsOf } from '../categories/index.ts'
import { pricesReading, questionOf } from '../prices/index.ts'
import { askedOfVariants } from './continuation.ts'
import { productDocument } from './document.ts'
import { conditions, orders, type ProductQuery, type productListParameters, visible } from './filters.ts'
import { inList } from './room.ts'
import { searchOf } from './search.ts'
import {
  embeddedReading,
  ownersIn,
  type ProductPageRow,
  pageBytes,
  productColumns,
  shownVariants,
} from './store.ts'
import { products } from './table.ts'

/** Not a name that a query can ask an order by. */
const byRank = 'search.rank'
const searchOrders: Orders = { ...orders, [byRank]: { column: sql`search.rank`, type: 'int' } }

/**
 * Lists products: newest first, the best matches first when `q` searches them, or by `updatedAt` upwards for those who
 * follow changes.
 */
export async function listProducts(
  context: Context,
  { query }: Input<{ query: typeof productListParameters }>,
): Promise<Answer> {
  const { page } = await context.db.read({ page: pageReading(context, query, everything) })
  return page
}

type Selection = {
  /** The kept total of its products that are not archived. */
  readonly total: string
  readonly condition: SQL
}

const everything: Selection = { total: 'products', condition: sql`true` }

/** A part of all products that is a list of its own: a collection. */
export type Part = Selection & {
  /** Gives a row where there is such a part. */
  readonly exists: Statement
}

/** Lists the products of a part; null where there is none such. */
export async function listProductsOf(
  part: Part,
  context: Context,
  query: ProductQuery,
): Promise<Answer | null> {
  const { there, page } = await context.db.read({
    there: part.exists,
    page: pageReading(context, query, part),
  })
  return there.length > 0 ? page : null
}

function pageReading(context: Context, query: ProductQuery, selection: Selection): Reading<Answer> {
  const { locale, outline, tenant, url } = context
  const question = questionOf(query)
  const q = (query.q ?? '').trim()
  const search = q === '' ? null : searchOf(q, locale, tenant.locales)
  const page = search
    ? planPage(query, url, searchOrders, [[byRank, 'desc']])
    : planPage(query, url, orders, [['createdAt', 'desc']])
  const asked = conditions(query)
  const filtered = asked.length > 0 || search !== null
  const all = sql`from ${products} ${search ? sql`join search on search.product_id = products.id` : sql``}
    where ${sql.join([sql`products.tenant_id = current_tenant()`, ...visible(query), selection.condition, ...asked], sql` and `)}`
  const room = { ...inList, priced: question !== null }
  const options = { locale, expand: levelsOf(query.expand), room }
  const rows = page.rows(rowColumns(context), all, pageBytes(!locale.stored, room, outline))
  const ids = sql`select id from ${pageFound}`
  const reading = gathered({
    clock: sequenceStatement,
    totals: pageStatement(rows, totalQuery(filtered, selection.total, all), search),
    found: foundStatement(context),
    embedded: embeddedReading(ids, options, outline),
    prices: question ? pricesReading(shownVariants(ownersIn(outline, ids), room), question) : nothing,
  })
  return made(reading, ({ clock, totals, found, embedded, prices }) => {
    const { rows, paging } = page.read(found, totalOf(filtered, totals))
    const ofVariants = askedOfVariants(url, query)
    return {
      kind: 'collection',
      members: rows.map((row) =>
        productDocument({ ...row, ...embedded(row.id) }, locale, prices, room, ofVariants),
      ),
      ...paging,
      sequence: clock[0]?.sequence ?? 0,
    }
  })
}

/** What a page is weighed by. */
function rowColumns({ locale, outline }: Context): SQL {
  const columns = sql`products.id, ${documentColumn(sql`products.document`, outline)}, products.metaobject_ids`
  return locale.stored ? columns : sql`${columns}, ${textsColumn(sql`products.translations`, outline)}`
}

/** The rows of the page that `pageStatement` has found: `id`, `keys`, `found` and `n`, their order. */
const pageFound = sql`rows from (json_to_recordset(current_setting('app.page')::json) as (id uuid, keys text[], found int))
  with ordinality as page(id, keys, found, n)`

function foundStatement({ locale, outline }: Context): Statement<ProductPageRow & PageRow> {
  return statement(sql`select ${productColumns(!locale.stored, outline)}, page.keys, page.found from ${pageFound}
    join ${products} on products.tenant_id = current_tenant() and products.id = page.id order by page.n`)
}

/**
 * Finds the page and the total, and keeps the page for the statements that follow in the batch: what it costs to find, such
 * as a search, is paid once and not by each of them.
 */
function pageStatement(rows: SQL, total: SQL, search: SQL | null) {
  return statement<{ total: number }>(sql`
    with ${search ? sql`search as materialized (${search}),` : sql``} page as (select id, keys, found from (${rows}) as product order by nth)
    select (${total}) as total, set_config('app.page', (select coalesce(json_agg(page), '[]')::text from page), true) as page`)
}
