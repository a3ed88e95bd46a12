import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { listReading } from '../../../core/listing.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../../core/page.ts'
import { texts } from '../../../db/rows.ts'
import { sequenced } from '../../../db/sequence.ts'
import { topicsMatching } from '../../events/index.ts'
import { subscriptionStatement, topicText } from '../subscriptions/index.ts'
import { webhookProblems } from '../subscriptions/problems.ts'
import { type DeliveryParts, deliveryDocument } from './document.ts'
import { deliveryStatuses } from './schema.ts'
import { deliveriesOf, loggedStatement, outlinedColumns } from './store.ts'

const orders: Orders = {
  createdAt: { column: sql`d.created_at`, type: 'timestamptz' },
  id: { column: sql`d.id`, type: 'uuid' },
}

export const deliveryListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  status: z.enum(deliveryStatuses).optional(),
  topic: topicText.optional(),
  ...dateParameters('createdAt'),
}

type Query = { query: typeof deliveryListParameters }

function conditions(query: Input<Query>['query']): SQL[] {
  return [
    ...(query.status === undefined ? [] : [sql`d.status = ${query.status}`]),
    ...(query.topic === undefined ? [] : [sql`d.topic = any(${texts(topicsMatching(query.topic))})`]),
    ...dateConditions('createdAt', sql`d.created_at`, query),
  ]
}

/** Lists a subscription's deliveries, newest first, each with what came of its last attempt. */
export async function listDeliveries(
  context: Context,
  { params: { id }, query }: Input<Query & { params: 'id' }>,
): Promise<Answer> {
  const page = planPage(query, context.url, orders, [['createdAt', 'desc']])
  const all = sql`${sql.join([deliveriesOf(id), ...conditions(query)], sql` and `)}`
  const { subscriptions, list } = await context.db.read({
    subscriptions: subscriptionStatement(id),
    list: listReading<DeliveryParts>(page, {
      from: all,
      columns: outlinedColumns(context.outline),
      bytes: sql`coalesce(octet_length("includeFields"::text), 0)`,
      keptTotal: null,
    }),
  })
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  return {
    kind: 'collection',
    members: list.rows.map((row) => deliveryDocument(row)),
    ...list.paging,
    sequence: list.sequence,
  }
}

/** Reads one delivery with the log of its attempts. */
export async function getDelivery(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const { subscriptions, found } = await context.db.read({
    subscriptions: subscriptionStatement(id),
    found: sequenced(loggedStatement(id, deliveryId)),
  })
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  const {
    rows: [own],
    sequence,
  } = found
  if (!own) throw webhookProblems.delivery_not_found({ id: deliveryId })
  return { kind: 'item', document: deliveryDocument(own, own.log), version: null, sequence }
}
