import { oncePer } from '../core/cache.ts'
import { type Bindings, callbacksOf, settingsOf } from '../env.ts'
import { serviceRuntimeOf } from '../http/runtime.ts'
import { type Runtime, type Sender, sendLimits } from '../resources/webhooks/dispatch/runtime.ts'

/** Logs of failed work then name the missing binding. `npm run doctor` checks a deployment for it. */
const missingQueue: Sender = {
  sendBatch: () => Promise.reject(new Error('The binding WORK is missing.')),
}

/** The runtime of the webhook engine in a Worker with these bindings, created once. */
export const runtimeOf = oncePer((bindings: Bindings): Runtime => {
  const { database, metrics } = serviceRuntimeOf(bindings)
  return {
    database,
    callbacks: callbacksOf(bindings),
    queue: settingsOf(bindings).WORK ?? missingQueue,
    background: null,
    limits: sendLimits,
    metrics,
    now: () => new Date(),
    random: Math.random,
  }
})
