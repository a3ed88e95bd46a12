import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
} from '../../core/page.ts'
import { rowBytes } from '../../db/columns.ts'
import { sequenced } from '../../db/sequence.ts'
import { listRows } from '../list.ts'
import { externalId, shortText } from '../property-schemas.ts'
import { type BrandParts, brandDocument } from './document.ts'
import { brandProblems } from './problems.ts'
import { itemAnswer } from './rows.ts'
import { brandColumns, brandStatement } from './store.ts'

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  id: { column: sql`id`, type: 'uuid' },
}

export const brandListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  handle: shortText.optional(),
  externalId: externalId.optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

type Query = { query: typeof brandListParameters }

function conditions({ handle, externalId: external, ...query }: Input<Query>['query']): SQL[] {
  return [
    ...(handle === undefined ? [] : [sql`handle = ${handle}`]),
    ...(external === undefined ? [] : [sql`external_id = ${external}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists brands, newest first. */
export function listBrands(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { locale, outline } = context
  return listRows<BrandParts>(context, query, {
    table: 'brands',
    orders,
    standard: [['createdAt', 'desc']],
    conditions: conditions(query),
    columns: brandColumns(!locale.stored, outline),
    bytes: rowBytes(sql`translations`),
    document: (row) => brandDocument(row, locale),
  })
}

/** Reads one brand. */
export async function getBrand(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { found } = await context.db.read({ found: sequenced(brandStatement(id, !context.locale.stored)) })
  const {
    rows: [own],
    sequence,
  } = found
  if (!own) throw brandProblems.not_found({ id })
  return { ...itemAnswer(context, own), sequence }
}
