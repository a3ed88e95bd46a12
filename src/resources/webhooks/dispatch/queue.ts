import type * as z from 'zod'
import { log, noRequest } from '../../../core/log.ts'
import { counting } from '../../../db/client.ts'
import { deliver } from './deliver.ts'
import { fanOut, putBackEvents } from './fan-out.ts'
import { recordAt } from './offer-boundaries.ts'
import { deliveryMessage, type EventsMessage, eventsMessage, type Runtime } from './runtime.ts'
import { putBackDeliveries } from './take-due.ts'

/** Processes items with limited concurrency. Rejects with the first failure. */
async function forEachConcurrently<Item>(
  concurrency: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // All workers share one iterator, so each item goes to the next free worker.
  const iterator = items[Symbol.iterator]()
  const processItems = async () => {
    for (let item = iterator.next(); !item.done; item = iterator.next()) await work(item.value)
  }
  await Promise.all(Array.from({ length: concurrency }, processItems))
}

/** A batch of messages as the platform passes it. */
export type Batch = {
  readonly queue: string
  readonly messages: readonly {
    readonly body: unknown
    /** From 1. */
    readonly attempts: number
    ack(): void
    retry(options: { delaySeconds: number }): void
  }[]
}

type Consumer<Message extends { tenant: string }> = {
  readonly message: z.ZodType<Message>
  readonly work: (runtime: Runtime, tenant: string, messages: readonly Message[]) => Promise<unknown>
}

/**
 * The consumers by the suffix of the queue's name. The platform moves a message to a dead-letter queue after
 * its last retry. Its work returns to the schedule in Postgres, where the cron finds it.
 */
const consumers: Readonly<Record<string, Handler>> = {
  '-events': handler({
    message: eventsMessage,
    work: (runtime, tenant, messages) => processEvents(runtime, tenant, messages),
  }),
  '-deliveries': handler({
    message: deliveryMessage,
    work: (runtime, tenant, messages) =>
      deliver(
        runtime,
        tenant,
        messages.map((message) => message.delivery),
      ),
  }),
  '-events-dead': handler({
    message: eventsMessage,
    work: ({ database }, tenant, messages) =>
      database.open(tenant).write({ events: putBackEvents(messages.flatMap((message) => message.events)) }),
  }),
  '-deliveries-dead': handler({
    message: deliveryMessage,
    work: ({ database }, tenant, messages) =>
      database
        .open(tenant)
        .write({ deliveries: putBackDeliveries(messages.map((message) => message.delivery)) }),
  }),
}

/** Records the boundaries in the messages, and fans out events. */
async function processEvents(
  runtime: Runtime,
  tenant: string,
  messages: readonly EventsMessage[],
): Promise<void> {
  const boundaries = messages.flatMap(({ boundary }) => boundary ?? [])
  if (boundaries.length > 0) await recordAt(runtime, tenant, boundaries.toSorted().at(-1) ?? '')
  if (boundaries.length < messages.length) await fanOut(runtime, tenant)
}

/**
 * Processes a batch of one of the queues. A failure of one tenant does not affect the others. Each message is
 * acknowledged or retried.
 */
export async function consume(batch: Batch, runtime: Runtime): Promise<void> {
  const consumer = Object.entries(consumers).find(([name]) => batch.queue.endsWith(name))
  if (!consumer) {
    const count = batch.messages.length
    log('message_unreadable', { ...noRequest, operation: 'consume' }, { queue: batch.queue, count })
    throw new Error(`no consumer for the queue ${batch.queue}`)
  }
  await consumer[1](batch, runtime)
}

/**
 * Maximum concurrency. An invocation has six connections that wait for a response. A seventh would wait for a
 * free one while its deadline runs.
 */
export const tenantsAtOnce = 5

type Handler = (batch: Batch, runtime: Runtime) => Promise<void>

function handler<Message extends { tenant: string }>({ message, work }: Consumer<Message>): Handler {
  return async ({ queue, messages }, runtime) => {
    const readable = messages.flatMap((received) => {
      const { data } = message.safeParse(received.body)
      // A message of another format contains nothing that Postgres does not have.
      if (!data) received.ack()
      return data ? [{ received, data }] : []
    })
    const unreadableCount = messages.length - readable.length
    if (unreadableCount > 0)
      log('message_unreadable', { ...noRequest, operation: 'consume' }, { queue, count: unreadableCount })
    const isDead = queue.endsWith('-dead')
    const tenants = Map.groupBy(readable, ({ data }) => data.tenant)
    await forEachConcurrently(tenantsAtOnce, tenants, async ([tenant, entries]) => {
      const started = performance.now()
      const database = counting(runtime.database)
      const about = () => ({
        ...noRequest,
        tenant,
        operation: 'consume',
        durationMs: performance.now() - started,
        statements: database.statements,
      })
      try {
        await work(
          { ...runtime, database },
          tenant,
          entries.map(({ data }) => data),
        )
        for (const { received } of entries) received.ack()
        if (isDead) log('messages_dead', about(), { queue, count: entries.length })
      } catch (error) {
        const attempts = Math.max(...entries.map(({ received }) => received.attempts))
        log('consumer_failed', about(), { queue, count: entries.length, attempts }, error)
        for (const { received } of entries) received.retry({ delaySeconds: delayOf(received.attempts) })
      }
    })
  }
}

/** Ten minutes without a database use up only a few of a message's hundred retries. */
function delayOf(attempts: number): number {
  return Math.min(600, 5 * 2 ** Math.min(attempts - 1, 10))
}
