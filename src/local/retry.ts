import type { IncomingHttpHeaders } from 'node:http'

/** A response of the service. `body` is null if it is empty, and a string if it is not JSON. */
export type Reply = { status: number; headers: IncomingHttpHeaders; body: unknown }

const passingErrors = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'UND_ERR_SOCKET',
])
const passingStatuses = new Set([502, 503, 504])

/** Attempts for a service that is away; about eight seconds in all. */
const awayAttempts = 5
/** Attempts after a 429. The service is well, so waiting helps. */
const slowDownAttempts = 30

/** True for an error of the connection, after which the same request may be sent again. */
export function isTransient(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && passingErrors.has(error.code)
}

/**
 * How many milliseconds to wait before the given attempt (the first retry is attempt 2), or null when the outcome
 * is final. `Retry-After` counts when it is there (RFC 9110 §10.2.3), at most one minute.
 */
export function pauseBefore(attempt: number, outcome: Reply | Error, now = Date.now()): number | null {
  if (outcome instanceof Error)
    return isTransient(outcome) && attempt <= awayAttempts ? backoff(attempt) : null
  if (outcome.status === 429) {
    return attempt <= slowDownAttempts ? (retryAfter(outcome, now) ?? backoff(attempt)) : null
  }
  if (passingStatuses.has(outcome.status) || isBusy(outcome)) {
    return attempt <= awayAttempts ? (retryAfter(outcome, now) ?? backoff(attempt)) : null
  }
  return null
}

function backoff(attempt: number): number {
  return Math.min(500 * 2 ** (attempt - 2), 8_000)
}

function retryAfter({ headers }: Reply, now: number): number | null {
  const value = headers['retry-after']
  if (!value) return null
  const pause = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(pause) ? null : Math.min(Math.max(pause, 0), 60_000)
}

/** The two 409s that pass by themselves: the first attempt is still running, or other writers won. */
function isBusy({ status, body }: Reply): boolean {
  if (status !== 409 || typeof body !== 'object' || body === null || !('slug' in body)) return false
  return body.slug === 'concurrency.busy' || String(body.slug).startsWith('idempotency.')
}
