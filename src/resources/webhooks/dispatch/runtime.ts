import * as z from 'zod'
import { bytesOf } from '../../../core/document.ts'
import { idPattern } from '../../../core/iri.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { Callbacks } from '../../../core/operation.ts'
import type { Database } from '../../../db/client.ts'

/** The producer of the queue. */
export type Sender = {
  sendBatch(messages: Iterable<{ body: WorkMessage; delaySeconds?: number }>): Promise<unknown>
}

/** Limits of one sendBatch call. */
export type SendLimits = { readonly messages: number; readonly bytes: number }

/** The platform's limits are 100 messages and 256 kB. */
export const sendLimits: SendLimits = { messages: 100, bytes: 240_000 }

/**
 * The dependencies of the webhook engine: database, queue, clock, randomness and network. Tests replace
 * them.
 */
export type Runtime = {
  readonly database: Database
  readonly callbacks: Callbacks
  /** Null without a queue. The work then runs at once. */
  readonly queue: Sender | null
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
 * A message of the queue: a delivery that is due, events to fan out, or an offer boundary to record. The worker that receives it reads
 * its work from Postgres. A message has one delivery, so that the size of a batch bounds the attempts of an invocation, which has six
 * connections.
 */
export const workMessage = z.union([
  z.object({ tenant: id, delivery: id }),
  z.object({ tenant: id, fanOut: z.literal(true) }),
  z.object({ tenant: id, recordAt: z.iso.datetime() }),
])
export type WorkMessage = z.infer<typeof workMessage>

/**
 * Sends messages in the fewest batches that the platform allows. `delayOf` returns the seconds until a message arrives.
 */
export async function send(
  queue: Sender,
  messages: readonly WorkMessage[],
  limits: SendLimits,
  delayOf: (message: WorkMessage) => number | undefined = () => undefined,
): Promise<void> {
  for (const chunk of chunks(messages, limits)) {
    await queue.sendBatch(
      chunk.map((body) => {
        const delaySeconds = delayOf(body)
        return { body, ...(delaySeconds !== undefined && { delaySeconds }) }
      }),
    )
  }
}

/** Sends a message for each delivery. Returns false without a queue. */
export async function sendDeliveries(
  { queue, limits }: Runtime,
  tenant: string,
  deliveries: readonly string[],
  delaySeconds?: number,
): Promise<boolean> {
  if (!queue) return false
  const messages = deliveries.map((delivery) => ({ tenant, delivery }))
  await send(queue, messages, limits, () => delaySeconds)
  return true
}

function chunks(messages: readonly WorkMessage[], limits: SendLimits): WorkMessage[][] {
  const all: WorkMessage[][] = []
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
