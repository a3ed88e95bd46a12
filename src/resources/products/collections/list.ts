import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
} from '../../../core/page.ts'
import { rowBytes } from '../../../db/columns.ts'
import { sequenced } from '../../../db/sequence.ts'
import { listRows } from '../../list.ts'
import { externalId, referenceParameter, shortText } from '../../property-schemas.ts'
import { type CollectionParts, collectionDocument } from './document.ts'
import { collectionProblems } from './problems.ts'
import { itemAnswer } from './rows.ts'
import { collectionColumns, collectionStatement } from './store.ts'

const orders: Orders = {
  createdAt: { column: sql`collections.created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`collections.updated_at`, type: 'timestamptz' },
  title: { column: sql`collections.title`, type: 'text' },
  id: { column: sql`collections.id`, type: 'uuid' },
}

export const collectionListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  type: z.enum(['MANUAL', 'RULE_BASED']).optional(),
  handle: shortText.optional(),
  externalId: externalId.optional(),
  product: referenceParameter('/api/products').optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

type Query = { query: typeof collectionListParameters }

function conditions({ type, handle, externalId: external, product, ...query }: Input<Query>['query']): SQL[] {
  return [
    ...(type === undefined ? [] : [sql`collections.type = ${type}`]),
    ...(handle === undefined ? [] : [sql`collections.handle = ${handle}`]),
    ...(external === undefined ? [] : [sql`collections.external_id = ${external}`]),
    ...(product === undefined
      ? []
      : [
          sql`collections.id in (select m.collection_id from product_collections m
            where m.tenant_id = current_tenant() and m.product_id = ${product}::uuid)`,
        ]),
    ...dateConditions('createdAt', sql`collections.created_at`, query),
    ...dateConditions('updatedAt', sql`collections.updated_at`, query),
  ]
}

/** Lists collections, newest first. */
export function listCollections(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { locale, outline } = context
  return listRows<CollectionParts>(context, query, {
    table: 'collections',
    orders,
    standard: [['createdAt', 'desc']],
    conditions: conditions(query),
    columns: collectionColumns(!locale.stored, outline),
    bytes: rowBytes(sql`translations`),
    document: (row) => collectionDocument(row, locale),
  })
}

/** Reads one collection. */
export async function getCollection(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { found } = await context.db.read({
    found: sequenced(collectionStatement(id, !context.locale.stored)),
  })
  const {
    rows: [own],
    sequence,
  } = found
  if (!own) throw collectionProblems.not_found({ id })
  return { ...itemAnswer(context, own), sequence }
}
