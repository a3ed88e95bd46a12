/** The schedule of a delivery: twelve attempts in three days. After that only a manual retry sends it. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Milliseconds between one attempt and the next. */
export const gaps: readonly number[] = [
  5 * second,
  30 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
  12 * hour,
  16 * hour,
  20 * hour,
]

export const maximumAttempts = gaps.length + 1

/** Milliseconds of failures without a success after which a subscription is disabled. */
export const disabledAfter = 5 * 24 * hour

const jitter = 0.2

/**
 * Milliseconds from the failure of attempt `number` (from 1) to the next one. Null after the last. `random`
 * is from 0 to 1 and spreads deliveries that failed together. `retryAfter` (milliseconds) is respected from
 * once to twice the default gap.
 */
export function delayAfter(number: number, random: number, retryAfter: number | null): number | null {
  const gap = gaps[number - 1]
  if (gap === undefined) return null
  if (retryAfter !== null) return Math.min(Math.max(retryAfter, gap), 2 * gap)
  return Math.round(gap * (1 - jitter + 2 * jitter * random))
}

/**
 * The `Retry-After` header in milliseconds, from seconds or a date (RFC 9110 §10.2.3). Null for any other
 * value.
 */
export function retryAfterIn(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * second
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}

/** Why an attempt failed. */
export type Failure =
  | 'http_status'
  | 'redirect'
  | 'timeout'
  | 'connection'
  | 'blocked_address'
  | 'unknown_host'
  | 'event_expired'
  | 'not_sent'
  | 'withheld'
  | 'too_large'

/**
 * Failures without any response from the host. The circuit breaker counts only these, because a response of
 * any status costs no waiting time.
 */
export const unreachedFailures: readonly (Failure | null)[] = ['timeout', 'connection', 'unknown_host']

/** Nothing was sent for a reason of this service, which is no evidence about the receiver. */
export const serviceFailures: readonly Failure[] = ['event_expired', 'withheld', 'too_large', 'not_sent']

/** Nothing was sent, for any reason. */
export const unsentFailures: readonly Failure[] = [...serviceFailures, 'blocked_address', 'unknown_host']

/** Results that another attempt would not change. */
export const finalResults: readonly (Failure | null)[] = [null, 'event_expired', 'withheld', 'too_large']
