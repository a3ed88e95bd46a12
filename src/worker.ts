import { createApp } from './app.ts'
import { type Bindings, settingsOf } from './env.ts'
import { sendJobs } from './jobs.ts'
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
  /** Runs every minute and finds unfinished work. Once an hour it also finds expired rows. */
  async scheduled({ scheduledTime }, env) {
    const isHour = new Date(scheduledTime).getUTCMinutes() === 0
    await sendJobs(runtimeOf(env), [
      'dispatch',
      'boundaries',
      'rebuild',
      'localeChange',
      ...(isHour ? (['housekeeping'] as const) : []),
    ])
    const { HEARTBEAT_URL } = settingsOf(env)
    // The monitor at this address reports a missing call.
    if (HEARTBEAT_URL)
      await fetch(HEARTBEAT_URL, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
  },
} satisfies ExportedHandler<Bindings>
