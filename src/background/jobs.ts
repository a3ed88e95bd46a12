import { runInBackground, type WorkEvent } from '../core/log.ts'
import { scheduledAheadMs } from '../core/plan.ts'
import type { WakeUpCalls } from '../core/wake-up.ts'
import { type JobName, jobName, type Runtime } from '../core/work.ts'
import type { Statement } from '../db/query.ts'
import { tenantsChangingLocales, tenantsRebuilding } from '../db/tenants.ts'
import { continueRebuilds } from '../resources/collections/rebuild.ts'
import { cleanTenant, gaugesAt, nextDue, tenantsToClean } from '../resources/housekeeping.ts'
import { changeLocales } from '../resources/locale-changes.ts'
import { continuePrices } from '../resources/prices/price-rebuild.ts'
import { tenantsWithBoundaries } from '../resources/sale-offers/boundaries.ts'
import { dispatchTenant, send, tenantsWithWork } from '../resources/webhooks/dispatch/fan-out.ts'
import { recordDueBoundaries } from '../resources/webhooks/dispatch/offer-boundaries.ts'
import { continueBulkOperations, tenantsWithBulkOperations } from './bulk-operations.ts'

/** Recurring work of each tenant. The cron sends a message for each tenant whose work is due. */
export type Job = {
  readonly every: 'minute' | 'hour'
  /** The log line of a failure, and the operation that the line names. */
  readonly event: WorkEvent
  readonly operation: string
  /** Selects tenants whose work is due, after an id and in order. */
  readonly tenants: (now: Date, after: string | null, limit: number) => Statement<{ id: string }>
  /** Does the due work of a tenant, in steps, while it has time. Returns whether more is due. */
  readonly run: (runtime: Runtime, tenantId: string, hasTime: () => boolean) => Promise<boolean>
}
export type Jobs = Readonly<Record<JobName, Job>>

/** All jobs. Two workers may do the same job of a tenant at once: each piece of work is reserved or compared. */
export const jobs: Jobs = {
  dispatch: {
    every: 'minute',
    event: 'cron_failed',
    operation: 'dispatch',
    tenants: tenantsWithWork,
    async run(runtime, tenantId) {
      await dispatchTenant(runtime, tenantId)
      return false
    },
  },
  boundaries: {
    every: 'minute',
    event: 'cron_failed',
    operation: 'boundaries',
    tenants: (now, after, limit) =>
      tenantsWithBoundaries(new Date(now.getTime() + scheduledAheadMs), after, limit),
    run: (runtime, tenantId, hasTime) => recordDueBoundaries(runtime, tenantId, hasTime, true),
  },
  rebuild: {
    every: 'minute',
    event: 'rebuild_failed',
    operation: 'rebuild',
    tenants: (_, after, limit) => tenantsRebuilding(after, limit),
    async run({ database }, tenantId, hasTime) {
      const db = database.open(tenantId)
      const [hasCollections, hasPrices] = [
        await continueRebuilds(db, hasTime),
        await continuePrices(db, hasTime),
      ]
      return hasCollections || hasPrices
    },
  },
  localeChange: {
    every: 'minute',
    event: 'locale_change_failed',
    operation: 'locale change',
    tenants: (_, after, limit) => tenantsChangingLocales(after, limit),
    run: ({ database, callbacks }, tenantId, hasTime) =>
      changeLocales(database.open(tenantId), callbacks, hasTime),
  },
  bulkOperations: {
    every: 'minute',
    event: 'bulk_operation_failed',
    operation: 'bulk operations',
    tenants: (_, after, limit) => tenantsWithBulkOperations(after, limit),
    run: continueBulkOperations,
  },
  housekeeping: {
    every: 'hour',
    event: 'housekeeping_failed',
    operation: 'housekeeping',
    tenants: tenantsToClean,
    run: ({ database, now }, tenantId, hasTime) => cleanTenant(database.open(tenantId), now(), hasTime),
  },
}

/** Tenants of one read. Each has one message. */
const tenantsAtOnce = 1000

/**
 * The cron of each minute: sends the jobs, unless nothing can be due. It stores when work is due next, and the gauges for the time until
 * then. @throws the first failure, after all jobs
 */
export async function runCron(runtime: Runtime, wakeUp: WakeUpCalls, minute: Date): Promise<void> {
  const { database, now } = runtime
  const run = await wakeUp.begin(now())
  if (run === null) return
  const { began, lastRun } = run
  // The cron may have had nothing to do at the full hour.
  const isHour = lastRun === null ? minute.getUTCMinutes() === 0 : hourOf(lastRun) !== hourOf(began)
  await sendJobs(runtime, isHour)
  const { next, gauges } = await runInBackground(
    'cron_failed',
    { operation: 'next due' },
    database,
    (counted) => counted.open(null).read({ next: nextDue(scheduledAheadMs), gauges: gaugesAt(now()) }),
  )
  const [{ due } = { due: null }] = next
  await wakeUp.finish({ began, due, gauges })
}

const hourOf = (time: number) => Math.floor(time / 3_600_000)

/**
 * Sends a message for each tenant with due work to the queue, so that all workers share the work. A failure is logged, and the next
 * run of the cron repeats it. @throws the first failure, after all jobs
 */
export async function sendJobs(runtime: Runtime, isHour: boolean, from: Jobs = jobs): Promise<void> {
  const names = jobName.options.filter((name) => isHour || from[name].every === 'minute')
  const results = await Promise.allSettled(
    names.map((name) => {
      const { event, operation } = from[name]
      return runInBackground(event, { operation }, runtime.database, (database) =>
        sendJob({ ...runtime, database }, name, from[name]),
      )
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function sendJob(runtime: Runtime, name: JobName, job: Job): Promise<void> {
  for (let after: string | null = null; ; ) {
    const tenants: readonly { id: string }[] = await runtime.database
      .open(null)
      .read({ tenants: job.tenants(runtime.now(), after, tenantsAtOnce) })
      .then((result) => result.tenants)
    await send(
      runtime,
      tenants.map(({ id }) => ({ body: { tenant: id, job: name } })),
    )
    after = tenants.at(-1)?.id ?? null
    if (tenants.length < tenantsAtOnce) return
  }
}
