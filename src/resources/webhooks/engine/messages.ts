/** What queues carry: a tenant and ids, nothing else. A message only wakes a worker; what there is to do is in Postgres. */
import * as z from 'zod'
import { idPattern } from '../../../core/iri.ts'

const id = z.string().regex(idPattern)

/** Events of a tenant that wait to be fanned out, or a moment at which there are boundaries to record. */
export const eventsMessage = z.object({
  tenant: id,
  events: z.array(id),
  boundary: z.iso.datetime().optional(),
})
export type EventsMessage = z.infer<typeof eventsMessage>

/** A delivery that is due. */
export const deliveryMessage = z.object({ tenant: id, delivery: id })
export type DeliveryMessage = z.infer<typeof deliveryMessage>

/** Messages for a tenant's events, up to `idsAtOnce` in each. */
export function eventsMessages(
  tenant: string,
  events: readonly string[],
  idsAtOnce: number,
): EventsMessage[] {
  return Array.from({ length: Math.ceil(events.length / idsAtOnce) }, (_, index) => ({
    tenant,
    events: events.slice(index * idsAtOnce, (index + 1) * idsAtOnce),
  }))
}
