/**
 * Metrics: one data point for each request and for each delivery attempt, in an Analytics Engine data set. The data set
 * identifies columns by position, so a column has the same position in every point. `.github/docs/logs.md` names them.
 */
import { log, noRequest } from './log.ts'

type RequestPoint = {
  readonly tenant: string | null
  readonly operation: string | null
  readonly status: number
  readonly version: string | null
  readonly durationMs: number
  readonly statements: number
  /** Of the response body; 0 for a static file or a stream. */
  readonly bytes: number
}

type DeliveryPoint = {
  readonly tenant: string
  readonly topic: string
  /** `delivered`, or the reason why not. */
  readonly outcome: string
  readonly version: string
  readonly latencyMs: number
}

export type Metrics = {
  readonly request: (point: RequestPoint) => void
  readonly delivery: (point: DeliveryPoint) => void
}

/** The part of Cloudflare's Analytics Engine API that is used. */
export type DataSet = {
  writeDataPoint(point: { indexes: string[]; blobs: (string | null)[]; doubles: number[] }): void
}

/** Writes data points to a data set, or nowhere if none is bound. A failed write never fails a request. */
export function metricsOf(dataset: DataSet | undefined): Metrics {
  const write = (tenant: string | null, blobs: (string | null)[], doubles: number[]) => {
    try {
      // The index controls sampling: by tenant, so that a large tenant does not displace the others.
      dataset?.writeDataPoint({ indexes: [tenant ?? ''], blobs, doubles })
    } catch (error) {
      log('metrics_failed', { ...noRequest, tenant }, {}, error)
    }
  }
  return {
    request: ({ tenant, operation, status, version, durationMs, statements, bytes }) =>
      write(tenant, ['request', tenant, operation, String(status), version], [durationMs, statements, bytes]),
    delivery: ({ tenant, topic, outcome, version, latencyMs }) =>
      write(tenant, ['delivery', tenant, topic, outcome, version], [latencyMs]),
  }
}
