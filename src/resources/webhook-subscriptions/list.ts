import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
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
import { shortText } from '../fields.ts'
import { type SubscriptionParts, subscriptionDocument } from './document.ts'
import { webhookProblems } from './problems.ts'
import { statuses } from './schema.ts'
import { subscriptionColumns, subscriptionStatement } from './store.ts'

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

function conditions(query: Input['query']): SQL[] {
  return [
    ...(query.topic === undefined ? [] : [sql`topic = ${query.topic}`]),
    ...(query.status === undefined ? [] : [sql`status = ${query.status}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists subscriptions: newest first, or by `updatedAt` upwards for those who follow changes. */
export async function listSubscriptions(context: Context, { query }: Input): Promise<Answer> {
  const page = planPage(query, context.url, orders, [['createdAt', 'desc']])
  const filters = conditions(query)
  const all = sql`from webhook_subscriptions where ${sql.join([sql`tenant_id = current_tenant()`, ...filters], sql` and `)}`
  const [clock, totals, found] = await context.db.read(
    sequenceStatement,
    totalStatement(filters.length > 0, 'webhook_subscriptions', all),
    statement<SubscriptionParts & { keys: string[] }>(
      sql`select ${subscriptionColumns}, ${page.keys} as keys ${all} and ${page.after} ${page.window}`,
    ),
  )
  const total = totalOf(filters.length > 0, totals)
  const { rows, view } = page.links(found, total)
  return {
    kind: 'collection',
    members: rows.map((row) => subscriptionDocument(row, context)),
    total: total ?? undefined,
    ...(view ? { view } : {}),
    sequence: clock[0]?.sequence ?? 0,
  }
}

/** Reads one subscription. */
export async function getSubscription(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const [clock, [found]] = await context.db.read(sequenceStatement, subscriptionStatement(id))
  if (!found) throw webhookProblems.subscription_not_found({ id })
  const document = subscriptionDocument(found, context)
  return { kind: 'item', document, version: found.version, sequence: clock[0]?.sequence ?? 0 }
}
