import { createApp } from './app.ts'
import { runInBackground } from './core/log.ts'
import { type Bindings, callbacksOf } from './env.ts'
import { runHousekeeping } from './housekeeping.ts'
import { serviceRuntimeOf } from './http/runtime.ts'
import { continueRebuilds } from './resources/collections/rebuild.ts'
import { continueLocaleChanges } from './resources/locale-changes.ts'
import { dispatchAllTenants } from './resources/webhooks/dispatch/fan-out.ts'
import { recordAllBoundaries } from './resources/webhooks/dispatch/offer-boundaries.ts'
import { afterWrite, consume } from './resources/webhooks/dispatch/queue.ts'
import { runtimeOf } from './webhook-runtime.ts'

const app = createApp({
  afterWrite: (tenantId, bindings, database, soon) =>
    afterWrite({ ...runtimeOf(bindings), database }, tenantId, soon),
})

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env, context) =>
    consume(batch, { ...runtimeOf(env), background: (work) => context.waitUntil(work) }),
  /** Runs every minute and continues unfinished work. Once an hour it also deletes expired rows. */
  async scheduled({ scheduledTime }, env) {
    const now = new Date(scheduledTime)
    const { database } = serviceRuntimeOf(env)
    const runtime = runtimeOf(env)
    const results = await Promise.allSettled([
      runInBackground('cron_failed', { operation: 'dispatch' }, runtime.database, (database) =>
        dispatchAllTenants({ ...runtime, database: database }),
      ),
      runInBackground('cron_failed', { operation: 'boundaries' }, runtime.database, (database) =>
        recordAllBoundaries({ ...runtime, database: database }),
      ),
      runInBackground('rebuild_failed', { operation: 'rebuild' }, database, continueRebuilds),
      runInBackground('locale_change_failed', { operation: 'locale change' }, database, (database) =>
        continueLocaleChanges(database, callbacksOf(env)),
      ),
      ...(now.getUTCMinutes() === 0
        ? [
            runInBackground('housekeeping_failed', { operation: 'housekeeping' }, database, (database) =>
              runHousekeeping(database, now),
            ),
          ]
        : []),
    ])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  },
} satisfies ExportedHandler<Bindings>
