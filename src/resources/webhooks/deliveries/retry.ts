import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { write } from '../../../core/write.ts'
import { statement } from '../../../db/client.ts'
import { scopesOfTopic } from '../../events/index.ts'
import { demandAimed, subscriptionStatement } from '../subscriptions/index.ts'
import { webhookProblems } from '../subscriptions/problems.ts'
import { type DeliveryParts, deliveryDocument } from './document.ts'
import { deliveryStatement, isIdle, opened } from './store.ts'

/**
 * Opens a delivery anew, whatever became of it, and has it sent at once under its old id. One that is being sent at this
 * moment stays as it is.
 */
export async function retryDelivery(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const moment = context.now.toISOString()
  const written = await write<DeliveryParts, DeliveryParts>(context, 'retryDelivery', async (read) => {
    const { subscriptions, deliveries } = await read({
      subscriptions: subscriptionStatement(id),
      deliveries: deliveryStatement(id, deliveryId),
    })
    const [subscription] = subscriptions
    const [found] = deliveries
    if (!subscription) throw webhookProblems.subscription_not_found({ id })
    if (!found) throw webhookProblems.delivery_not_found({ id: deliveryId })
    context.demand(scopesOfTopic(found.topic))
    demandAimed(context, subscription)
    if (subscription.status === 'DISABLED') throw webhookProblems.disabled()
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: null }],
      statements: [
        statement(sql`update webhook_deliveries d set ${opened(context.now)}
          where d.tenant_id = current_tenant() and d.id = ${deliveryId}::uuid and ${isIdle(moment)}`),
      ],
      settled: deliveryStatement(id, deliveryId),
      changed: [],
      totals: {},
      result: found,
      refusals: {},
    }
  })
  const [after = written.result] = written.settled
  return { kind: 'item', document: deliveryDocument(after), version: null, replayed: written.replayed }
}
