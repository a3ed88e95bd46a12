import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
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
import { texts } from '../../../db/rows.ts'
import { sequenceStatement } from '../../../db/sequence.ts'
import { topicsMatching } from '../../events/index.ts'
import { subscriptionStatement, topicText } from '../subscriptions/index.ts'
import { webhookProblems } from '../subscriptions/problems.ts'
import { type DeliveryParts, deliveryDocument } from './document.ts'
import { deliveryStatuses } from './schema.ts'
import { deliveriesOf, deliveryStatement, logStatement, outlinedColumns } from './store.ts'

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
  const { clock, subscriptions, totals, found } = await context.db.read({
    clock: sequenceStatement,
    subscriptions: subscriptionStatement(id),
    totals: totalStatement(true, '', all),
    found: statement<DeliveryParts & PageRow>(
      page.rows(outlinedColumns(context.outline), all, sql`coalesce(octet_length("includeFields"::text), 0)`),
    ),
  })
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  const { rows, paging } = page.read(found, totalOf(true, totals))
  return {
    kind: 'collection',
    members: rows.map((row) => deliveryDocument(row)),
    ...paging,
    sequence: clock[0]?.sequence ?? 0,
  }
}

/** Reads one delivery with the log of its attempts. */
export async function getDelivery(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const { clock, subscriptions, deliveries, log } = await context.db.read({
    clock: sequenceStatement,
    subscriptions: subscriptionStatement(id),
    deliveries: deliveryStatement(id, deliveryId),
    log: logStatement(deliveryId),
  })
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  const [found] = deliveries
  if (!found) throw webhookProblems.delivery_not_found({ id: deliveryId })
  const document = deliveryDocument(
    found,
    log.map(({ attempt }) => attempt),
  )
  return { kind: 'item', document, version: null, sequence: clock[0]?.sequence ?? 0 }
}
