import { type SQL, sql } from 'drizzle-orm'
import type { Value } from '../../core/document.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { type Orders, type PageRow, planPage } from '../../core/page.ts'
import { totalOf } from '../../core/totals.ts'
import type { Statement } from '../../db/client.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
import { levelsOf } from '../categories/index.ts'
import { demandHistory, questionOf } from '../prices/index.ts'
import { askedOfVariants } from './continuation.ts'
import { productDocument } from './document.ts'
import { conditions, orders, type ProductQuery, type productListParameters, visible } from './filters.ts'
import { pageIn, pageLines } from './page-lines.ts'
import { keepRead, keepsTexts, RenderedDocument } from './rendered.ts'
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
  const question = questionOf(query, tenant)
  const q = (query.q ?? '').trim()
  const search = q === '' ? null : searchOf(q, locale, tenant)
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
    rendered: keepsTexts(context),
  }
  // What a product takes is known when it is read, which ends where too much has been.
  const rows = page.keyed(sql`products.id`, all)
  const reading = gathered({
    lines: pageLines(options, {
      rows,
      keptTotal: filtered ? null : selection.total,
      matches: all,
      ...(search ? { before: sql`search as materialized (${search}),` } : {}),
    }),
  })
  return made(reading, ({ lines }) => {
    const { head, history, prices, sequence, ...read } = productsOf(lines, options)
    demandHistory(question, history, context.now)
    keepRead(context, read, locale)
    const told = pageIn(head)
    const shown = [
      ...read.products.map((each) => ({
        id: each.id,
        document: productDocument(each, locale, prices, options.room, askedOfVariants(url, query)),
      })),
      ...read.rendered.map((each) => ({ id: each.id, document: new RenderedDocument(each, locale) })),
    ]
    const { rows, paging } = page.read(pageRows(told.page, shown), totalOf(filtered, told.total))
    return { kind: 'collection', members: rows.map(({ document }) => document), ...paging, sequence }
  })
}

type Shown = { readonly id: string; readonly document: Value }

/** The products that were read of a page, with their keys. */
function pageRows(
  page: readonly (PageRow & { readonly id: string })[],
  shown: readonly Shown[],
): (PageRow & Shown)[] {
  const read = new Map(shown.map((each) => [each.id, each]))
  return page.flatMap((row) => {
    const product = read.get(row.id)
    return product ? [{ ...row, ...product }] : []
  })
}
