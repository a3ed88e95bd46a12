import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  type PageRow,
  pageParameters,
  planPage,
} from '../../../core/page.ts'
import { totalOf, totalStatement } from '../../../core/totals.ts'
import { statement } from '../../../db/client.ts'
import { rowBytes } from '../../../db/columns.ts'
import { sequenceStatement } from '../../../db/sequence.ts'
import { externalId } from '../../property-schemas.ts'
import { idOf, productProblems, productReading, withoutVariants } from '../index.ts'
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
  const { clock, product, totals, found } = await context.db.read({
    clock: sequenceStatement,
    product: productReading(idOf(id), { locale, expand: 0, room: withoutVariants }),
    totals: totalStatement(true, '', matches),
    found: statement<{ id: string } & PageRow>(
      sql`select id, keys, found from (${page.rows(sql`id, document`, matches, rowBytes())}) as option order by nth`,
    ),
  })
  if (!product) throw productProblems.not_found({ id })
  const { rows, paging } = page.read(found, totalOf(true, totals))
  const options = new Map(product.options.map((each) => [each.id, each]))
  return {
    kind: 'collection',
    members: rows.flatMap((row) => {
      const option = options.get(row.id)
      return option ? [optionDocument(option, locale)] : []
    }),
    ...paging,
    sequence: clock[0]?.sequence ?? 0,
  }
}
