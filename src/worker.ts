import { createApp } from './app.ts'
import { type Bindings, callbacksOf } from './env.ts'
import { sweep as tidy } from './housekeeping.ts'
import { isolateOf } from './http/isolate.ts'
import { continueLocaleChanges } from './resources/locale-changes.ts'
import { continueRebuilds } from './resources/products/collections/rebuild.ts'
import { consume, relay, sweep } from './resources/webhooks/engine/index.ts'
import { runtimeOf } from './webhook-runtime.ts'

const app = createApp({
  afterWrite: (tenantId, bindings) => relay(runtimeOf(bindings), tenantId),
})

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env) => consume(batch, runtimeOf(env)),
  /** Called every minute: what was left undone goes on; once an hour, what is kept for a time only is let go of. */
  async scheduled({ scheduledTime }, env) {
    const now = new Date(scheduledTime)
    const { database } = isolateOf(env)
    const done = await Promise.allSettled([
      sweep(runtimeOf(env)),
      continueRebuilds(database),
      continueLocaleChanges(database, callbacksOf(env)),
      ...(now.getUTCMinutes() === 0 ? [tidy(database, now)] : []),
    ])
    for (const each of done) if (each.status === 'rejected') throw each.reason
  },
} satisfies ExportedHandler<Bindings>
