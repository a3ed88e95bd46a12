import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../../core/page.ts'
import { totalOf } from '../../../core/totals.ts'
import { rowBytes } from '../../../db/columns.ts'
import { externalId } from '../../property-schemas.ts'
import { pageIn, pageLines, productProblems, productsOf, withoutVariants } from '../index.ts'
import { optionDocument } from './document.ts'

const orders: Orders = {
  position: { column: sql`position`, type: 'int' },
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  // A cursor holds no null; options without a title come first.
  title: { column: sql`coalesce(title, '')`, type: 'text' },
  id: { column: sql`id`, type: 'uuid' },
}

export const optionListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  externalId: externalId.optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

/** Lists a product's options in their order, with their values. */
export async function listOptions(
  context: Context,
  { params: { productId: id }, query }: Input<{ params: 'productId'; query: typeof optionListParameters }>,
): Promise<Answer> {
  const { locale } = context
  const page = planPage(query, context.url, orders, [['position', 'asc']])
  const matches = sql`from product_options where ${sql.join(
    [
      sql`tenant_id = current_tenant() and product_id = ${id}::uuid`,
      ...(query.externalId === undefined ? [] : [sql`external_id = ${query.externalId}`]),
      ...dateConditions('createdAt', sql`created_at`, query),
      ...dateConditions('updatedAt', sql`updated_at`, query),
    ],
    sql` and `,
  )}`
  const options = { locale, expand: 0, room: withoutVariants }
  const { lines } = await context.db.read({
    lines: pageLines(
      options,
      { rows: page.rows(sql`id, document`, matches, rowBytes()), weighed: true, keptTotal: null, matches },
      id,
    ),
  })
  const {
    products: [product],
    head,
    sequence,
  } = productsOf(lines, options)
  if (!product) throw productProblems.not_found({ id })
  const told = pageIn(head)
  const { rows, paging } = page.read(told.page, totalOf(true, told.total))
  const own = new Map(product.options.map((each) => [each.id, each]))
  return {
    kind: 'collection',
    members: rows.flatMap((row) => {
      const option = own.get(row.id)
      return option ? [optionDocument(option, locale)] : []
    }),
    ...paging,
    sequence,
  }
}
