/**
 * The schedule of a delivery: twelve attempts in three days. After that only a manual retry sends it. This file has all delays
 * of the webhook engine, in milliseconds.
 */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The time between one attempt and the next. */
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

/** The time for which a worker holds a delivery. It is longer than any attempt takes. */
export const leaseLifetimeMs = 45 * second

/** Delays that double with each repetition. */
const doublingDelays = {
  /** Until a deferred delivery is due again. */
  deferral: { first: 5 * second, longest: 5 * minute },
  /** Until a failed message of the queue is tried again. */
  message: { first: 5 * second, longest: 5 * minute },
}

/** The time for which an unreachable host gets no attempts. It doubles with each further failure. */
export const hostPause = { first: 5 * second, longest: minute }

/** The delay after so many repetitions, from 0. */
export function doubledDelay(name: keyof typeof doublingDelays, repetitions: number): number {
  const { first, longest } = doublingDelays[name]
  return Math.min(longest, first * 2 ** Math.min(repetitions, 10))
}

/** The time of failures without a success after which a subscription is disabled. */
export const disabledAfter = 5 * 24 * hour

const jitter = 0.2

/**
 * The time from the end of an attempt to the next one. Null if none follows. `attempt` is its number, from 1, and `deferrals` the number of
 * consecutive deferrals before it.
 */
export function nextAttemptIn(
  { attempt, deferrals }: { readonly attempt: number; readonly deferrals: number },
  { error, retryAfter }: { readonly error: Failure | Deferral | null; readonly retryAfter: number | null },
  random: number,
): number | null {
  if (isDeferral(error)) return doubledDelay('deferral', deferrals)
  return finalResults.includes(error) ? null : delayAfter(attempt, random, retryAfter)
}

/** The time from the claim of each attempt to the next one, if the worker records no outcome. */
export const delaysWithoutOutcome = [...gaps, 0].map((gap) => Math.max(leaseLifetimeMs, gap))

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
const finalResults: readonly (Failure | null)[] = [null, 'event_expired', 'withheld', 'too_large']

/** Why a delivery was deferred: failures of this service before an attempt, which pass or which its operator fixes. */
export type Deferral = (typeof deferrals)[number]
const deferrals = ['resolver_unavailable', 'secret_unreadable'] as const

export function isDeferral(error: Failure | Deferral | null): error is Deferral {
  return deferrals.some((reason) => reason === error)
}
