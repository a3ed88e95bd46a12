import { SQL, sql } from 'drizzle-orm'
import type { Value } from '../../core/document.ts'
import { parsed } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import { totalOf, totalQuery } from '../../core/list-query.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { type Orders, type PageRow, pageRow, planPage } from '../../core/paging.ts'
import { type SelectedMembers, selects } from '../../core/select.ts'
import { documentColumn, identification, instantText } from '../../db/columns.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  type SingleStatement,
  type Statement,
} from '../../db/query.ts'
import { uuidArray } from '../../db/write-steps.ts'
import { categoriesOf } from '../categories/read.ts'
import { levelsOf } from '../categories/schema.ts'
import { metaobjectsIn } from '../fields/custom-fields.ts'
import { type PriceRequest, priceRequestOf, requireHistory } from '../prices/question.ts'
import {
  cachedTermsFinder,
  maxPriorTerms,
  priceOf,
  pricesOf,
  recordedOfferCount,
  termsFinder,
} from '../prices/rows.ts'
import { keepRead, keepsTexts, RenderedDocument, type RenderedProduct, renderedForm } from './cache.ts'
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
import { productsFromLines, type Unkept } from './lines.ts'
import { productProblems } from './problems.ts'
import type { readParameters } from './schema.ts'
import { searchOf } from './search.ts'
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

/** What is read for a variant of a page, in bytes; `tell_products()` counts likewise. */
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
  /** Whether texts that were rendered before will do. */
  readonly rendered?: boolean
}

/** Products with the prices of their variants, which are null where none are asked for, and what was told with them. */
export type ReadProducts = {
  readonly products: readonly (ProductParts & { readonly edition: string })[]
  /** Those that were rendered before, where that will do. */
  readonly rendered: readonly RenderedProduct[]
  readonly prices: Prices
  /** The tenant's event sequence. */
  readonly sequence: number
  readonly head: readonly string[]
  /** Where prices as they were known or before a reduction are asked for, how far they reach back: for `demandHistory()`. */
  readonly history: string | undefined
  /** What `keepRead()` may keep beside the products that were read row by row. */
  readonly unkept: Unkept
}

/**
 * Selects products as lines, for `productsOf`. `ids` is an array of their ids, the order of which they keep; `head` are fields to
 * be told with them. Of a list no more products are told than one statement may bring, but always one.
 */
function productLines(ids: SQL, options: ReadOptions, head = sql`''`): SQL {
  const { teller, form } = tellingOf(options)
  return sql`select ${sql.raw(teller)}(${ids}, ${form}::jsonb, ${head}) as line`
}

/** How the products that a query finds, or those with some ids, are read by themselves; of a list nothing filters, with its kept total. */
function productsAlone(
  asked: { readonly query: SQL; readonly keptTotal: string | null } | { readonly ids: readonly string[] },
  options: ReadOptions,
): SingleStatement {
  const { teller, form } = tellingOf(options)
  return 'ids' in asked
    ? { function: 'read_products_alone', query: null, given: [`{${asked.ids.join()}}`, null, teller, form] }
    : { function: 'read_products_alone', query: asked.query, given: [null, asked.keptTotal, teller, form] }
}

/** The function that tells products, and in which form. */
function tellingOf(options: ReadOptions): { readonly teller: string; readonly form: string } {
  const { locale, expand, room, asked = null, outline = null, translations = !locale.stored } = options
  const form = {
    translations,
    members: outline && [...identification, ...outline],
    owned: outline === null && (options.owned ?? true),
    belonging: selects(outline, 'categories', 'collections'),
    fields: selects(outline, 'fields'),
    variants: room.embedded,
    variantBytes: room.variants,
    valueBytes: room.inList ? room.values : null,
    priced: asked !== null,
    explain: asked?.explain ?? false,
    channel: asked?.channel ?? null,
    country: asked?.country ?? null,
    at: asked?.at ?? null,
    most: room.inList ? byteLimits.readProducts : Number.MAX_SAFE_INTEGER,
    levels: expand,
    children: byteLimits.children.list,
    categoryBytes: byteLimits.readCategories,
    rendered: options.rendered && outline === null && isOfToday(asked) ? renderedForm(locale) : null,
  }
  const told = asked && restsOnHistory(asked) ? { ...form, ...historyForm(asked, room) } : form
  return { teller: tellerOf(asked, form.rendered !== null), form: JSON.stringify(told) }
}

/** The function that tells products with the prices that are asked for. */
function tellerOf(asked: PriceRequest | null, isRendered: boolean): string {
  if (asked?.prior) return 'read_products_prior'
  if (asked?.knownAt !== undefined) return 'read_products_known'
  return isRendered ? 'tell_kept_products' : 'tell_products'
}

const restsOnHistory = ({ knownAt, prior }: PriceRequest) => knownAt !== undefined || prior !== undefined

/** What of a form only history is read by. */
function historyForm({ knownAt, prior }: PriceRequest, { inList }: Room) {
  return {
    knownAt,
    days: prior?.days ?? null,
    keptTerms: prior !== undefined,
    terms: maxPriorTerms,
    productTermBytes: inList ? byteLimits.priorTerms.product : byteLimits.priorTerms.item,
    termBytes: inList ? byteLimits.priorTerms.list : Number.MAX_SAFE_INTEGER,
  }
}

/** An explained price, and one as it was known, rest on offers that are not told beside a rendered text. */
const isOfToday = (asked: PriceRequest | null) => !asked?.explain && asked?.knownAt === undefined

/** The products that lines tell, and what they tell beside them. */
export function productsOf(
  lines: readonly { readonly line: string }[],
  { expand, asked = null }: Pick<ReadOptions, 'expand' | 'asked'>,
): ReadProducts {
  const told = productsFromLines(lines)
  const [sequence, ...head] = told.head
  const categories = categoriesOf(told.categories, { expand })
  const history = asked && restsOnHistory(asked) ? head.at(-1) : undefined
  const find = termsFinder(history, told.priorTerms)
  const categoriesIn = (ids: readonly string[]) => ids.flatMap((id) => categories.get(id) ?? [])
  return {
    products: told.products.map(({ categoryIds, ...each }) => ({
      ...each,
      categories: categoriesIn(categoryIds),
    })),
    rendered: told.rendered.map(({ categoryIds, offers, terms, ...each }) => ({
      ...each,
      categories: categoriesIn(categoryIds),
      prices:
        asked &&
        offers.map((each, nth) =>
          priceOf(each, asked, terms ? cachedTermsFinder(history, terms[nth] ?? '') : find),
        ),
    })),
    prices: asked && pricesOf(told.offers, asked, find),
    sequence: Number(sequence),
    head,
    history,
    unkept: told.unkept,
  }
}

/** Reads products; `ids` is an array of their ids, as they are or as SQL. */
export function productsQuery(
  ids: SQL | readonly string[],
  options: ReadOptions,
): DatabaseQuery<ReadProducts> {
  const given = ids instanceof SQL ? null : ids
  const lines: Statement<{ line: string }> = {
    get query() {
      return productLines(ids instanceof SQL ? ids : uuidArray(ids), options)
    },
    line: 'line',
    ...(given && { alone: productsAlone({ ids: given }, options) }),
  }
  return mapQuery(combineQueries({ lines }), (rows) => productsOf(rows.lines, options))
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
  const { found } = await context.db.read({
    found: productsQuery([id], {
      locale: context.locale,
      expand: levelsOf(query.expand),
      room: { ...onItem, priced: question !== null },
      asked: question,
      rendered: keepsTexts(context),
    }),
  })
  const {
    products: [product],
    rendered: [rendered],
    prices,
    history,
    sequence,
  } = found
  keepRead(context, found, context.locale)
  if (rendered) {
    const document = new RenderedDocument(rendered, context.locale)
    return { kind: 'item', document, version: rendered.version, sequence }
  }
  if (!product) throw productProblems.not_found({ id })
  requireHistory(question, history, context.now)
  return {
    kind: 'item',
    document: productDocument(product, context.locale, prices, onItem, askedOfVariants(context.url, query)),
    version: product.version,
    sequence,
  }
}

/** A page that is found by the statement which reads products as lines, told in the head of these. */

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
      const ids = owner === null ? sql`array(select id from page)` : uuidArray([owner])
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
  const { locale, outline, tenant, url } = context
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
    rendered: keepsTexts(context),
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
    const { head, history, prices, sequence, ...read } = productsOf(lines, options)
    requireHistory(question, history, context.now)
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
