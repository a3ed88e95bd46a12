/**
 * What is counted: a data point for each request and for each attempt of a delivery, in an Analytics Engine data set. A column has
 * the same place in every point, since the data set knows them by their places alone; `.github/logs.md` names them.
 */
import { log, noRequest } from './log.ts'

type RequestPoint = {
  readonly tenant: string | null
  readonly operation: string | null
  readonly status: number
  readonly version: string | null
  readonly durationMs: number
  readonly statements: number
  /** Of the answer's body; 0 where that is a file of the pages or a stream. */
  readonly bytes: number
}

type DeliveryPoint = {
  readonly tenant: string
  readonly topic: string
  /** `delivered`, or why not. */
  readonly outcome: string
  readonly version: string
  readonly latencyMs: number
}

/** Where data points go. */
export type Metrics = {
  readonly request: (point: RequestPoint) => void
  readonly delivery: (point: DeliveryPoint) => void
}

/** A data set of Cloudflare's Analytics Engine, as far as it is written to. */
export type DataSet = {
  writeDataPoint(point: { indexes: string[]; blobs: (string | null)[]; doubles: number[] }): void
}

/** The data points of a data set; nothing where none is bound. What cannot be written fails no request. */
export function metricsOf(dataset: DataSet | undefined): Metrics {
  const write = (tenant: string | null, blobs: (string | null)[], doubles: number[]) => {
    try {
      // Sampled by tenant, so that a large one leaves room for the others.
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
