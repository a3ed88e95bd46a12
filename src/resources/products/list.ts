import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  followsUpdates,
  type Orders,
  orderParameters,
  type PageRow,
  pageParameters,
  planPage,
} from '../../core/page.ts'
import { totalOf, totalQuery } from '../../core/totals.ts'
import { type Statement, statement } from '../../db/client.ts'
import { documentColumn, textsColumn } from '../../db/columns.ts'
import { sequenceStatement } from '../../db/sequence.ts'
import { expandParameter, levelsOf } from '../categories/index.ts'
import { referenceParameter } from '../fields.ts'
import { offerStatement, priceParameters, pricesOf, questionOf } from '../prices/index.ts'
import { inCollection } from './collections/index.ts'
import { askedOfVariants } from './continuation.ts'
import { productDocument } from './document.ts'
import { inList } from './room.ts'
import { searchOf } from './search.ts'
import {
  embedded,
  embeddedStatements,
  ownersIn,
  type ProductPageRow,
  pageBytes,
  productColumns,
  shownVariants,
} from './store.ts'
import { products } from './table.ts'

const text = z.string().min(1).max(255)

const orders: Orders = {
  createdAt: { column: sql`products.created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`products.updated_at`, type: 'timestamptz' },
  title: { column: sql`products.title`, type: 'text' },
  id: { column: sql`products.id`, type: 'uuid' },
}

/** Not a name that a query can ask an order by. */
const byRank = 'search.rank'
const searchOrders: Orders = { ...orders, [byRank]: { column: sql`search.rank`, type: 'int' } }

/** The query parameters of every list of products. */
export const productListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  ...priceParameters,
  expand: expandParameter,
  status: z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']).optional(),
  handle: text.optional(),
  externalId: text.optional(),
  sku: text.optional(),
  barcode: text.optional(),
  vendor: text.optional(),
  productType: text.optional(),
  tag: text.optional(),
  channel: text.optional(),
  // Blank, as an empty search box sends it, is the same as absent.
  q: z
    .string()
    .max(255)
    .optional()
    .meta({
      examples: ['red shirt'],
      description:
        'Only those that have all of these words, the best matches first: in the title, vendor, type, tags, handle, SKUs, barcodes or description; the last word may be unfinished, and words may be misspelt.',
    }),
  category: referenceParameter('/api/categories').optional(),
  collection: referenceParameter('/api/collections').optional(),
  'category[descendants]': z.enum(['true', 'false']).optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

/** The conditions of a list's filters; `p` is the products table. */
function conditions(query: Input['query']): SQL[] {
  const equal = (name: string, column: SQL) =>
    query[name] === undefined ? [] : [sql`${column} = ${query[name]}`]
  const variantWith = (name: string, column: string) =>
    query[name] === undefined
      ? []
      : [
          sql`products.id in (select product_id from variants where tenant_id = current_tenant() and ${sql.identifier(column)} = ${query[name]} and status = 'ACTIVE')`,
        ]
  return [
    ...equal('status', sql`products.status`),
    ...equal('handle', sql`products.handle`),
    ...equal('externalId', sql`products.external_id`),
    ...equal('vendor', sql`products.vendor`),
    ...equal('productType', sql`products.product_type`),
    ...variantWith('sku', 'sku'),
    ...variantWith('barcode', 'barcode'),
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
      : [inCategory(query.category as string, query['category[descendants]'] === 'true')]),
    ...(query.collection === undefined ? [] : [inCollection(query.collection as string)]),
    ...dateConditions('createdAt', sql`products.created_at`, query),
    ...dateConditions('updatedAt', sql`products.updated_at`, query),
  ]
}

function inCategory(id: string, descendants: boolean): SQL {
  const own = sql`select ${id}::uuid`
  const below = sql`with recursive below(id) as (select ${id}::uuid union all
    select c.id from categories c join below on c.parent_id = below.id where c.tenant_id = current_tenant()) select id from below`
  return sql`products.id in (select product_id from product_categories where tenant_id = current_tenant()
    and category_id in (${descendants ? below : own}))`
}

/**
 * Lists products: newest first, the best matches first when `q` searches them, or by `updatedAt` upwards for those who
 * follow changes.
 */
export async function listProducts(context: Context, { query }: Input): Promise<Answer> {
  return (await pageOf(context, query, null))!
}

/** A part of all products that is a list of its own: a collection. */
export type Part = {
  /** Gives a row where there is such a part. */
  readonly exists: Statement
  /** The kept total of its products that are not archived. */
  readonly total: string
  readonly condition: SQL
}

/** Lists the products of a part; null where there is none such. */
export function listProductsOf(part: Part, context: Context, query: Input['query']): Promise<Answer | null> {
  return pageOf(context, query, part)
}

async function pageOf(context: Context, query: Input['query'], part: Part | null): Promise<Answer | null> {
  const { locale, outline, tenant } = context
  const question = questionOf(query)
  const q = ((query.q as string | undefined) ?? '').trim()
  const page = planPage(
    query,
    context.url,
    q === '' ? orders : searchOrders,
    q === '' ? [['createdAt', 'desc']] : [[byRank, 'desc']],
  )
  const asked = conditions(query)
  const filters = part ? [part.condition, ...asked] : asked
  // Followers must see removals; others see what is archived only when they ask for it.
  const visible =
    query.status === undefined && !followsUpdates(query) ? [sql`products.status <> 'ARCHIVED'`] : []
  const search = q === '' ? null : searchOf(q, locale, tenant.locales)
  const all = sql`from ${products} ${search ? sql`join search on search.product_id = products.id` : sql``}
    where ${sql.join([sql`products.tenant_id = current_tenant()`, ...visible, ...filters], sql` and `)}`
  const filtered = asked.length > 0 || search !== null
  const room = { ...inList, priced: question !== null }
  const document = documentColumn(sql`products.document`, outline)
  const columns = locale.stored
    ? sql`products.id, ${document}, products.metaobject_ids`
    : sql`products.id, ${document}, products.metaobject_ids, ${textsColumn(sql`products.translations`, outline)}`
  const rows = page.rows(columns, all, pageBytes(!locale.stored, room, outline))
  const options = { locale, expand: levelsOf(query.expand), room }
  const ids = sql`select id from ${pageFound}`
  const variantIds = shownVariants(ownersIn(outline, ids), room)
  const embeddings = embeddedStatements(ids, options, outline)
  const [clock, totals, there, found, ...rest] = (await context.db.read(
    sequenceStatement,
    pageStatement(rows, totalQuery(filtered, part?.total ?? 'products', all), search),
    part?.exists ?? statement(sql`select 1`),
    statement(sql`select ${productColumns(!locale.stored, outline)}, page.keys, page.found from ${pageFound}
      join ${products} on products.tenant_id = current_tenant() and products.id = page.id order by page.n`),
    ...embeddings,
    ...(question ? [offerStatement(variantIds, question)] : []),
  )) as [{ sequence: number }[], { total: number }[], unknown[], (ProductPageRow & PageRow)[], ...unknown[][]]
  if (there.length === 0) return null
  const { rows: shown, paging } = page.read(found, totalOf(filtered, totals))
  const parts = embedded(rest, options)
  const prices = question
    ? pricesOf(rest[embeddings.length] as Parameters<typeof pricesOf>[0], question)
    : null
  const ofVariants = askedOfVariants(context.url, query)
  return {
    kind: 'collection',
    members: shown.map((row) =>
      productDocument({ ...row, ...parts(row.id) }, locale, prices, room, ofVariants),
    ),
    ...paging,
    sequence: clock[0]?.sequence ?? 0,
  }
}

/** The rows of the page that `pageStatement` has found: `id`, `keys`, `found` and `n`, their order. */
const pageFound = sql`rows from (json_to_recordset(current_setting('app.page')::json) as (id uuid, keys text[], found int))
  with ordinality as page(id, keys, found, n)`

/**
 * Finds the page and the total, and keeps the page for the statements that follow in the batch: what it costs to find, such
 * as a search, is paid once and not by each of them.
 */
function pageStatement(rows: SQL, total: SQL, search: SQL | null) {
  return statement<{ total: number }>(sql`
    with ${search ? sql`search as materialized (${search}),` : sql``} page as (select id, keys, found from (${rows}) as product order by nth)
    select (${total}) as total, set_config('app.page', (select coalesce(json_agg(page), '[]')::text from page), true) as page`)
}
