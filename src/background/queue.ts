import { jointPerformerOf } from '../app.ts'
import { oncePer } from '../core/cache.ts'
import { log, noRequest, runInBackground } from '../core/log.ts'
import {
  backgroundLimit,
  type JobName,
  type Runtime,
  type Sender,
  sendLimits,
  type WorkMessage,
  workMessage,
} from '../core/work.ts'
import { counting, type Session } from '../db/client.ts'
import { type Bindings, callbacksOf, settingsOf } from '../env.ts'
import { builtMessages } from '../http/messages.ts'
import { serviceRuntimeOf } from '../http/runtime.ts'
import { deliver } from '../resources/webhooks/dispatch/deliver.ts'
import { fanOut, send } from '../resources/webhooks/dispatch/fan-out.ts'
import { recordAt, scheduleNearBoundaries } from '../resources/webhooks/dispatch/offer-boundaries.ts'
import { doubledDelay } from '../resources/webhooks/dispatch/schedule.ts'
import { storedPerformer } from './bulk-operations.ts'
import { jobs as allJobs, type Jobs } from './jobs.ts'

/** Logs of failed work then name the missing binding. `npm run doctor` checks a deployment for it. */
const missingQueue: Sender = {
  sendBatch: () => Promise.reject(new Error('The binding WORK is missing.')),
}

/** The runtime of background work in a Worker with these bindings, created once. */
export const runtimeOf = oncePer((bindings: Bindings): Runtime => {
  const { database, metrics } = serviceRuntimeOf(bindings)
  return {
    database,
    callbacks: callbacksOf(bindings),
    queue: settingsOf(bindings).WORK ?? missingQueue,
    perform: storedPerformer(bindings, jointPerformerOf(), builtMessages()),
    background: null,
    limits: sendLimits,
    metrics,
    now: () => new Date(),
    random: Math.random,
  }
})

/**
 * Runs after a write: fans out its events, schedules workers for boundaries within the next minutes, and starts bulk operations.
 */
export async function afterWrite(
  runtime: Runtime,
  tenantId: string,
  { hasNearSchedule, hasBulkOperation }: Session['followUp'],
): Promise<void> {
  await Promise.all([
    fanOut(runtime, tenantId),
    hasNearSchedule ? scheduleNearBoundaries(runtime, tenantId) : null,
    hasBulkOperation ? send(runtime, [{ body: { tenant: tenantId, job: 'bulkOperations' } }]) : null,
  ])
}

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

/** Milliseconds after which the jobs of a tenant leave the rest to other messages. The platform allows 30 s after a batch. */
const jobsMs = 20_000

/**
 * Does a tenant's jobs, one after the other. If more is left of one, sends a message for it. A failure is logged, and
 * the cron finds the work again.
 */
async function runJobs(
  runtime: Runtime,
  tenant: string,
  names: Iterable<JobName>,
  jobs: Jobs,
): Promise<void> {
  const end = runtime.now().getTime() + jobsMs
  const hasTime = () => runtime.now().getTime() < end
  for (const name of names) {
    const { event, operation, run } = jobs[name]
    await runInBackground(event, { operation, tenant }, runtime.database, async (database) => {
      const isLeft = !hasTime() || (await run({ ...runtime, database }, tenant, hasTime))
      if (isLeft) await send(runtime, [{ body: { tenant, job: name } }])
    }).catch(() => undefined)
  }
}

/** Tenants whose jobs continue in the background. Their batches are acknowledged, so `max_concurrency` does not limit them. */
const jobsInBackground = backgroundLimit<Promise<void>>({ count: 5, lifetimeMs: 2 * jobsMs })

/**
 * Does the work in a tenant's messages. Boundaries come first, because clients expect their events at that second. Jobs
 * continue after the messages are acknowledged, if the isolate has few in the background.
 */
async function processMessages(
  runtime: Runtime,
  tenant: string,
  messages: readonly WorkMessage[],
  jobs: Jobs,
): Promise<void> {
  const boundaries = messages.flatMap((message) => ('recordAt' in message ? message.recordAt : []))
  const deliveries = messages.flatMap((message) => ('delivery' in message ? message.delivery : []))
  const lastBoundary = boundaries.toSorted().at(-1)
  if (lastBoundary !== undefined) await recordAt(runtime, tenant, lastBoundary)
  if (messages.some((message) => 'fanOut' in message)) await fanOut(runtime, tenant)
  if (deliveries.length > 0) await deliver(runtime, tenant, [...new Set(deliveries)])
  const names = new Set(messages.flatMap((message) => ('job' in message ? message.job : [])))
  if (names.size === 0) return
  const work = runJobs(runtime, tenant, names, jobs)
  if (runtime.background && jobsInBackground.add([work], runtime.now()))
    runtime.background(work.finally(() => jobsInBackground.end(work)))
  else await work
}

/**
 * Maximum concurrency. An invocation has six connections that wait for a response. A seventh would wait for a
 * free one while its deadline runs.
 */
export const tenantsAtOnce = 5

/**
 * Processes a batch of messages. A failure of one tenant does not affect the others. Each message is acknowledged or retried. After its
 * last retry the platform drops it, and the cron finds its work in Postgres.
 */
export async function consume(
  { queue, messages }: Batch,
  runtime: Runtime,
  jobs: Jobs = allJobs,
): Promise<void> {
  const readable = messages.flatMap((received) => {
    const { data } = workMessage.safeParse(received.body)
    // A message of another format contains nothing that Postgres does not have.
    if (!data) received.ack()
    return data ? [{ received, data }] : []
  })
  const unreadableCount = messages.length - readable.length
  if (unreadableCount > 0)
    log('message_unreadable', { ...noRequest, operation: 'consume' }, { queue, count: unreadableCount })
  const tenants = Map.groupBy(readable, ({ data }) => data.tenant)
  await forEachConcurrently(tenantsAtOnce, tenants, async ([tenant, entries]) => {
    const started = performance.now()
    const database = counting(runtime.database)
    try {
      await processMessages(
        { ...runtime, database },
        tenant,
        entries.map(({ data }) => data),
        jobs,
      )
      for (const { received } of entries) received.ack()
    } catch (error) {
      const attempts = Math.max(...entries.map(({ received }) => received.attempts))
      const durationMs = performance.now() - started
      const about = {
        ...noRequest,
        tenant,
        operation: 'consume',
        durationMs,
        statements: database.statements,
      }
      log('consumer_failed', about, { queue, count: entries.length, attempts }, error)
      for (const { received } of entries)
        received.retry({ delaySeconds: doubledDelay('message', received.attempts - 1) / 1000 })
    }
  })
}
