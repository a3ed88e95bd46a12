import { oncePer } from '../core/cache.ts'
import { metricsOf } from '../core/metrics.ts'
import { openDatabase } from '../db/client.ts'
import { type Bindings, callbacksOf, settingsOf } from '../env.ts'
import { type Runtime, type Sender, sendLimits } from '../resources/webhooks/dispatch/runtime.ts'

/** Logs of failed work then name the missing binding. `npm run doctor` checks a deployment for it. */
const missingQueue: Sender = {
  sendBatch: () => Promise.reject(new Error('The binding WORK is missing.')),
}

/** The runtime of the webhook engine in a Worker with these bindings, created once. */
export const runtimeOf = oncePer((bindings: Bindings): Runtime => {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, WORK, METRICS } = settingsOf(bindings)
  return {
    database: openDatabase({ url: DATABASE_URL, fetchEndpoint: NEON_FETCH_ENDPOINT }),
    callbacks: callbacksOf(bindings),
    queue: WORK ?? missingQueue,
    background: null,
    limits: sendLimits,
    metrics: metricsOf(METRICS),
    now: () => new Date(),
    random: Math.random,
  }
})
