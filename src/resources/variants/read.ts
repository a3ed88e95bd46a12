import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { byteLimits } from '../../core/limits.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  followsUpdates,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../core/paging.ts'
import { type Statement, statement } from '../../db/query.ts'
import { embeddedCategories } from '../categories/document.ts'
import { levelsOf } from '../categories/schema.ts'
import { type AskedPrice, questionOf, requireHistory } from '../prices/question.ts'
import { type OfferRow, offersOf, type Price, pricesOf, priorTermsOf, termsFinder } from '../prices/rows.ts'
import { withoutVariants } from '../products/document.ts'
import { productProblems } from '../products/problems.ts'
import {
  idOf,
  outlinedVariantColumns,
  productsQuery,
  variantBytes,
  variantColumns,
} from '../products/read.ts'
import { readParameters } from '../products/schema.ts'
import { shownValues, type VariantParts, variantDocument } from './document.ts'
import { variantProblems } from './problems.ts'
import { documentsOf } from './row.ts'

/** Variants with the offers that their prices are resolved from, read in the same statement. */

/** A variant's row as it is read where prices may be asked for; offers are null where it has none, or none are asked for. */
type PricedVariant = VariantParts & {
  readonly offers: OfferRow['offers'] | null
  /** The recorded terms that its prior price is told of; null where there is none to tell. */
  readonly priorTerms: string | null
}

/** The column `offers` of a variant, whose id is an expression. */
function offersColumn(id: SQL, asked: AskedPrice | null): SQL {
  return asked ? sql`${offersOf(id, asked)} as offers` : sql`null as offers`
}

/** The column `priorTerms` of a variant. */
function termsColumn(asked: AskedPrice | null): SQL {
  return sql`${priorTermsOf(sql`variants.id`, asked)} as "priorTerms"`
}

/** Reads one variant of a product. */
function pricedStatement(productId: string, id: string, asked: AskedPrice | null): Statement<PricedVariant> {
  return statement(sql`select ${variantColumns}, ${offersColumn(sql`variants.id`, asked)}, ${termsColumn(asked)} from variants
    where tenant_id = current_tenant() and product_id = ${productId}::uuid and id = ${id}::uuid`)
}

/** The price of each variant that has offers, by variant id; `history` is what was told of how far prices reach back. */
function pricesIn(
  rows: readonly PricedVariant[],
  asked: AskedPrice,
  history: string | undefined,
): Map<string, Price | null> {
  return pricesOf(
    rows.flatMap(({ id, offers }) => (offers === null ? [] : [{ variantId: id, offers }])),
    asked,
    termsFinder(
      history,
      rows.flatMap(({ priorTerms }) => priorTerms ?? []),
    ),
  )
}

const text = z.string().min(1).max(255)

const orders: Orders = {
  // The archived have no position; they come last.
  position: { column: sql`coalesce(position, 2147483647)`, type: 'int' },
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  id: { column: sql`id`, type: 'uuid' },
}

export const variantListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  ...readParameters,
  status: z.enum(['ACTIVE', 'ARCHIVED']).optional(),
  sku: text.optional(),
  barcode: text.optional(),
  externalId: text.optional(),
  'position[from]': z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, description: 'Only variants at this position or behind it.' }),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

/** Lists a product's variants in their order. */
export async function listVariants(
  context: Context,
  { params: { productId }, query }: Input<{ params: 'productId'; query: typeof variantListParameters }>,
): Promise<Answer> {
  const { locale } = context
  const question = questionOf(query, context.tenant)
  const page = planPage(query, context.url, orders, [['position', 'asc']])
  const equal = (name: 'status' | 'sku' | 'barcode' | 'externalId', column: SQL) =>
    query[name] === undefined ? [] : [sql`${column} = ${query[name]}`]
  const conditions = [
    sql`tenant_id = current_tenant() and product_id = ${productId}::uuid`,
    ...(query.status === undefined && !followsUpdates(query) ? [sql`status = 'ACTIVE'`] : []),
    ...equal('status', sql`status`),
    ...equal('sku', sql`sku`),
    ...equal('barcode', sql`barcode`),
    ...equal('externalId', sql`external_id`),
    ...(query['position[from]'] === undefined ? [] : [sql`position >= ${query['position[from]']}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
  const matches = sql`from variants where ${sql.join(conditions, sql` and `)}`
  const options = { locale, expand: levelsOf(query.expand), room: withoutVariants, asked: question }
  const { owner, list } = await context.db.read({
    owner: productsQuery(sql`array[${idOf(productId)}]`, options),
    list: listQuery<PricedVariant>(page, {
      from: matches,
      columns: sql`${outlinedVariantColumns(context.outline)}, sale_offer_count, ${termsColumn(question)}`,
      bytes: sql`${variantBytes(question)} + coalesce(octet_length(metaobjects::text), 0) + coalesce(octet_length("priorTerms"), 0)`,
      keptTotal: null,
      shown: sql`select page.*, ${offersColumn(sql`page.id`, question)} from page`,
    }),
  })
  const {
    products: [product],
    history,
  } = owner
  if (!product) throw productProblems.not_found({ id: productId })
  requireHistory(question, history, context.now)
  const prices = question && pricesIn(list.rows, question, history)
  const values = shownValues(product.options, locale)
  const categories = embeddedCategories(product.categories, locale, byteLimits.embeddedAgain)
  return {
    kind: 'collection',
    members: list.rows.map((each) =>
      variantDocument(each, values, locale, {
        ...(prices ? { resolvedPrice: prices.get(each.id) ?? null } : {}),
        categories,
      }),
    ),
    ...list.paging,
    sequence: list.sequence,
  }
}

type Asked = Input<{ params: 'productId' | 'variantId'; query: typeof readParameters }>

/** Reads one variant; archived ones too. */
export async function getVariant(
  context: Context,
  { params: { productId, variantId }, query }: Asked,
): Promise<Answer> {
  const question = questionOf(query, context.tenant)
  const options = {
    locale: context.locale,
    expand: levelsOf(query.expand),
    room: withoutVariants,
    asked: question,
  }
  const { owner, found } = await context.db.read({
    owner: productsQuery(sql`array[${idOf(productId)}]`, options),
    found: pricedStatement(productId, variantId, question),
  })
  const {
    products: [product],
    history,
    sequence,
  } = owner
  const [own] = found
  if (!product || !own) throw variantProblems.not_found({ id: variantId })
  requireHistory(question, history, context.now)
  const price = question ? (pricesIn(found, question, history).get(variantId) ?? null) : undefined
  return {
    kind: 'item',
    document: documentsOf(product, context)(own, price),
    version: own.version,
    sequence,
  }
}
