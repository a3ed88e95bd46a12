import { metricsOf } from './core/metrics.ts'
import { openDatabase } from './db/client.ts'
import { type Bindings, callbacksOf, settingsOf } from './env.ts'
import { type Runtime, type Sender, sendLimits } from './resources/webhooks/dispatch/runtime.ts'

/** Logs of failed work then name the missing binding. `npm run doctor` checks a deployment for it. */
const missingQueue: Sender = {
  sendBatch: () => Promise.reject(new Error('The binding WORK is missing.')),
}

const runtimes = new WeakMap<Bindings, Runtime>()

/** The runtime of the webhook engine in a Worker with these bindings, created once. */
export function runtimeOf(bindings: Bindings): Runtime {
  const cachedRuntime = runtimes.get(bindings)
  if (cachedRuntime) return cachedRuntime
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, WORK, METRICS } = settingsOf(bindings)
  const runtime: Runtime = {
    database: openDatabase({ url: DATABASE_URL, fetchEndpoint: NEON_FETCH_ENDPOINT }),
    callbacks: callbacksOf(bindings),
    queue: WORK ?? missingQueue,
    background: null,
    limits: sendLimits,
    metrics: metricsOf(METRICS),
    now: () => new Date(),
    random: Math.random,
  }
  runtimes.set(bindings, runtime)
  return runtime
}
