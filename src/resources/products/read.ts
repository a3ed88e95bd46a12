import { SQL, sql } from 'drizzle-orm'
import type { RowDocument } from '../../core/document.ts'
import { parsed } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import { totalOf, totalQuery } from '../../core/list-query.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { type Orders, type PageRow, pageRow, planPage } from '../../core/paging.ts'
import { type SelectedMembers, selects } from '../../core/select.ts'
import { documentColumn, instantText } from '../../db/columns.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  type SingleStatement,
  type Statement,
} from '../../db/query.ts'
import { uuidArray } from '../../db/write-steps.ts'
import { levelsOf } from '../categories/schema.ts'
import { metaobjectsIn } from '../fields/custom-fields.ts'
import { type PriceRequest, priceRequestOf, requireHistory } from '../prices/question.ts'
import { maxPriorTerms, type OfferRow, pricesOf, recordedOfferCount } from '../prices/rows.ts'
import {
  askedOfVariants,
  inList,
  onItem,
  type Prices,
  type ProductOutline,
  type ProductParts,
  productDocument,
  type Room,
  withoutVariants,
} from './document.ts'
import {
  conditions,
  orders,
  type ProductQuery,
  type productListParameters,
  visibleProducts,
} from './filters.ts'
import { productProblems } from './problems.ts'
import type { readParameters } from './schema.ts'
import { searchOf } from './search.ts'
import {
  asMembers,
  asText,
  type DocumentForm,
  embeddedById,
  productOf,
  type StoredHead,
  type StoredProduct,
} from './stored.ts'
import { products } from './table.ts'

/** Reading products with everything that they embed: one statement on one snapshot, however many products, options or variants there are. */

/** The columns of a variant in the shape of its parts. */
export const variantColumns = outlinedVariantColumns(null)

/** The same columns where documents are reduced to an outline. */
export function outlinedVariantColumns(outline: SelectedMembers): SQL {
  return sql`id, product_id as "productId", ${documentColumn(sql`document`, outline)}, status, to_json(option_value_ids) as "optionValueIds", position, ${metaobjectsIn(outline)}, version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`
}

/** Bytes that an offer takes where prices are asked for: as it is read, and as an answer may tell of it. */
const offerBytes = 200

/** The stored bytes of a variant of a page and of its offers; `build_product_parts()` counts likewise. */
export function variantBytes(asked: PriceRequest | null): SQL {
  if (asked === null) return sql`octet_length(document)`
  const offers =
    asked.knownAt === undefined ? sql`sale_offer_count` : recordedOfferCount(sql`${pageRow}.id`, asked)
  return sql`octet_length(document) + ${offers} * ${offerBytes}::int`
}

/** How products are read. */
export type ReadOptions = {
  readonly locale: Locale
  /** Embedded depth of sub-categories, 0 for IRIs. */
  readonly expand: number
  readonly room: Room
  /** All translations, for a write that has to merge them. */
  readonly translations?: boolean
  /** The price that is asked for of the variants that are read. */
  readonly asked?: PriceRequest | null
  /** The members of the products' documents that are read; where there is one, nothing is read of what they own. */
  readonly outline?: SelectedMembers
  /** False where what they own is not read. */
  readonly owned?: boolean
}

/** Products with the prices of their variants, which are null without a question for prices, and the page that they are on. */
export type ReadProducts<Document extends RowDocument = string> = {
  readonly products: readonly ProductParts<Document>[]
  readonly prices: Prices
  /** The tenant's event sequence. */
  readonly sequence: number
  readonly total: number
  /** The rows of the page that was found. */
  readonly page: readonly (PageRow & { readonly id: string })[]
  /** How far recorded prices reach back, for `requireHistory()`; absent if the question needs no history. */
  readonly history: string | undefined
}

/** A row of one JSON text. */
type Line = { readonly line: string }

/**
 * Selects products as JSON texts, for `productsIn`. `ids` is an array of their ids, the order of which they keep; `head` are members to
 * be returned with them. Of a list no more products are read than one statement may bring, but always one.
 */
function productLines(ids: SQL, options: ReadOptions, head = sql`''`): SQL {
  return sql`select read_product_parts(${ids}, ${formOf(options)}::jsonb, ${head}) as line`
}

/** How the products that a query finds, or those with some ids, are read by themselves; of a list nothing filters, with its kept total. */
function productsAlone(
  asked: { readonly query: SQL; readonly keptTotal: string | null } | { readonly ids: readonly string[] },
  options: ReadOptions,
): SingleStatement {
  const form = formOf(options)
  return 'ids' in asked
    ? { function: 'read_products_alone', query: null, args: [`{${asked.ids.join()}}`, null, form] }
    : { function: 'read_products_alone', query: asked.query, args: [null, asked.keptTotal, form] }
}

/** The parameter `form` of `read_product_parts()`. */
function formOf(options: ReadOptions): string {
  const { locale, expand, room, asked = null, outline = null, translations = !locale.stored } = options
  return JSON.stringify({
    translations,
    members: outline && [...outline],
    owned: outline === null && (options.owned ?? true),
    belonging: selects(outline, 'categories', 'collections'),
    fields: selects(outline, 'fields'),
    variants: room.embedded,
    variantBytes: room.variants,
    valueBytes: room.inList ? room.values : null,
    priced: asked !== null,
    explain: asked?.explain ?? false,
    channel: asked?.channel,
    country: asked?.country,
    at: asked?.at,
    most: room.inList ? byteLimits.readProducts : Number.MAX_SAFE_INTEGER,
    levels: expand,
    children: byteLimits.children.list,
    categoryBytes: byteLimits.readCategories,
    knownAt: asked?.knownAt,
    ...(asked?.prior && {
      days: asked.prior.days,
      terms: maxPriorTerms,
      productTermBytes: room.inList ? byteLimits.priorTerms.product : byteLimits.priorTerms.item,
      termBytes: room.inList ? byteLimits.priorTerms.list : Number.MAX_SAFE_INTEGER,
    }),
  })
}

/** Reads the products out of the texts that `read_product_parts()` returns. */
export function productsIn<Document extends RowDocument>(
  [head, ...lines]: readonly Line[],
  { expand, asked = null, outline = null, owned = true, room }: ReadOptions,
  form: DocumentForm<Document>,
): ReadProducts<Document> {
  const {
    sequence,
    total = 0,
    page = [],
    history,
    hidden,
    categories: read = {},
  } = parsed<StoredHead>(head?.line ?? '')
  const categories = embeddedById(read, expand, form)
  const stored = lines.map(({ line }) => ({ characters: line.length, ...parsed<StoredProduct>(line) }))
  const isOwned = outline === null && owned
  const shape = { form, outline, owned: isOwned, variants: room.embedded, hidden: hidden ?? [] }
  const products = stored.map(({ characters, ...each }) => ({
    ...productOf(each, shape),
    characters,
    categories: each.categoryIds.flatMap((id) => categories.get(id) ?? []),
  }))
  return {
    products,
    prices: asked && pricesOf(stored.flatMap(offerRows), asked, history),
    sequence,
    total,
    page: page.map(([id, keys, found = page.length]) => ({ id, keys, found })),
    history,
  }
}

/** What the prices of a product's variants are resolved from. */
function offerRows({ parts: { variants = [] }, offers = {}, terms }: StoredProduct): OfferRow[] {
  return variants.map(({ id }) => ({ variantId: id, offers: offers[id] ?? [], terms: terms?.[id] ?? null }))
}

/** Reads products with their documents as texts; `ids` is an array of their ids, as they are or as SQL. */
export function productsQuery(
  ids: SQL | readonly string[],
  options: ReadOptions,
): DatabaseQuery<ReadProducts> {
  return mapQuery(linesQuery(ids, options), (lines) => productsIn(lines, options, asText))
}

function linesQuery(ids: SQL | readonly string[], options: ReadOptions): DatabaseQuery<readonly Line[]> {
  const given = ids instanceof SQL ? null : ids
  const lines: Statement<Line> = {
    get query() {
      return productLines(ids instanceof SQL ? ids : uuidArray(ids), options)
    },
    textColumn: 'line',
    ...(given && { singleRead: productsAlone({ ids: given }, options) }),
  }
  return mapQuery(combineQueries({ lines }), (rows) => rows.lines)
}

// The locale is of no account where all translations are read.
const outlined: ReadOptions = {
  locale: localeOf(['en-US'], null),
  expand: 0,
  room: withoutVariants,
  translations: true,
  owned: false,
}

/** Reads products without what they own, in the order of their ids; `ids` is a subquery. */
export function outlinesQueryFor(ids: SQL): DatabaseQuery<ProductOutline[]> {
  const reading = productsQuery(
    sql`array(select asked.id from (${ids}) as asked(id) order by asked.id)`,
    outlined,
  )
  return mapQuery(reading, ({ products }) =>
    products.map(({ options, variants, variantsTotal, ...each }) => each),
  )
}

/**
 * Reads one product with what it embeds; null when there is none. `id` is an expression: a parameter, or a subquery that
 * finds the product of an option, a value or a variant.
 */
export function productQuery(id: SQL, options: ReadOptions): DatabaseQuery<ProductParts | null> {
  return mapQuery(productsQuery(sql`array[${id}]`, options), ({ products: [product] }) => product ?? null)
}

/** An id as an SQL expression. */
export const idOf = (id: string) => sql`${id}::uuid`

/** Reads one product; archived ones too. */
export async function getProduct(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof readParameters }>,
): Promise<Answer> {
  const question = priceRequestOf(query, context.tenant)
  const options = {
    locale: context.locale,
    expand: levelsOf(query.expand),
    room: { ...onItem, priced: question !== null },
    asked: question,
  }
  const { lines } = await context.db.read({ lines: linesQuery([id], options) })
  const {
    products: [product],
    prices,
    history,
    sequence,
  } = productsIn(lines, options, asMembers)
  if (!product) throw productProblems.not_found({ id })
  requireHistory(question, history, context.now)
  return {
    kind: 'item',
    document: productDocument(product, context.locale, prices, onItem, askedOfVariants(context.url, query)),
    version: product.version,
    sequence,
  }
}

/** How a statement finds a page of products. */
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
): Statement<Line> {
  const told = sql`json_build_array(id, keys${weighed ? sql`, found` : sql``})`
  // What is materialized is read in the order in which it was found.
  const found = sql`with ${before} page as materialized (${rows})`
  const total = totalQuery(keptTotal === null, keptTotal ?? '', matches)
  const read = sql`${found} select array_agg(id), json_agg(${told}), (${keptTotal === null ? total : sql`select null::int`}) from page`
  return {
    get query() {
      const page = sql`(select coalesce(json_agg(${told}), '[]') from page)`
      const ids = owner === null ? sql`array(select id from page)` : uuidArray([owner])
      return sql`${found} ${productLines(ids, options, sql`concat(',"total":', (${total}), ',"page":', ${page})`)}`
    },
    textColumn: 'line',
    ...(owner === null && { singleRead: productsAlone({ query: read, keptTotal }, options) }),
  }
}

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

function pageReading(context: Context, query: ProductQuery, selection: Selection): DatabaseQuery<Answer> {
  const { locale, selectedMembers: outline, tenant, url } = context
  const question = priceRequestOf(query, tenant)
  const q = (query.q ?? '').trim()
  const search = q === '' ? null : searchOf(q, locale, tenant)
  const page = search
    ? planPage(query, url, searchOrders, [[byRank, 'desc']])
    : planPage(query, url, orders, [['createdAt', 'desc']])
  const asked = conditions(query)
  const filtered = asked.length > 0 || search !== null
  const all = sql`from ${products} ${search ? sql`join search on search.product_id = products.id` : sql``}
    where ${sql.join([sql`products.tenant_id = current_tenant()`, ...visibleProducts(query), selection.condition, ...asked], sql` and `)}`
  const options = {
    locale,
    expand: levelsOf(query.expand),
    room: { ...inList, priced: question !== null },
    asked: question,
    outline,
  }
  // What a product takes is known when it is read, which ends where too much has been.
  const rows = page.keyed(sql`products.id`, all)
  const reading = combineQueries({
    lines: pageLines(options, {
      rows,
      keptTotal: filtered ? null : selection.total,
      matches: all,
      ...(search ? { before: sql`search as materialized (${search}),` } : {}),
    }),
  })
  return mapQuery(reading, ({ lines }) => {
    const read = productsIn(lines, options, asMembers)
    requireHistory(question, read.history, context.now)
    const asked = askedOfVariants(url, query)
    const byId = new Map(read.products.map((each) => [each.id, each]))
    const shown = read.page.flatMap((row) => {
      const product = byId.get(row.id)
      return product ? [{ ...row, product }] : []
    })
    const { rows, paging } = page.read(shown, totalOf(filtered, read.total))
    const members = rows.map(({ product }) =>
      productDocument(product, locale, read.prices, options.room, asked),
    )
    return { kind: 'collection', members, ...paging, sequence: read.sequence }
  })
}
