import { createApp } from './app.ts'
import { runCron } from './background/jobs.ts'
import { afterWrite, consume } from './background/queue.ts'
import { runtimeOf } from './background/runtime.ts'
import { type Bindings, settingsOf } from './env.ts'
import { serviceRuntimeOf } from './http/runtime.ts'

export { WakeUp } from './resources/wake-up.ts'

const app = createApp({
  afterWrite: (tenantId, bindings, database, soon) =>
    afterWrite({ ...runtimeOf(bindings), database }, tenantId, soon),
})

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env, context) =>
    consume(batch, { ...runtimeOf(env), background: (work) => context.waitUntil(work) }),
  async scheduled({ scheduledTime }, env) {
    await runCron(runtimeOf(env), serviceRuntimeOf(env).wakeUp, new Date(scheduledTime))
    const { HEARTBEAT_URL } = settingsOf(env)
    // The monitor at this address reports a missing call.
    if (HEARTBEAT_URL)
      await fetch(HEARTBEAT_URL, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
  },
} satisfies ExportedHandler<Bindings>
