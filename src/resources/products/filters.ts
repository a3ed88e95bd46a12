/** The query parameters of lists of products, and their SQL conditions. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { QueryOf } from '../../core/operation.ts'
import { includesArchived } from '../../core/paging.ts'
import { inCollection } from '../collections/read.ts'
import { explainOfList } from '../prices/request.ts'
import { listing, listParameters } from '../shared/list.ts'
import { referenceParameter } from '../shared/properties.ts'
import { readParameters } from './schema.ts'
import { products } from './table.ts'

const text = z.string().min(1).max(255)

const list = listing(products, {
  orders: ['createdAt', 'updatedAt', 'title', 'id'],
  equal: ['status', 'handle', 'externalId', 'vendor', 'productType'],
})

export const productOrders = list.orders

/** The query parameters of every list of products. */
export const productListParameters = listParameters(list, {
  ...readParameters,
  explain: explainOfList('/api/products/{id}'),
  status: z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']).optional(),
  handle: text.optional(),
  externalId: text.optional(),
  sku: text.optional(),
  barcode: text.optional(),
  vendor: text.optional(),
  productType: text.optional(),
  tag: text.optional(),
  channel: text.optional(),
  // A blank value, which an empty search box sends, equals an absent one.
  q: z
    .string()
    .max(255)
    .optional()
    .meta({
      examples: ['red shirt'],
      description:
        'Only products with all of these words, the best matches first. First are those whose title, SKU or barcode is `q`, then those where one begins with it. Products with all words in the title follow. The search covers the title, vendor, type, tags, handle, SKUs, barcodes and description. The last word may be incomplete, and words may be misspelt.',
    }),
  category: referenceParameter('/api/categories').optional(),
  collection: referenceParameter('/api/collections').optional(),
  'category[descendants]': z.enum(['true', 'false']).optional(),
})

/** The parsed parameters. The list of a collection has no parameter `collection`. */
export type ProductQuery = QueryOf<Omit<typeof productListParameters, 'collection'>> & {
  readonly collection?: string | undefined
}

/** Converts the filters of a list to conditions on `products`. */
export function filterConditions(query: ProductQuery): SQL[] {
  const variantWith = (name: 'sku' | 'barcode') =>
    query[name] === undefined
      ? []
      : [
          sql`products.id in (select product_id from variants where tenant_id = current_tenant() and ${sql.identifier(name)} = ${query[name]} and status = 'ACTIVE')`,
        ]
  return [
    ...list.conditions(query),
    ...variantWith('sku'),
    ...variantWith('barcode'),
    ...(query.tag === undefined
      ? []
      : [
          sql`products.id in (select product_id from product_tags where tenant_id = current_tenant() and tag = ${query.tag})`,
        ]),
    ...(query.channel === undefined
      ? []
      : [
          sql`products.id in (select product_id from product_channels where tenant_id = current_tenant() and channel = ${query.channel})`,
        ]),
    ...(query.category === undefined
      ? []
      : [inCategory(query.category, query['category[descendants]'] === 'true')]),
    ...(query.collection === undefined ? [] : [inCollection(query.collection)]),
  ]
}

/** Selects categories one level at a time into an array. With a join, the planner relies on its estimate of their number. */
function inCategory(id: string, descendants: boolean): SQL {
  const categoryId = sql`${id}::uuid`
  const descendantIds = sql`any(array(with recursive below(id) as (select ${categoryId} union all select c.id from below cross join lateral (
    select id from categories where tenant_id = current_tenant() and parent_id = below.id offset 0) c) select id from below))`
  return sql`products.id in (select product_id from product_categories where tenant_id = current_tenant()
    and category_id = ${descendants ? descendantIds : categoryId})`
}

/** Hides archived products unless the query includes them. */
export function visibleProducts(query: ProductQuery): SQL[] {
  return query.status === undefined && !includesArchived(query) ? [sql`products.status <> 'ARCHIVED'`] : []
}
