import { createApp } from './app.ts'
import { runCron } from './background/jobs.ts'
import { afterWrite, consume, runtimeOf } from './background/queue.ts'
import { wakeUpOf } from './core/wake-up.ts'
import { type Bindings, settingsOf } from './env.ts'
import { serviceRuntimeOf } from './http/runtime.ts'

export { WakeUp } from './core/wake-up.ts'

const app = createApp({
  afterWrite: (tenantId, bindings, database, followUp) =>
    afterWrite({ ...runtimeOf(bindings), database }, tenantId, followUp),
})

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env, context) =>
    consume(batch, { ...runtimeOf(env), background: (work) => context.waitUntil(work) }),
  async scheduled({ scheduledTime }, env) {
    const { ENVIRONMENT, HEARTBEAT_URL } = settingsOf(env)
    // A developer's database need not sleep, and the commands that change it announce nothing.
    const wakeUp = ENVIRONMENT === 'local' ? wakeUpOf(undefined) : serviceRuntimeOf(env).wakeUp
    await runCron(runtimeOf(env), wakeUp, new Date(scheduledTime))
    // The monitor at this address reports a missing call.
    if (HEARTBEAT_URL)
      await fetch(HEARTBEAT_URL, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
  },
} satisfies ExportedHandler<Bindings>
