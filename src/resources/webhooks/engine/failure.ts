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
