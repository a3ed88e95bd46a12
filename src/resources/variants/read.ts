import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type Measure, measure } from '../../core/context.ts'
import { levelsOf } from '../../core/expand.ts'
import { byteLimits } from '../../core/limits.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Answer, Context, Input, Pricing } from '../../core/operation.ts'
import { includesArchived, pageRow, wholeNumber } from '../../core/paging.ts'
import { selects } from '../../core/select.ts'
import { statement } from '../../db/query.ts'
import { embeddedCategories } from '../categories/document.ts'
import {
  priceColumns,
  pricedOffers,
  priceMember,
  pricesInContext,
  priorTermsExpression,
  recordedOfferCount,
} from '../prices/read.ts'
import {
  contextQuery,
  explainOfList,
  type PriceRequest,
  priceRequestOf,
  requireHistory,
} from '../prices/request.ts'
import { withoutVariants } from '../products/document.ts'
import { productProblems, variantProblems } from '../products/problems.ts'
import { productsQuery, type ReadProducts } from '../products/read.ts'
import { readParameters } from '../products/schema.ts'
import { variants } from '../products/table.ts'
import { listing, listParameters, source } from '../shared/list.ts'
import { storedVariantColumns, variantDocument, variantValues } from './document.ts'
import { documentsOf, variantColumns } from './row.ts'

/** A variant's row with the data for its price, which is null without a request for prices. */
const pricedRow = { ...storedVariantColumns, ...priceColumns, measure: measure.nullable() }

/** The SQL expression for the content of a variant. */
const measureOf = (request: PriceRequest | null) =>
  request ? sql`document::json -> 'measure'` : sql`null::json`

/** The rows that prices of a product's variants are resolved from. */
const pricedRows = <Row extends { readonly measure: Measure | null }>(
  rows: readonly Row[],
  { launchedAt, referenceUnits }: ReadProducts['products'][number],
) => rows.map((row) => ({ ...row, launchedAt, content: { measure: row.measure, referenceUnits } }))

const filterText = z.string().min(1).max(255)

const list = listing(variants, {
  orders: ['position', 'createdAt', 'updatedAt', 'id'],
  // Archived variants have no position, and come last.
  expressions: { position: sql`coalesce(position, 2147483647)` },
  equal: ['status', 'sku', 'barcode', 'externalId'],
})

export const variantListParameters = listParameters(list, {
  ...readParameters,
  explain: explainOfList('/api/products/{productId}/variants/{variantId}'),
  status: z.enum(['ACTIVE', 'ARCHIVED']).optional(),
  sku: filterText.optional(),
  barcode: filterText.optional(),
  externalId: filterText.optional(),
  'position[from]': wholeNumber(0)
    .optional()
    .meta({ type: 'integer', minimum: 0, description: 'Only variants at this position or behind it.' }),
})

/** Lists a product's variants in their order. */
export async function listVariants(
  context: Context,
  { params: { productId }, query }: Input<{ params: 'productId'; query: typeof variantListParameters }>,
): Promise<Answer> {
  const { locale, access } = context
  const request = priceRequestOf(query, context)
  const page = list.page(context, query, [['position', 'asc']])
  const from = query['position[from]']
  const { from: matches } = source(variants, [
    sql`product_id = ${productId}::uuid`,
    ...(access.isPublic || (query.status === undefined && !includesArchived(query))
      ? [sql`status = 'ACTIVE'`]
      : []),
    ...list.conditions(query),
    ...(from === undefined ? [] : [sql`position >= ${from}`]),
  ])
  const options = {
    locale,
    expand: levelsOf(query.expand),
    limits: withoutVariants,
    priceRequest: request,
    access,
  }
  const {
    owner,
    page: pageRows,
    inContext,
  } = await context.db.read({
    inContext: contextQuery(request, context),
    owner: productsQuery([productId], options),
    page: listQuery(page, {
      row: { ...pricedRow, sale_offer_count: z.number().optional() },
      from: matches,
      columns: sql`${variantColumns(context.selectedMembers)}, sale_offer_count, ${priorTermsExpression(sql`variants.id`, request)} as terms, ${measureOf(request)} as measure`,
      bytes: sql`${variantBytes(request)} + coalesce(octet_length(metaobjects::text), 0) + coalesce(octet_length(terms::text), 0)`,
      totalName: null,
      outputRows: sql`select page.*, offers
        from page left join ${pricedOffers(sql`array(select id from page)`, request)} on "variantId" = page.id::text`,
    }),
  })
  const {
    products: [product],
    history,
  } = owner
  if (!product) throw productProblems.not_found({ id: productId })
  requireHistory(request, history, context.now)
  const priced = inContext && pricesInContext(pricedRows(pageRows.rows, product), inContext, history)
  const values = variantValues(product.options, locale)
  const categories = embeddedCategories(product.categories, locale, byteLimits.embeddedAgain)
  return {
    kind: 'collection',
    members: pageRows.rows.map((row) =>
      variantDocument(row, values, locale, {
        ...(priced && priceMember(priced.prices.get(row.id) ?? null)),
        categories,
      }),
    ),
    ...pageRows.paging,
    sequence: pageRows.sequence,
    pricing: pricingOf(priced, context),
  }
}

/** The stored bytes of a variant and, if prices are read, of its offers. `build_product_parts()` estimates the same. */
function variantBytes(priceRequest: PriceRequest | null): SQL {
  if (priceRequest === null) return sql`octet_length(document)`
  const offers =
    priceRequest.knownAt === undefined
      ? sql`sale_offer_count`
      : recordedOfferCount(sql`${pageRow}.id`, priceRequest.knownAt)
  return sql`octet_length(document) + ${offers} * offer_bytes()`
}

type VariantInput = Input<{ params: 'productId' | 'variantId'; query: typeof readParameters }>

/** Reads one variant, also an archived one, unless the public reads it. */
export async function getVariant(
  context: Context,
  { params: { productId, variantId }, query }: VariantInput,
): Promise<Answer> {
  const request = priceRequestOf(query, context)
  const options = {
    locale: context.locale,
    expand: levelsOf(query.expand),
    limits: withoutVariants,
    priceRequest: request,
    access: context.access,
  }
  const { owner, rows, inContext } = await context.db.read({
    inContext: contextQuery(request, context),
    owner: productsQuery([productId], options),
    rows: statement(pricedRow)`
      select ${variantColumns()}, offers, ${priorTermsExpression(sql`variants.id`, request)} as terms, ${measureOf(request)} as measure
        from variants left join ${pricedOffers(sql`array[${variantId}::uuid]`, request)} on true
       where tenant_id = current_tenant() and product_id = ${productId}::uuid and id = ${variantId}::uuid${context.access.isPublic ? sql` and status = 'ACTIVE'` : sql``}`,
  })
  const {
    products: [product],
    history,
    sequence,
  } = owner
  const [row] = rows
  if (!product || !row) throw variantProblems.not_found({ id: variantId })
  requireHistory(request, history, context.now)
  const priced = inContext && pricesInContext(pricedRows(rows, product), inContext, history)
  const price = priced ? (priced.prices.get(variantId) ?? null) : undefined
  return {
    kind: 'item',
    document: documentsOf(product, context)(row, price),
    version: row.version,
    sequence,
    pricing: pricingOf(priced, context),
  }
}

function pricingOf(priced: { readonly pricing: Pricing } | null, { selectedMembers }: Context) {
  return selects(selectedMembers, 'resolvedPrice', 'resolvedPrices') ? priced?.pricing : undefined
}
