/** When a delivery is attempted: twelve times in three days, then never again by itself. */

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

/** Attempts that must have failed before a delivery no longer holds up those that come after it. */
export const attemptsThatHoldUp = 5

/** Milliseconds of nothing but failures after which a subscription is disabled. */
export const disabledAfter = 5 * 24 * hour

const jitter = 0.2

/**
 * Milliseconds from the failure of attempt `number` (from 1) to the next one; null after the last. `random` is from 0 to 1
 * and spreads what failed together; `retryAfter` (milliseconds) is honoured from once to twice the standard gap.
 */
export function delayAfter(number: number, random: number, retryAfter: number | null): number | null {
  const gap = gaps[number - 1]
  if (gap === undefined) return null
  if (retryAfter !== null) return Math.min(Math.max(retryAfter, gap), 2 * gap)
  return Math.round(gap * (1 - jitter + 2 * jitter * random))
}

/** What a receiver asks for in `Retry-After`, in milliseconds: seconds or a date (RFC 9110 §10.2.3); null for anything else. */
export function retryAfterIn(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * second
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}

/** Why an attempt failed: whose fault it was, and of what kind. */
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

/** The host did not answer at all: what the circuit breaker counts. An answer, whatever it says, costs nobody time. */
export const unreached: readonly (Failure | null)[] = ['timeout', 'connection', 'unknown_host']

/** Nothing was sent, for our part: it says nothing of the receiver. */
export const refrained: readonly Failure[] = ['event_expired', 'withheld', 'too_large', 'not_sent']

/** Nothing was sent, whoever it was for. */
export const unsent: readonly Failure[] = [...refrained, 'blocked_address', 'unknown_host']

/** What another attempt would not change. */
export const final: readonly (Failure | null)[] = [null, 'event_expired', 'withheld', 'too_large']
