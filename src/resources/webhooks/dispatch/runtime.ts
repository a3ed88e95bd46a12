import * as z from 'zod'
import { bytesOf } from '../../../core/document.ts'
import { idPattern } from '../../../core/iri.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { Callbacks } from '../../../core/operation.ts'
import type { Database } from '../../../db/client.ts'

/** The producer of a queue. */
export type Sender<Message> = {
  sendBatch(messages: Iterable<{ body: Message; delaySeconds?: number }>): Promise<unknown>
}

/** Limits of one sendBatch call. `ids` is the number of ids in one message. */
export type SendLimits = { readonly messages: number; readonly bytes: number; readonly ids: number }

/** The platform's limits are 100 messages and 256 kB. */
export const sendLimits: SendLimits = { messages: 100, bytes: 240_000, ids: 50 }

/**
 * The dependencies of the webhook engine: database, queues, clock, randomness and network. Tests replace
 * them.
 */
export type Runtime = {
  readonly database: Database
  readonly callbacks: Callbacks
  /** Null without queues. The work then runs at once. */
  readonly events: Sender<EventsMessage> | null
  readonly deliveries: Sender<DeliveryMessage> | null
  /** Continues work after the messages of a batch are acknowledged. Null if nothing keeps the worker alive for it. */
  readonly background: ((work: Promise<void>) => void) | null
  readonly limits: SendLimits
  readonly metrics: Metrics
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
}

const id = z.string().regex(idPattern)

/**
 * A queue message: events of a tenant that wait for their fan-out, or a boundary to record. Messages contain
 * only a tenant and ids. The worker that receives one reads its work from Postgres.
 */
export const eventsMessage = z.object({
  tenant: id,
  events: z.array(id),
  boundary: z.iso.datetime().optional(),
})
export type EventsMessage = z.infer<typeof eventsMessage>

/** A queue message: a delivery that is due. */
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

/**
 * Sends messages in the fewest batches that the platform allows. `delay` returns the seconds until a message
 * arrives.
 */
export async function send<Message>(
  queue: Sender<Message>,
  messages: readonly Message[],
  limits: SendLimits,
  delaySeconds?: number | ((message: Message) => number),
): Promise<void> {
  const delayOf = (message: Message) =>
    typeof delaySeconds === 'function' ? delaySeconds(message) : delaySeconds
  for (const chunk of chunks(messages, limits)) {
    await queue.sendBatch(
      chunk.map((body) => {
        const delay = delayOf(body)
        return { body, ...(delay === undefined ? {} : { delaySeconds: delay }) }
      }),
    )
  }
}

/** Sends a message for each delivery. Returns false without a queue. */
export async function sendDeliveries(
  runtime: Runtime,
  tenant: string,
  deliveries: readonly string[],
  delaySeconds?: number,
): Promise<boolean> {
  if (!runtime.deliveries) return false
  const messages = deliveries.map((delivery) => ({ tenant, delivery }))
  await send(runtime.deliveries, messages, runtime.limits, delaySeconds)
  return true
}

function chunks<Message>(messages: readonly Message[], limits: SendLimits): Message[][] {
  const all: Message[][] = []
  let bytes = 0
  for (const message of messages) {
    const size = bytesOf(JSON.stringify(message))
    const last = all.at(-1)
    if (last && last.length < limits.messages && bytes + size <= limits.bytes) {
      last.push(message)
      bytes += size
    } else {
      all.push([message])
      bytes = size
    }
  }
  return all
}
