import type { Lru } from '../core/lru.ts'
import { type Metrics, metricsOf } from '../core/metrics.ts'
import { type Database, openDatabase } from '../db/client.ts'
import { type Bindings, settingsOf } from '../env.ts'
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
  readonly metrics: Metrics
  readonly readiness: Readiness
}

const runtimes = new WeakMap<Bindings, ServiceRuntime>()

/** The shared objects of a set of bindings, created once. */
export function serviceRuntimeOf(bindings: Bindings): ServiceRuntime {
  const existing = runtimes.get(bindings)
  if (existing) return existing
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, ANSWER_MEMORY, DEPLOYMENT, METRICS } = settingsOf(bindings)
  const database = openDatabase({ url: DATABASE_URL, fetchEndpoint: NEON_FETCH_ENDPOINT })
  const runtime = {
    database,
    tenants: newTenants(),
    memory: newResponseCache(ANSWER_MEMORY),
    dataCentre: dataCentreOf(DEPLOYMENT),
    metrics: metricsOf(METRICS),
    readiness: newReadiness(bindings),
  }
  runtimes.set(bindings, runtime)
  return runtime
}
