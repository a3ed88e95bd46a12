import { createApp } from './app.ts'
import type { Bindings } from './env.ts'
import { sweep } from './housekeeping.ts'
import { isolateOf } from './http/isolate.ts'

const app = createApp()

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  /** Nothing is sent to a queue yet; what arrives all the same stays there for the code that knows it. */
  async queue(batch) {
    for (const message of batch.messages) message.retry()
  },
  /** Called every minute; what is kept for a time only is let go of once an hour. */
  async scheduled({ scheduledTime }, env) {
    const now = new Date(scheduledTime)
    if (now.getUTCMinutes() === 0) await sweep(isolateOf(env).database, now)
  },
} satisfies ExportedHandler<Bindings>
