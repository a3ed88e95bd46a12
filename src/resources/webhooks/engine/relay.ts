/** From Postgres to the queues: run after every write for its tenant, and every minute for those that have work. */
import { log, noRequest } from '../../../core/log.ts'
import { deliver } from './deliver.ts'
import { fanOut } from './fan-out.ts'
import { eventsMessages } from './messages.ts'
import type { Runtime } from './runtime.ts'
import { send, wakeWorkers } from './send.ts'
import { takeWaiting } from './waiting-events.ts'
import { giveUpExhausted, wake } from './wake.ts'

/** What one round takes of one tenant, so that none keeps the others waiting. */
const eventsAtOnce = 500
const deliveriesAtOnce = 100

/**
 * Wakes workers for a tenant's events that wait to be fanned out and for its deliveries that are due; answers whether there
 * may be more. What is taken and never sent is found again a minute or two later. Without queues the work is done here.
 */
export async function relay(runtime: Runtime, tenantId: string): Promise<boolean> {
  const { crash } = runtime
  const now = runtime.now()
  crash('A1 committed')
  const session = runtime.database.open(tenantId)
  const { events, exhausted, due } = await session.write({
    events: takeWaiting(now, eventsAtOnce),
    exhausted: giveUpExhausted(now),
    due: wake(now, deliveriesAtOnce),
  })
  for (const { id, payloadVersion, ...delivery } of exhausted) {
    const about = { ...noRequest, tenant: tenantId, operation: 'relay', version: payloadVersion }
    log(
      'delivery_given_up',
      { ...about, statements: session.spent.statements },
      {
        ...{ subscription: delivery.subscriptionId, delivery: id, eventId: delivery.eventId },
        ...{ topic: delivery.topic, attempts: delivery.attempts, reason: 'unheard_of', httpStatus: null },
      },
    )
  }
  if (events.length > 0) {
    crash('S1 events taken')
    if (runtime.events) {
      const messages = eventsMessages(
        tenantId,
        events.map((each) => each.id),
        runtime.limits.ids,
      )
      await send(runtime.events, messages, runtime, 'S2 between two sends of events')
    } else await fanOut(runtime, tenantId)
    crash('A2 events sent')
  }
  if (due.length > 0) {
    crash('S3 deliveries taken')
    const ids = due.map((each) => each.id)
    if (!(await wakeWorkers(runtime, tenantId, ids))) await deliver(runtime, tenantId, ids)
  }
  return events.length === eventsAtOnce || due.length === deliveriesAtOnce
}
