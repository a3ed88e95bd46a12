/** What a delivery carries: the body of its own event, whatever happened to the resource since. None is kept, so it is rendered anew. */
import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { Sight } from '../../../core/sight.ts'
import { gathered } from '../../../db/reading.ts'
import { type EventRow, eventsOf, eventsReadingBeside, type History } from '../../events/index.ts'
import { embeddedOnItem } from '../../products/index.ts'
import { payloadOf, webhookId } from '../engine/index.ts'
import { subscriptionStatement } from '../subscriptions/index.ts'
import { webhookSubscriptionIri } from '../subscriptions/iri.ts'
import { webhookProblems } from '../subscriptions/problems.ts'
import { webhookDeliveryBody as shape } from './schema.ts'
import { deliveriesOf, type Sent, sentStatement } from './store.ts'

/** Shows the body of a delivery, of which the caller sees no more than it may read. */
export async function getDeliveryBody(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const sequences = sql`select d.event_sequence ${deliveriesOf(id)} and d.id = ${deliveryId}::uuid`
  const asked = { sequences, most: 1, embeddedVariants: embeddedOnItem, now: context.now }
  const log = gathered({
    subscriptions: subscriptionStatement(id),
    deliveries: sentStatement(id, deliveryId),
  })
  const { found } = await context.db.read({ found: eventsReadingBeside(asked, log) })
  const { subscriptions, deliveries } = found.beside
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  const [sent] = deliveries
  if (!sent) throw webhookProblems.delivery_not_found({ id: deliveryId })
  const { rows, history, sequence } = await eventsOf(found.events, asked, context.db.read)
  const subscription = webhookSubscriptionIri(id)
  const delivery = `${subscription}/deliveries/${deliveryId}`
  const document = {
    '@id': `${delivery}/body`,
    '@type': shape.type,
    subscription,
    delivery,
    webhookId: webhookId(sent.eventId, id),
    ...shown(context, sent, rows[0], history),
  }
  return { kind: 'item', document, version: null, sequence }
}

function shown({ sight, tenant }: Context, sent: Sent, event: EventRow | undefined, history: History) {
  if (!event) return { body: null, error: 'event_expired' }
  const scopes = Sight.from(sent.scopes).within(sight).grants
  const { body, fault } = payloadOf(event, history, { ...sent, scopes }, tenant.locales)
  return { body, error: fault ?? (body === null ? 'event_expired' : null) }
}
