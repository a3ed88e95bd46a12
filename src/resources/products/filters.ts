/** The query parameters of lists of products, and their SQL conditions. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import type { QueryOf } from '../../core/operation.ts'
import { includesArchived } from '../../core/paging.ts'
import { textArray, uuidArray } from '../../db/sql.ts'
import { inCollection } from '../collections/read.ts'
import { explainOfList } from '../prices/request.ts'
import { listing, listParameters } from '../shared/list.ts'
import { referenceParameter } from '../shared/properties.ts'
import { type FacetName, facetNames, facets } from './facets.ts'
import { readParameters } from './schema.ts'
import { isPublished, products } from './table.ts'

const text = z.string().min(1).max(255)

const list = listing(products, {
  orders: ['createdAt', 'updatedAt', 'title', 'id'],
  equal: ['status', 'handle', 'externalId', 'vendor', 'productType'],
})

export const productOrders = list.orders

/** Values of a parameter `name[]`, once for each value. */
const anyOf = <Value extends z.ZodType>(value: Value) =>
  z.preprocess((values) => [values].flat(), z.array(value).max(maximumValues)).optional()
const maximumValues = 50
// Later than all stable versions.
const addedIn = 'unstable'
const anyOfTexts = (what: string) =>
  anyOf(text).meta({ addedIn, description: `Only products with one of these ${what}.` })

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
        'Only products with all of these words, the best matches first. First are those whose title, SKU or barcode is `q`, then those where one begins with it. Products with all words in the title follow. The search covers the title, vendor, type, tags, handle, SKUs, barcodes and description. The last word may be incomplete. Words may be misspelt: `corrections` of the list then has the words that were searched. `tasche` also finds `Einkaufstasche`, after products with the whole word: in languages that join words, and in others if no product has the whole word.',
    }),
  suggest: z.enum(['true', 'false']).optional().meta({
    addedIn,
    description:
      'With `true`, the list has no members and no total, but `suggestions`: at most ten completions of the last word of `q` among the products that the filters select.',
  }),
  category: referenceParameter('/api/categories').optional(),
  collection: referenceParameter('/api/collections').optional(),
  'category[descendants]': z.enum(['true', 'false']).optional(),
  'vendor[]': anyOfTexts('vendors'),
  'productType[]': anyOfTexts('product types'),
  'tag[]': anyOfTexts('tags'),
  'category[]': anyOf(referenceParameter('/api/categories')).meta({
    addedIn,
    description: 'Only products in one of these categories.',
  }),
  'facets[]': anyOf(z.enum(facetNames)).meta({
    addedIn,
    description:
      'Adds `facets` to the list: the values of these properties among all matching products, and the number of products with each. A facet ignores the filters by its own property, so that it shows the alternatives.',
  }),
})

/** The parsed parameters. The list of a collection has no parameter `collection`. */
export type ProductQuery = QueryOf<Omit<typeof productListParameters, 'collection'>> & {
  readonly collection?: string | undefined
}

/** Converts the filters of a list to conditions on `products`, without those of a facet. */
export function filterConditions(allFilters: ProductQuery, facet: FacetName | null = null): SQL[] {
  const omitted = facet === null ? [] : facets[facet].parameters.map((name) => [name, undefined])
  const query: ProductQuery = { ...allFilters, ...Object.fromEntries(omitted) }
  const variantWith = (name: 'sku' | 'barcode') => {
    const column = sql.identifier(name)
    return where(query[name], (value) =>
      productIdIn(
        sql`select product_id from variants where tenant_id = current_tenant() and ${column} = ${value} and status = 'ACTIVE'`,
      ),
    )
  }
  const isDeep = query['category[descendants]'] === 'true'
  return [
    ...list.conditions(query),
    ...variantWith('sku'),
    ...variantWith('barcode'),
    ...where(query['vendor[]'], (values) => sql`products.vendor = any(${textArray(values)})`),
    ...where(query['productType[]'], (values) => sql`products.product_type = any(${textArray(values)})`),
    ...where(query.tag, (value) => withTag(sql`tag = ${value}`)),
    ...where(query['tag[]'], (values) => withTag(sql`tag = any(${textArray(values)})`)),
    ...where(query.channel, (value) =>
      productIdIn(
        sql`select product_id from product_channels where tenant_id = current_tenant() and channel = ${value}`,
      ),
    ),
    ...where(query.category, (id) => inCategory([id], isDeep)),
    ...where(query['category[]'], (ids) => inCategory(ids, isDeep)),
    ...where(query.collection, inCollection),
  ]
}

/** The values by which a query filters the property of a facet. */
export function filterValues(query: ProductQuery, facet: FacetName): readonly string[] {
  const values: Readonly<Record<string, unknown>> = query
  return facets[facet].parameters.flatMap((name) => values[name] ?? []).map(String)
}

/** The condition of a parameter, if the query has it. */
function where<Parsed>(value: Parsed | undefined, condition: (value: Parsed) => SQL): SQL[] {
  return value === undefined ? [] : [condition(value)]
}

const productIdIn = (ids: SQL) => sql`products.id in (${ids})`

const withTag = (condition: SQL) =>
  productIdIn(sql`select product_id from product_tags where tenant_id = current_tenant() and ${condition}`)

/** Selects categories one level at a time into an array. With a join, the planner relies on its estimate of their number. */
function inCategory(ids: readonly string[], isDeep: boolean): SQL {
  const [first = ''] = ids
  const isOne = ids.length === 1
  const start = isOne ? sql`select ${first}::uuid` : sql`select unnest(${uuidArray(ids)})`
  const itself = isOne ? sql`${first}::uuid` : sql`any(${uuidArray(ids)})`
  const below = sql`any(array(with recursive below(id) as (${start} union all select c.id from below cross join lateral (
    select id from categories where tenant_id = current_tenant() and parent_id = below.id offset 0) c) select id from below))`
  return productIdIn(sql`select product_id from product_categories where tenant_id = current_tenant()
    and category_id = ${isDeep ? below : itself}`)
}

/** Hides archived products unless the query includes them, and from the public all that are not published. */
export function visibleProducts(query: ProductQuery, { isPublic }: Pick<Access, 'isPublic'>): SQL[] {
  if (isPublic) return [isPublished]
  return query.status === undefined && !includesArchived(query) ? [sql`products.status <> 'ARCHIVED'`] : []
}
