import { createApp } from './app.ts'
import type { Bindings } from './env.ts'
import { sweep as tidy } from './housekeeping.ts'
import { isolateOf } from './http/isolate.ts'
import { outsideOf } from './webhooks/outside.ts'
import { consume } from './webhooks/queue.ts'
import { relay } from './webhooks/relay.ts'
import { sweep } from './webhooks/sweep.ts'

const app = createApp(undefined, undefined, undefined, (tenantId, bindings) =>
  relay(outsideOf(bindings), tenantId),
)

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env) => consume(batch, outsideOf(env)),
  /** Called every minute; what is kept for a time only is let go of once an hour. */
  async scheduled({ scheduledTime }, env) {
    const now = new Date(scheduledTime)
    if (now.getUTCMinutes() === 0) await tidy(isolateOf(env).database, now)
    await sweep(outsideOf(env))
  },
} satisfies ExportedHandler<Bindings>
