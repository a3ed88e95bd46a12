import { runInBackground } from './core/log.ts'
import { scheduledAheadMs } from './core/plan.ts'
import { tenantsChangingLocales, tenantsRebuilding } from './db/tenants.ts'
import { continueRebuilds } from './resources/collections/rebuild.ts'
import { cleanTenant, tenantsToClean } from './resources/housekeeping.ts'
import { changeLocales } from './resources/locale-changes.ts'
import { tenantsWithBoundaries } from './resources/sale-offers/boundaries.ts'
import { dispatchTenant, send, tenantsWithWork } from './resources/webhooks/dispatch/fan-out.ts'
import { recordDueBoundaries } from './resources/webhooks/dispatch/offer-boundaries.ts'
import type { JobName, Jobs, Runtime } from './resources/webhooks/dispatch/runtime.ts'

/** The jobs of the cron. Two workers may do the same job of a tenant at once: each piece of work is reserved or compared. */
export const jobs: Jobs = {
  dispatch: {
    event: 'cron_failed',
    operation: 'dispatch',
    tenants: tenantsWithWork,
    async run(runtime, tenantId) {
      await dispatchTenant(runtime, tenantId)
      return false
    },
  },
  boundaries: {
    event: 'cron_failed',
    operation: 'boundaries',
    tenants: (now, after, limit) =>
      tenantsWithBoundaries(new Date(now.getTime() + scheduledAheadMs), after, limit),
    run: (runtime, tenantId, until) => recordDueBoundaries(runtime, tenantId, until, true),
  },
  rebuild: {
    event: 'rebuild_failed',
    operation: 'rebuild',
    tenants: (_, after, limit) => tenantsRebuilding(after, limit),
    run: ({ database }, tenantId, until) => continueRebuilds(database.open(tenantId), until),
  },
  localeChange: {
    event: 'locale_change_failed',
    operation: 'locale change',
    tenants: (_, after, limit) => tenantsChangingLocales(after, limit),
    run: ({ database, callbacks }, tenantId, until) =>
      changeLocales(database.open(tenantId), callbacks, until),
  },
  housekeeping: {
    event: 'housekeeping_failed',
    operation: 'housekeeping',
    tenants: tenantsToClean,
    run: ({ database, now }, tenantId, until) => cleanTenant(database.open(tenantId), now(), until),
  },
}

/** Tenants of one read. Each has one message. */
const tenantsAtOnce = 1000

/**
 * Sends a message for each tenant with due work to the queue, so that all workers share the work. The cron calls it
 * every minute. A failure is logged, and the next call repeats it. @throws the first failure, after all jobs
 */
export async function sendJobs(runtime: Runtime, names: readonly JobName[]): Promise<void> {
  const results = await Promise.allSettled(
    names.map((name) => {
      const { event, operation } = runtime.jobs[name]
      return runInBackground(event, { operation }, runtime.database, (database) =>
        sendJob({ ...runtime, database }, name),
      )
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function sendJob(runtime: Runtime, name: JobName): Promise<void> {
  for (let after: string | null = null; ; ) {
    const tenants: readonly { id: string }[] = await runtime.database
      .open(null)
      .read({ tenants: runtime.jobs[name].tenants(runtime.now(), after, tenantsAtOnce) })
      .then((result) => result.tenants)
    await send(
      runtime,
      tenants.map(({ id }) => ({ body: { tenant: id, job: name } })),
    )
    after = tenants.at(-1)?.id ?? null
    if (tenants.length < tenantsAtOnce) return
  }
}
