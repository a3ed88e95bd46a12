import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { type Orders, type PageRow, planPage } from '../../core/page.ts'
import { totalOf, totalQuery } from '../../core/totals.ts'
import type { Statement } from '../../db/client.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
import { levelsOf } from '../categories/index.ts'
import { demandHistory, questionOf } from '../prices/index.ts'
import { askedOfVariants } from './continuation.ts'
import { type ProductParts, productDocument } from './document.ts'
import { conditions, orders, type ProductQuery, type productListParameters, visible } from './filters.ts'
import { pageIn, pageLines } from './page-lines.ts'
import { inList } from './room.ts'
import { searchOf } from './search.ts'
import { productsOf } from './store.ts'
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
  const options = {
    locale,
    expand: levelsOf(query.expand),
    room: { ...inList, priced: question !== null },
    asked: question,
    outline,
  }
  // What a product takes is known when it is read, which ends where too much has been.
  const rows = page.rows(sql`products.id`, all, sql`0`)
  const reading = gathered({
    lines: pageLines(sql`array(select id from page order by nth)`, options, {
      rows,
      total: totalQuery(filtered, selection.total, all),
      ...(search ? { before: sql`search as materialized (${search}),` } : {}),
    }),
  })
  return made(reading, ({ lines }) => {
    const { head, history, products, prices, sequence } = productsOf(lines, options)
    demandHistory(question, history, context.now)
    const told = pageIn(head)
    const { rows, paging } = page.read(pageRows(told.page, products), totalOf(filtered, told.total))
    const ofVariants = askedOfVariants(url, query)
    return {
      kind: 'collection',
      members: rows.map(({ product }) => productDocument(product, locale, prices, options.room, ofVariants)),
      ...paging,
      sequence,
    }
  })
}

/** The products that were read of a page, with their keys. */
function pageRows(
  page: readonly (PageRow & { readonly id: string })[],
  products: readonly ProductParts[],
): (PageRow & { readonly product: ProductParts })[] {
  const read = new Map(products.map((each) => [each.id, each]))
  return page.flatMap((row) => {
    const product = read.get(row.id)
    return product ? [{ ...row, product }] : []
  })
}
