import { type Lru, oncePer } from '../core/cache.ts'
import { type Metrics, metricsOf } from '../core/metrics.ts'
import { type WakeUpCalls, wakeUpOf } from '../core/wake-up.ts'
import { type Database, openDatabase } from '../db/client.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { type SharedKeys, sharedKeysOf } from './jwks.ts'
import { newReadiness, type Readiness } from './readiness.ts'
import { type CachedResponse, type DataCentre, dataCentreOf, newResponseCache } from './response-cache.ts'
import { newTenants, type Tenants } from './tenants.ts'

/** Objects that all requests of an isolate share. */
export type ServiceRuntime = {
  readonly database: Database
  readonly tenants: Tenants
  readonly memory: Lru<CachedResponse>
  /** Null if the platform has no cache. */
  readonly dataCentre: DataCentre | null
  readonly sharedKeys: SharedKeys | null
  readonly metrics: Metrics
  readonly readiness: Readiness
  readonly wakeUp: WakeUpCalls
}

/** The shared objects of a set of bindings, created once. */
export const serviceRuntimeOf = oncePer((bindings: Bindings): ServiceRuntime => {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, ANSWER_MEMORY, DEPLOYMENT, METRICS, WAKE_UP } =
    settingsOf(bindings)
  const wakeUp = wakeUpOf(WAKE_UP)
  return {
    database: openDatabase({
      url: DATABASE_URL,
      fetchEndpoint: NEON_FETCH_ENDPOINT,
      announce: wakeUp.announce,
    }),
    tenants: newTenants(),
    memory: newResponseCache(ANSWER_MEMORY),
    dataCentre: dataCentreOf(DEPLOYMENT),
    sharedKeys: sharedKeysOf(),
    metrics: metricsOf(METRICS),
    readiness: newReadiness(bindings),
    wakeUp,
  }
})
