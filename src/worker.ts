import { createApp } from './app.ts'
import { watched } from './core/watched.ts'
import { type Bindings, callbacksOf } from './env.ts'
import { tidy } from './housekeeping.ts'
import { isolateOf } from './http/isolate.ts'
import { continueLocaleChanges } from './resources/locale-changes.ts'
import { continueRebuilds } from './resources/products/collections/rebuild.ts'
import { afterWrite, consume, sweep, sweepBoundaries } from './resources/webhooks/engine/index.ts'
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
    const { database } = isolateOf(env)
    const runtime = runtimeOf(env)
    const done = await Promise.allSettled([
      watched('sweep_failed', { operation: 'sweep' }, runtime.database, (each) =>
        sweep({ ...runtime, database: each }),
      ),
      watched('sweep_failed', { operation: 'boundaries' }, runtime.database, (each) =>
        sweepBoundaries({ ...runtime, database: each }),
      ),
      watched('rebuild_failed', { operation: 'rebuild' }, database, continueRebuilds),
      watched('locale_change_failed', { operation: 'locale change' }, database, (each) =>
        continueLocaleChanges(each, callbacksOf(env)),
      ),
      ...(now.getUTCMinutes() === 0
        ? [watched('housekeeping_failed', { operation: 'housekeeping' }, database, (each) => tidy(each, now))]
        : []),
    ])
    for (const each of done) if (each.status === 'rejected') throw each.reason
  },
} satisfies ExportedHandler<Bindings>
