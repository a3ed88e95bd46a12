/**
 * Reads products with their options, variants and categories. However many there are, one statement reads them on one snapshot:
 * `read_product_parts()` in migrations/functions/53_read_products.sql.
 */

import { SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import type { ReferenceUnit } from '../../core/context.ts'
import type { RowDocument } from '../../core/document.ts'
import { levelsOf } from '../../core/expand.ts'
import { byteLimits } from '../../core/limits.ts'
import { totalOf, totalQuery } from '../../core/list-query.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import type { Answer, Context, Input, Pricing } from '../../core/operation.ts'
import type { Orders, PageRow } from '../../core/paging.ts'
import { type SelectedMembers, selectedIn, selects } from '../../core/select.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  type RowOf,
  type Statement,
  statement,
} from '../../db/query.ts'
import { parseStored } from '../../db/row-types.ts'
import { uuidArray, withSequence } from '../../db/sql.ts'
import { breadcrumbsQuery } from '../categories/read.ts'
import { maxPriorTerms, optionsInMarket, type PricedRow, pricesInContext } from '../prices/read.ts'
import { contextQuery, type PriceRequest, priceRequestOf, requireHistory } from '../prices/request.ts'
import {
  type EmbeddingLimits,
  itemLimits,
  listLimits,
  maximumEmbeddedPrices,
  type Prices,
  type ProductBase,
  type ProductParts,
  productDocument,
  variantListQuery,
  withoutVariants,
} from './document.ts'
import { type FacetQuery, type FacetsIn, facetsQuery, priceFacetNames } from './facets.ts'
import {
  filterConditions,
  filterValues,
  knownNamesQuery,
  type ProductQuery,
  type productListParameters,
  productOrders,
  productPage,
  variantMatch,
  variantsWithout,
  visibleProducts,
  withoutFacet,
} from './filters.ts'
import {
  type PriceSelection,
  priceFilterNames,
  priceRangeOf,
  priceRanges,
  priceSelectionOf,
} from './price-filters.ts'
import { productProblems } from './problems.ts'
import type { itemParameters } from './schema.ts'
import { correctionsOf, searchOf, type storedCorrection, suggestionsOf } from './search.ts'
import {
  asMembers,
  asText,
  type DocumentFormat,
  parseCategories,
  productOf,
  type StoredProduct,
  storedHead,
  storedProduct,
} from './stored.ts'
import { isPublished, products } from './table.ts'

/**
 * Lists products. The newest are first, or the best matches of `q`. With a filter on `updatedAt`, the products that changed first are first.
 */
export async function listProducts(
  context: Context,
  { query }: Input<{ query: typeof productListParameters }>,
): Promise<Answer> {
  const { page } = await context.db.read({ page: productPageQuery(context, query, allProducts) })
  return page
}

/** Lists the products of a collection; null if the collection does not exist. */
export async function listProductSubset(
  subset: ProductSubset,
  context: Context,
  query: ProductQuery,
): Promise<Answer | null> {
  const { rows, page } = await context.db.read({
    rows: subset.existence,
    page: productPageQuery(context, query, subset),
  })
  return rows.length > 0 ? page : null
}

/** One of the names of a product. */
type ProductName = { readonly id?: string; readonly handle?: string; readonly sku?: string }

/** Selects the ids of the product with a name. An archived product has only its id. */
function idsOf({ id = '', handle, sku }: ProductName): SQL | readonly string[] {
  if (handle !== undefined)
    return sql`array_remove(array[coalesce(
      (select id from products where tenant_id = current_tenant() and handle = ${handle} and status <> 'ARCHIVED'),
      (select p.id from former_handles f join products p on p.tenant_id = current_tenant() and p.id = f.product_id
        where f.tenant_id = current_tenant() and f.handle = ${handle} and p.status <> 'ARCHIVED'
        order by f.given_up_at desc limit 1))], null)`
  if (sku !== undefined)
    return sql`array(select product_id from variants where tenant_id = current_tenant() and sku = ${sku} and status = 'ACTIVE' and not product_archived)`
  return [id]
}

/** Reads one product, also an archived one. @throws 404 `product.not_found` */
export async function getProduct(
  context: Context,
  { params, query }: { params: ProductName } & Pick<Input<{ query: typeof itemParameters }>, 'query'>,
): Promise<Answer> {
  const { locale, url, now, db, selectedMembers, access } = context
  const priceRequest = priceRequestOf(query, context)
  const limits = limitsOf(itemLimits, priceRequest)
  const options = { locale, expand: levelsOf(query.expand), limits, priceRequest, access }
  const ids = idsOf(params)
  const { lines, inContext, breadcrumbsOf } = await db.read({
    lines: linesQuery(ids, options),
    inContext: contextQuery(priceRequest, context),
    breadcrumbsOf: breadcrumbsQuery(
      sql`select m.category_id from product_categories m where m.tenant_id = current_tenant() and m.product_id = any(${arrayOf(ids)})`,
      query,
      context,
    ),
  })
  const {
    products: [product],
    prices,
    pricing,
    history,
    sequence,
  } = parseProducts(lines, { ...options, priceRequest: inContext }, asMembers)
  if (!product) {
    const [[name = '', id = ''] = []] = Object.entries(params)
    const help =
      name === 'handle'
        ? 'No product of this tenant has this handle or had it earlier. Archived products are not found by a handle.'
        : `No product of this tenant has this ${name}, or the product is archived.`
    throw productProblems.not_found({ id }, name === 'id' ? {} : { help })
  }
  requireHistory(priceRequest, history, now)
  return {
    kind: 'item',
    document: productDocument(
      { ...product, breadcrumbs: breadcrumbsOf?.(product.categories) },
      locale,
      prices,
      limits,
      variantListQuery(url, query),
    ),
    version: product.version,
    sequence,
    pricing: readsPrices({ priceRequest, selectedMembers }) ? pricing : undefined,
    ...(params.handle !== undefined && {
      contentLocation: `/api/products/by-handle/${String(product.document.handle)}`,
    }),
  }
}

/** The limits of a product, which embeds fewer variants if each has prices in many markets. */
function limitsOf(limits: EmbeddingLimits, priceRequest: PriceRequest | null): EmbeddingLimits {
  const { maxVariants, isList } = limits
  const prices = isList ? maximumEmbeddedPrices.list : maximumEmbeddedPrices.item
  const markets = priceRequest?.markets?.length ?? 1
  return { ...limits, maxVariants: Math.min(maxVariants, Math.floor(prices / Math.max(1, markets))) }
}

type ProductCondition = {
  /** The name of the stored count of these products without archived ones. */
  readonly total: string
  readonly condition: SQL
}

const allProducts: ProductCondition = { total: 'products', condition: sql`true` }

/** The products of a collection. */
export type ProductSubset = ProductCondition & {
  /** Returns a row if the collection exists. */
  readonly existence: Statement
}

/** Queries of a page of products that not every request needs. */
type Optional = {
  readonly facets?: DatabaseQuery<FacetsIn>
  readonly nextChange?: PriceSelection['nextChange']
}

/** An order that callers cannot request by name. */
const byRank = 'search.rank'
const rankOrder: Orders = { [byRank]: { column: sql`search.rank`, type: 'int' } }

function productPageQuery(
  context: Context,
  query: ProductQuery,
  { total, condition }: ProductCondition,
): DatabaseQuery<Answer> {
  const { locale, selectedMembers, tenant, url, access } = context
  const priceRequest = priceRequestOf(query, context)
  const names = [...new Set(query['facets[]'])]
  const hasPriceFacets = priceFacetNames.some((name) => names.includes(name))
  const isByPrice = hasPriceFacets || priceFilterNames.some((name) => Object.hasOwn(query, name))
  const variants = isByPrice ? variantMatch(query) : null
  const selectionOf = (filters: ProductQuery) => {
    const options = { variants, isNeeded: hasPriceFacets }
    return isByPrice ? priceSelectionOf(filters, priceRequest, options) : null
  }
  const priceSelection = selectionOf(query)
  const priceConditions = priceSelection?.conditions ?? []
  const pricesWithout = (facet: string | null) =>
    priceFacetNames.some((name) => name === facet)
      ? (selectionOf(withoutFacet(query, facet))?.conditions ?? [])
      : priceConditions
  const q = (query.q ?? '').trim()
  const suggests = query.suggest === 'true'
  const search = q === '' && !suggests ? null : searchOf(q, locale, tenant, suggests)
  const orders = priceSelection?.orders ?? productOrders(context)
  const page = search
    ? productPage(context, query, [[byRank, 'desc']], { ...orders, ...rankOrder })
    : productPage(context, query, [['createdAt', 'desc']], orders)
  const selectsOthers = filterConditions(query).length > 0 || search !== null || access.isPublic
  // The stored totals count unpublished products too.
  const isFiltered = selectsOthers || priceConditions.length > 0
  const matchesWithout = (facet: string | null, joins = sql``, prices = pricesWithout(facet)) => {
    const filters = [
      ...visibleProducts(query, access),
      condition,
      ...filterConditions(query, facet),
      ...prices,
    ]
    return sql`from ${products} ${search ? sql`join search on search.product_id = products.id` : sql``}${joins}
    where ${sql.join([sql`products.tenant_id = current_tenant()`, ...filters], sql` and `)}`
  }
  const matches = matchesWithout(null)
  const parts = priceSelection?.parts ?? [{ joins: sql``, conditions: [] }]
  const searchTables = search
    ? sql`meaning as materialized (${search.meaning}), search as materialized (${suggests ? search.completions : search.matches}),`
    : sql``
  const commonTables = sql`${priceSelection?.commonTables ?? sql``}${searchTables}`
  if (search && suggests) {
    const rows = search.suggestions(commonTables, matches)
    const queries = { found: withSequence(rows), inContext: contextQuery(priceRequest, context) }
    return mapQuery(combineQueries(queries), ({ found, inContext }) => {
      priceSelection?.requireAnswer(inContext)
      return {
        kind: 'collection',
        members: [],
        suggestions: suggestionsOf(found.rows, q),
        sequence: found.sequence,
      }
    })
  }
  const facets: FacetQuery = {
    names,
    selected: (name) => filterValues(query, name),
    matchesWithout,
    variantsWithout: (name) => variantsWithout(query, name),
    isDeep: query['category[descendants]'] === 'true',
    commonTables,
    visible: visibleProducts(query, access),
    priceFacets: priceSelection?.facets ?? null,
    locale,
    access,
  }
  const limits = limitsOf(listLimits, priceRequest)
  const options = { locale, expand: levelsOf(query.expand), limits, priceRequest, selectedMembers }
  const lines = pageLines(options, {
    // Only `read_product_parts()` knows the bytes of a product, so it ends the page.
    rows: page.unmeasuredRows(
      sql`products.id`,
      ...parts.map(({ joins, conditions }) => matchesWithout(null, sql`${page.joins}${joins}`, conditions)),
    ),
    totalName: isFiltered ? null : total,
    matches: (!selectsOthers && total === allProducts.total ? priceSelection?.matches : null) ?? matches,
    commonTables,
    ...(page.foundNames && { foundNames: page.foundNames(matches) }),
    ...(search && { corrections: search.corrections }),
  })
  const queries = {
    lines,
    inContext: contextQuery(priceRequest, context),
    knownNames: knownNamesQuery(query, access),
    ...(names.length > 0 ? { facets: facetsQuery(facets) } : {}),
    ...(priceSelection ? { nextChange: priceSelection.nextChange } : {}),
  }
  return mapQuery(combineQueries<typeof queries & Optional>(queries), (result) => {
    const { products, prices, pricing, history, ...list } = parseProducts(
      result.lines,
      { ...options, priceRequest: result.inContext },
      asMembers,
    )
    requireHistory(priceRequest, history, context.now)
    priceSelection?.requireAnswer(result.inContext)
    const variantQuery = variantListQuery(url, query)
    const productsById = new Map(products.map((product) => [product.id, product]))
    const productRows = list.page.flatMap((row) => {
      const product = productsById.get(row.id)
      return product ? [{ ...row, product }] : []
    })
    const { rows, paging } = page.read(productRows, totalOf(isFiltered, list.total), list.foundNames)
    return {
      kind: 'collection',
      members: rows.map(({ product }) =>
        productDocument(product, locale, prices, limits, variantQuery, selectedMembers),
      ),
      ...paging,
      ...(result.facets && { facets: result.facets(result.inContext?.currency ?? '') }),
      // Words of drafts are not public.
      ...(list.corrections && !access.isPublic && { corrections: correctionsOf(list.corrections, q) }),
      sequence: list.sequence,
      pricing:
        priceRequest && priceSelection
          ? pricingUntil(result.nextChange?.[0]?.at ?? null, priceRequest, pricing)
          : pricing,
    }
  })
}

/** A page by prices may also change when a price of a product that it does not have changes, at `next`. */
function pricingUntil(next: string | null, request: PriceRequest, shown: Pricing | undefined): Pricing {
  const { at = request.at, until: own = null } = shown ?? {}
  const until = own === null || (next !== null && next < own) ? next : own
  return { at, until, ...(request.isNow ? { cachedUntil: until } : {}) }
}

/** Reads products with their documents as texts. `ids` are strings, or SQL for an array of ids. */
export function productsQuery(
  ids: SQL | readonly string[],
  options: ReadOptions,
): DatabaseQuery<ReadProducts> {
  return mapQuery(linesQuery(ids, options), (lines) => parseProducts(lines, options, asText))
}

/** Reads one product; null if it does not exist. `id` is a parameter, or a subquery for the product of an option, a value or a variant. */
export function productQuery(id: SQL, options: ReadOptions): DatabaseQuery<ProductParts | null> {
  return mapQuery(productsQuery(sql`array[${id}]`, options), ({ products: [product] }) => product ?? null)
}

/** Reads products without options and variants, in the order of their ids. `ids` is a subquery. */
export function baseProductsQuery(ids: SQL): DatabaseQuery<ProductBase[]> {
  const sortedIds = sql`array(select requested.id from (${ids}) as requested(id) order by requested.id)`
  return mapQuery(productsQuery(sortedIds, baseOptions), ({ products }) =>
    products.map(({ options, variants, variantsTotal, ...product }) => product),
  )
}

// With all translations, the locale has no effect.
const baseOptions: ReadOptions = {
  locale: localeOf(['en-US'], null),
  expand: 0,
  limits: withoutVariants,
  translations: true,
  withOptionsAndVariants: false,
}

/** How products are read. */
export type ReadOptions = {
  readonly locale: Locale
  /** Embedded levels of sub-categories; 0 embeds only their IRIs. */
  readonly expand: number
  readonly limits: EmbeddingLimits
  /** True to read all translations, for a write that merges them. */
  readonly translations?: boolean
  /** The context in which prices of the variants are resolved; null to read no prices. */
  readonly priceRequest?: PriceRequest | null
  /** The only members of product documents to read; null to read all. */
  readonly selectedMembers?: SelectedMembers
  readonly withOptionsAndVariants?: boolean
  /** The access of the caller who reads the products; absent for the service itself. */
  readonly access?: Pick<Access, 'isPublic'>
}

/** Products, and the page that lists them. */
export type ReadProducts<Document extends RowDocument = string> = {
  readonly products: readonly (ProductParts<Document> &
    Pick<PricedRow, 'launchedAt'> & { readonly referenceUnits: readonly ReferenceUnit[] })[]
  readonly prices: Prices
  readonly pricing?: Pricing | undefined
  /** The tenant's event sequence. */
  readonly sequence: number
  readonly total: number
  readonly page: readonly (PageRow & { readonly id: string })[]
  readonly foundNames: readonly string[] | undefined
  readonly corrections: readonly z.infer<typeof storedCorrection>[] | undefined
  /** The moment since which prices are recorded, for `requireHistory()`; absent if the price request needs no history. */
  readonly history: string | undefined
}

/** A row of one JSON text. */
type JsonLine = RowOf<typeof lineColumn>
const lineColumn = { line: z.string() }

const arrayOf = (ids: SQL | readonly string[]) => (ids instanceof SQL ? ids : uuidArray(ids))

function linesQuery(ids: SQL | readonly string[], options: ReadOptions): DatabaseQuery<readonly JsonLine[]> {
  const all = arrayOf(ids)
  const visible = options.access?.isPublic
    ? sql`array(select products.id from products where products.tenant_id = current_tenant() and products.id = any(${all}) and ${isPublished})`
    : all
  const lines = linesStatement(productLines(visible, options))
  return mapQuery(combineQueries({ lines }), (rows) => rows.lines)
}

function linesStatement(query: SQL): Statement<JsonLine> {
  return { ...statement(query, lineColumn), selectsLines: true }
}

/** How a statement finds a page of products. */
type PageQuery = {
  /** Selects the rows of the page in their order, each with an `id` and the columns of `PageRow`. */
  readonly rows: SQL
  /** The name of the stored total of the list; null to count `matches`, which begins with `from`. */
  readonly totalName: string | null
  readonly matches: SQL
  /** Common table expressions that `rows` and `matches` use: `… as (…),`. */
  readonly commonTables?: SQL
  /** The corrections of a search: JSON, null without any. */
  readonly corrections?: SQL
  readonly foundNames?: SQL
}

/** Selects a page, and its products. */
function pageLines(
  options: ReadOptions,
  {
    rows,
    totalName,
    matches,
    commonTables = sql``,
    corrections = sql`null::json`,
    foundNames = sql`null`,
  }: PageQuery,
): Statement<JsonLine> {
  const total = totalQuery(totalName === null, totalName ?? '', matches)
  const page = sql`(select coalesce(json_agg(json_build_array(id, keys, found)), '[]') from page)`
  const ids = sql`array(select id from page)`
  // Materializing keeps the order of the rows.
  return linesStatement(sql`with ${commonTables} page as materialized (${rows})
    ${productLines(ids, options, sql`concat(',"total":', (${total}), ',"page":', ${page}, ',"corrections":' || ${corrections}, ',"foundNames":' || to_json(${foundNames}::text[]))`)}`)
}

/**
 * Selects products as JSON texts, for `parseProducts()`. `ids` is an array of ids in the order of the result, `head` are members for the
 * first text. A list ends after the product that exceeds the bytes of one statement.
 */
function productLines(ids: SQL, options: ReadOptions, head = sql`''`): SQL {
  const given = sql`${JSON.stringify(partsOptionsOf(options))}::jsonb`
  const market = options.priceRequest?.market
  const ranges =
    market && selects(options.selectedMembers ?? null, 'priceRange') && priceRanges(ids, options.priceRequest)
  const wholeHead = ranges ? sql`concat(${head}, ',"priceRanges":', ${ranges})` : head
  return sql`select read_product_parts(${ids}, ${market ? optionsInMarket(given, market) : given}, ${wholeHead}) as line`
}

/**
 * The parameter `options` of `read_product_parts()`: the only declaration of the options. SQL functions read them by name, and
 * test/schema.test.ts compares the names.
 */
export function partsOptionsOf(options: ReadOptions) {
  const {
    locale,
    expand,
    limits: { isList, maxVariants, variantBytes, valueBytes },
    priceRequest = null,
    selectedMembers = null,
    translations = !locale.stored,
  } = options
  return {
    withTranslations: translations,
    withOptionsAndVariants: readsOptionsAndVariants(options),
    withCategories: selects(selectedMembers, 'categories', 'collections'),
    withMetaobjects:
      selects(selectedMembers, 'fields') || selects(selectedIn(selectedMembers, 'variants'), 'fields'),
    withPrices: readsPrices(options),
    // A prior price depends on `launchedAt`.
    selectedMembers: selectedMembers && [
      ...selectedMembers.keys(),
      ...(readsPrices(options) ? ['launchedAt'] : []),
    ],
    maxVariants,
    maxVariantBytes: variantBytes,
    // Beyond these bytes of option values, only those of the variants are included.
    maxValueBytes: isList ? valueBytes : null,
    // After these bytes, no further product is read.
    maxBytes: isList ? byteLimits.readProducts : Number.MAX_SAFE_INTEGER,
    categoryLevels: expand,
    maxChildren: byteLimits.children.list,
    maxCategoryBytes: byteLimits.readCategories,
    explain: priceRequest?.explain ?? false,
    channel: priceRequest?.channel,
    country: priceRequest?.country,
    at: priceRequest?.at,
    knownAt: priceRequest?.knownAt,
    withEnded: priceRequest?.isNow,
    anywhere: priceRequest?.markets !== undefined,
    ...((priceRequest?.prior?.policy || (priceRequest?.prior && priceRequest.market)) && {
      // `optionsInMarket()` sets it for a market.
      priorDays: priceRequest.prior.policy?.days,
      maxPriorTerms,
      maxProductTermBytes: isList ? byteLimits.priorTerms.product : byteLimits.priorTerms.item,
      maxTermBytes: isList ? byteLimits.priorTerms.list : Number.MAX_SAFE_INTEGER,
    }),
  }
}

function readsOptionsAndVariants({
  selectedMembers = null,
  withOptionsAndVariants = true,
}: ReadOptions): boolean {
  return withOptionsAndVariants && selects(selectedMembers, 'options', 'variants')
}

function readsPrices({
  priceRequest = null,
  selectedMembers = null,
}: Pick<ReadOptions, 'priceRequest' | 'selectedMembers'>): boolean {
  return (
    priceRequest !== null &&
    selects(selectedMembers, 'variants') &&
    selects(
      selectedIn(selectedMembers, 'variants'),
      priceRequest.markets ? 'resolvedPrices' : 'resolvedPrice',
    )
  )
}

/** Parses the texts that `read_product_parts()` returns. */
function parseProducts<Document extends RowDocument>(
  [head, ...lines]: readonly JsonLine[],
  options: ReadOptions,
  format: DocumentFormat<Document>,
): ReadProducts<Document> {
  const { expand, priceRequest = null, limits } = options
  const {
    sequence,
    total = 0,
    page = [],
    corrections,
    foundNames,
    history,
    hidden,
    priceRanges: ranges,
    referenceUnits,
    categories: storedCategories = {},
  } = parseStored(storedHead, head?.line ?? '')
  const categories = parseCategories(storedCategories, expand, format)
  const stored = lines.map(({ line }) => {
    const product = parseStored(storedProduct, line)
    const units = referenceUnits && product.categoryIds.flatMap((id) => referenceUnits[id] ?? [])
    return { characters: line.length, referenceUnits: units ?? [], ...product }
  })
  return {
    products: stored.map(({ characters, referenceUnits: units, ...product }) => ({
      ...productOf(product, {
        format,
        withOptionsAndVariants: readsOptionsAndVariants(options),
        maxVariants: limits.maxVariants,
        deletedCollections: hidden ?? [],
      }),
      characters,
      launchedAt: product.parts.document.launchedAt,
      referenceUnits: units,
      ...(ranges !== undefined &&
        priceRequest?.pricesComplete && {
          priceRange: priceRangeOf(ranges?.[product.id], priceRequest.currency ?? ''),
        }),
      categories: product.categoryIds.flatMap((id) => categories.get(id) ?? []),
    })),
    ...(readsPrices(options) && priceRequest
      ? pricesInContext(
          stored.flatMap((product) => pricedRows(product).slice(0, limits.maxVariants)),
          priceRequest,
          history,
        )
      : { prices: null }),
    sequence,
    total,
    page: page.map(([id, keys, found]) => ({ id, keys, found })),
    corrections,
    foundNames,
    history,
  }
}

/** The rows from which the prices of a product's variants are resolved. */
function pricedRows({
  parts: { document, variants = [] },
  offers,
  terms,
  referenceUnits,
}: StoredProduct & { readonly referenceUnits: readonly ReferenceUnit[] }): PricedRow[] {
  const { launchedAt } = document
  return variants.map(({ id, createdAt, document: { measure = null } }) => ({
    id,
    createdAt,
    launchedAt,
    content: { measure, referenceUnits },
    offers: offers?.[id] ?? null,
    terms: terms?.[id] ?? null,
  }))
}
