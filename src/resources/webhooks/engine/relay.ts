/** From Postgres to the queues: run after every write for its tenant, and every minute for those that have work. */
import { giveUpExhausted, takeWaiting, wake } from '../deliveries/index.ts'
import { deliver } from './deliver.ts'
import { fanOut } from './fan-out.ts'
import { eventsMessages } from './messages.ts'
import type { Outside } from './outside.ts'
import { send, wakeWorkers } from './send.ts'

/** What one round takes of one tenant, so that none keeps the others waiting. */
const eventsAtOnce = 500
const deliveriesAtOnce = 100

/**
 * Wakes workers for a tenant's events that wait to be fanned out and for its deliveries that are due; answers whether there
 * may be more. What is taken and never sent is found again a minute or two later. Without queues the work is done here.
 */
export async function relay(outside: Outside, tenantId: string): Promise<boolean> {
  const { crash } = outside
  const now = outside.now()
  crash('A1 committed')
  const [events, , due] = await outside.database
    .open(tenantId)
    .write(takeWaiting(now, eventsAtOnce), giveUpExhausted(now), wake(now, deliveriesAtOnce))
  if (events.length > 0) {
    crash('S1 events taken')
    if (outside.events) {
      const messages = eventsMessages(
        tenantId,
        events.map((each) => each.id),
        outside.limits.ids,
      )
      await send(outside.events, messages, outside, 'S2 between two sends of events')
    } else await fanOut(outside, tenantId)
    crash('A2 events sent')
  }
  if (due.length > 0) {
    crash('S3 deliveries taken')
    const ids = due.map((each) => each.id)
    if (!(await wakeWorkers(outside, tenantId, ids))) await deliver(outside, tenantId, ids)
  }
  return events.length === eventsAtOnce || due.length === deliveriesAtOnce
}
