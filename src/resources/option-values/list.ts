import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../core/page.ts'
import { totalOf, totalStatement } from '../../core/totals.ts'
import { statement } from '../../db/client.ts'
import { sequenceStatement } from '../../db/sequence.ts'
import { externalId, referenceParameter } from '../fields.ts'
import { type ValueParts, valueDocument } from './document.ts'

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  title: { column: sql`title`, type: 'text' },
  position: { column: sql`position`, type: 'int' },
  id: { column: sql`id`, type: 'uuid' },
}

export const valueListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  option: referenceParameter('/api/product_options').optional(),
  externalId: externalId.optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

/** Lists option values: those of one option in their order, all of them newest first. */
export async function listValues(context: Context, { query }: Input): Promise<Answer> {
  const { locale } = context
  const page = planPage(
    query,
    context.url,
    orders,
    query.option === undefined ? [['createdAt', 'desc']] : [['position', 'asc']],
  )
  const filters = [
    ...(query.option === undefined ? [] : [sql`option_id = ${query.option}::uuid`]),
    ...(query.externalId === undefined ? [] : [sql`external_id = ${query.externalId}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
  const matches = sql`from option_values where ${sql.join([sql`tenant_id = current_tenant()`, ...filters], sql` and `)}`
  const [clock, totals, found] = await context.db.read(
    sequenceStatement,
    totalStatement(filters.length > 0, 'option_values', matches),
    statement<ValueParts & { keys: string[] }>(sql`
      select id, option_id as "optionId", document, title, ${locale.stored ? sql`null::jsonb as translations` : sql`translations`},
             position, version, instant_text(created_at) as "createdAt", instant_text(updated_at) as "updatedAt", ${page.keys} as keys
        ${matches} and ${page.after} ${page.window}`),
  )
  const total = totalOf(filters.length > 0, totals)
  const { rows, view } = page.links(found, total)
  return {
    kind: 'collection',
    members: rows.map((each) => valueDocument(each, locale)),
    total: total ?? undefined,
    ...(view ? { view } : {}),
    sequence: clock[0]?.sequence ?? 0,
  }
}
