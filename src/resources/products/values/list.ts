import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
} from '../../../core/page.ts'
import { rowBytes } from '../../../db/columns.ts'
import { listRows } from '../../list.ts'
import { externalId, referenceParameter } from '../../property-schemas.ts'
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

type Query = { query: typeof valueListParameters }

function conditions(query: Input<Query>['query']): SQL[] {
  return [
    ...(query.option === undefined ? [] : [sql`option_id = ${query.option}::uuid`]),
    ...(query.externalId === undefined ? [] : [sql`external_id = ${query.externalId}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists option values: those of one option in their order, all of them newest first. */
export function listValues(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { locale } = context
  return listRows<ValueParts>(context, query, {
    table: 'option_values',
    orders,
    standard: query.option === undefined ? [['createdAt', 'desc']] : [['position', 'asc']],
    conditions: conditions(query),
    columns: sql`id, option_id as "optionId", document, title, ${locale.stored ? sql`null::jsonb as translations` : sql`translations`},
      position, version, instant_text(created_at) as "createdAt", instant_text(updated_at) as "updatedAt"`,
    bytes: rowBytes(sql`translations`),
    document: (row) => valueDocument(row, locale),
  })
}
