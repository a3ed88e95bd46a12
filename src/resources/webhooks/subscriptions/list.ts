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
import { sequenced } from '../../../db/sequence.ts'
import { listRows } from '../../list.ts'
import { shortText } from '../../property-schemas.ts'
import { type SubscriptionParts, subscriptionDocument } from './document.ts'
import { webhookProblems } from './problems.ts'
import { statuses } from './schema.ts'
import { outlinedColumns, subscriptionStatement } from './store.ts'

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  id: { column: sql`id`, type: 'uuid' },
}

export const subscriptionListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  topic: shortText.optional(),
  status: z.enum(statuses).optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

type Query = { query: typeof subscriptionListParameters }

function conditions(query: Input<Query>['query']): SQL[] {
  return [
    ...(query.topic === undefined ? [] : [sql`topic = ${query.topic}`]),
    ...(query.status === undefined ? [] : [sql`status = ${query.status}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists subscriptions: newest first, or by `updatedAt` upwards for those who follow changes. */
export function listSubscriptions(context: Context, { query }: Input<Query>): Promise<Answer> {
  return listRows<SubscriptionParts>(context, query, {
    table: 'webhook_subscriptions',
    orders,
    standard: [['createdAt', 'desc']],
    conditions: conditions(query),
    columns: outlinedColumns(context.outline),
    document: (row) => subscriptionDocument(row, context),
  })
}

/** Reads one subscription. */
export async function getSubscription(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { found } = await context.db.read({ found: sequenced(subscriptionStatement(id)) })
  const {
    rows: [own],
    sequence,
  } = found
  if (!own) throw webhookProblems.subscription_not_found({ id })
  return { kind: 'item', document: subscriptionDocument(own, context), version: own.version, sequence }
}
