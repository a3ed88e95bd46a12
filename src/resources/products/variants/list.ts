import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { budgets } from '../../../core/budgets.ts'
import { listReading } from '../../../core/listing.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  followsUpdates,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../../core/page.ts'
import { embeddedCategories, levelsOf } from '../../categories/index.ts'
import { demandHistory, questionOf } from '../../prices/index.ts'
import {
  idOf,
  outlinedVariantColumns,
  productProblems,
  productsReading,
  readParameters,
  variantBytes,
  withoutVariants,
} from '../index.ts'
import { shownValues, variantDocument } from './document.ts'
import { offersColumn, type PricedVariant, pricesIn, termsColumn } from './priced.ts'

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
    owner: productsReading(sql`array[${idOf(productId)}]`, options),
    list: listReading<PricedVariant>(page, {
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
  demandHistory(question, history, context.now)
  const prices = question && pricesIn(list.rows, question, history)
  const values = shownValues(product.options, locale)
  const categories = embeddedCategories(product.categories, locale, budgets.embeddedAgain)
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
