import { type Metrics, metricsOf } from '../core/metrics.ts'
import { type Database, openDatabase } from '../db/client.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { newRejectionCounters, type RejectionCounters } from './rate-limit.ts'
import { newReadiness, type Readiness } from './readiness.ts'
import { type DataCentre, dataCentreOf, ResponseCache } from './response-cache.ts'
import { newTenants, type Tenants } from './tenants.ts'

/** What requests of one isolate share. */
export type ServiceRuntime = {
  readonly database: Database
  readonly tenants: Tenants
  readonly refusals: RejectionCounters
  readonly memory: ResponseCache
  /** Null where the platform has no cache. */
  readonly dataCentre: DataCentre | null
  readonly metrics: Metrics
  readonly readiness: Readiness
}

const isolates = new WeakMap<Bindings, ServiceRuntime>()

/** The shared things behind a set of bindings, made once. */
export function serviceRuntimeOf(bindings: Bindings): ServiceRuntime {
  const known = isolates.get(bindings)
  if (known) return known
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, ANSWER_MEMORY, DEPLOYMENT, METRICS } = settingsOf(bindings)
  const database = openDatabase({ url: DATABASE_URL, fetchEndpoint: NEON_FETCH_ENDPOINT })
  const isolate = {
    database,
    tenants: newTenants(),
    refusals: newRejectionCounters(),
    memory: new ResponseCache(ANSWER_MEMORY),
    dataCentre: dataCentreOf(DEPLOYMENT),
    metrics: metricsOf(METRICS),
    readiness: newReadiness(bindings),
  }
  isolates.set(bindings, isolate)
  return isolate
}
