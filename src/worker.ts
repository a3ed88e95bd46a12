import { createApp } from './app.ts'
import { runInBackground } from './core/log.ts'
import { type Bindings, callbacksOf } from './env.ts'
import { runHousekeeping } from './housekeeping.ts'
import { serviceRuntimeOf } from './http/runtime.ts'
import { continueRebuilds } from './resources/collections/rebuild.ts'
import { continueLocaleChanges } from './resources/shared/locale-changes.ts'
import { dispatchAllTenants } from './resources/webhooks/dispatch/fan-out.ts'
import { afterWrite, sweepBoundaries } from './resources/webhooks/dispatch/offer-boundaries.ts'
import { consume } from './resources/webhooks/dispatch/queue.ts'
import { runtimeOf } from './webhook-runtime.ts'

const app = createApp({
  afterWrite: (tenantId, bindings, database, soon) =>
    afterWrite({ ...runtimeOf(bindings), database }, tenantId, soon),
})

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env, context) =>
    consume(batch, { ...runtimeOf(env), background: (work) => context.waitUntil(work) }),
  /** Called every minute: what was left undone goes on; once an hour, what is kept for a time only is let go of. */
  async scheduled({ scheduledTime }, env) {
    const now = new Date(scheduledTime)
    const { database } = serviceRuntimeOf(env)
    const runtime = runtimeOf(env)
    const done = await Promise.allSettled([
      runInBackground('sweep_failed', { operation: 'sweep' }, runtime.database, (each) =>
        dispatchAllTenants({ ...runtime, database: each }),
      ),
      runInBackground('sweep_failed', { operation: 'boundaries' }, runtime.database, (each) =>
        sweepBoundaries({ ...runtime, database: each }),
      ),
      runInBackground('rebuild_failed', { operation: 'rebuild' }, database, continueRebuilds),
      runInBackground('locale_change_failed', { operation: 'locale change' }, database, (each) =>
        continueLocaleChanges(each, callbacksOf(env)),
      ),
      ...(now.getUTCMinutes() === 0
        ? [
            runInBackground('housekeeping_failed', { operation: 'housekeeping' }, database, (each) =>
              runHousekeeping(each, now),
            ),
          ]
        : []),
    ])
    for (const each of done) if (each.status === 'rejected') throw each.reason
  },
} satisfies ExportedHandler<Bindings>
