import type * as z from 'zod'
import { log, noRequest } from '../../../core/log.ts'
import { counting } from '../../../db/client.ts'
import { deliver } from './deliver.ts'
import { fanOut, putBackEvents } from './fan-out.ts'
import { recordAt } from './offer-boundaries.ts'
import {
  type CrashPoint,
  deliveryMessage,
  type EventsMessage,
  eventsMessage,
  type Runtime,
} from './runtime.ts'
import { putBackDeliveries } from './take-due.ts'

/** Does work for each item, for so many at once at most, and rejects with the first failure. */
async function atMost<Item>(
  most: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // One iterator that all share: each item is taken by whoever is free.
  const left = items[Symbol.iterator]()
  const go = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: most }, go))
}

/** The consumers: whatever becomes of one tenant's messages, the others go their way. */

/** Messages as the platform hands them over. */
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
  readonly last: CrashPoint
}

/**
 * By the end of the queue's name. A dead message is the platform giving up; its work goes back to Postgres' own schedule,
 * where the next minute finds it.
 */
const consumers: Readonly<Record<string, Handler>> = {
  '-events': handler({
    message: eventsMessage,
    work: (runtime, tenant, messages) => workOff(runtime, tenant, messages),
    last: 'F4 before the acknowledgement of events',
  }),
  '-deliveries': handler({
    message: deliveryMessage,
    work: (runtime, tenant, messages) =>
      deliver(
        runtime,
        tenant,
        messages.map((each) => each.delivery),
      ),
    last: 'D4 before the acknowledgement of deliveries',
  }),
  '-events-dead': handler({
    message: eventsMessage,
    work: ({ database }, tenant, messages) =>
      database.open(tenant).write({ events: putBackEvents(messages.flatMap((each) => each.events)) }),
    last: 'Q1 dead message put back',
  }),
  '-deliveries-dead': handler({
    message: deliveryMessage,
    work: ({ database }, tenant, messages) =>
      database.open(tenant).write({ deliveries: putBackDeliveries(messages.map((each) => each.delivery)) }),
    last: 'Q1 dead message put back',
  }),
}

/** Records the boundaries for which workers were woken, and fans out events. */
async function workOff(runtime: Runtime, tenant: string, messages: readonly EventsMessage[]): Promise<void> {
  const moments = messages.flatMap(({ boundary }) => boundary ?? [])
  if (moments.length > 0) await recordAt(runtime, tenant, moments.toSorted().at(-1) ?? '')
  if (moments.length < messages.length) await fanOut(runtime, tenant)
}

/** Works off a batch of one of the queues. Never throws for a message's sake: each is acknowledged or comes again. */
export async function consume(batch: Batch, runtime: Runtime): Promise<void> {
  const found = Object.entries(consumers).find(([name]) => batch.queue.endsWith(name))
  if (!found) {
    const count = batch.messages.length
    log('message_unreadable', { ...noRequest, operation: 'consume' }, { queue: batch.queue, count })
    throw new Error(`no consumer for the queue ${batch.queue}`)
  }
  await found[1](batch, runtime)
}

/** An invocation has six connections that wait for an answer; a seventh would wait for one of them, its deadline running. */
export const tenantsAtOnce = 5

type Handler = (batch: Batch, runtime: Runtime) => Promise<void>

function handler<Message extends { tenant: string }>({ message, work, last }: Consumer<Message>): Handler {
  return async ({ queue, messages }, runtime) => {
    const read = messages.flatMap((received) => {
      const { data } = message.safeParse(received.body)
      // What is no message of ours says nothing that Postgres does not know.
      if (!data) received.ack()
      return data ? [{ received, data }] : []
    })
    const unread = messages.length - read.length
    if (unread > 0)
      log('message_unreadable', { ...noRequest, operation: 'consume' }, { queue, count: unread })
    const isDead = queue.endsWith('-dead')
    const tenants = Map.groupBy(read, ({ data }) => data.tenant)
    await atMost(tenantsAtOnce, tenants, async ([tenant, own]) => {
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
          own.map(({ data }) => data),
        )
        runtime.crash(last)
        for (const { received } of own) received.ack()
        if (isDead) log('messages_dead', about(), { queue, count: own.length })
      } catch (error) {
        const attempts = Math.max(...own.map(({ received }) => received.attempts))
        log('consumer_failed', about(), { queue, count: own.length, attempts }, error)
        for (const { received } of own) received.retry({ delaySeconds: delayOf(received.attempts) })
      }
    })
  }
}

/** Ten minutes without a database use up a few of a message's hundred lives. */
function delayOf(attempts: number): number {
  return Math.min(600, 5 * 2 ** Math.min(attempts - 1, 10))
}
