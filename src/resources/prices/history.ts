/** How far back the recorded terms of a tenant's offers reach, and what is refused because of it. */
import { type SQL, sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import { refuse } from '../../core/violations.ts'
import { pricingProblems } from './problems.ts'
import type { AskedPrice } from './question.ts'

/** Seconds after which it is worth asking again while events are being read. */
const retryAfter = '60'

/** `price_history()` of migrations/functions/51_prices.sql, as an expression; `historyFrom` reads it. */
export const priceHistory: SQL = sql`price_history()`

/**
 * The moment of the tenant's first event, as a canonical instant; null where there is none yet.
 * @throws Problem 503 `pricing.history_incomplete` while events of before terms were recorded are being read
 */
export function historyFrom(told: string): string | null {
  if (told === 'due') throw pricingProblems.history_incomplete({}, { headers: { 'Retry-After': retryAfter } })
  return told === '' ? null : told
}

/**
 * Refuses a question that rests on history before there is all of it, and one for prices as they were known that reaches behind what was recorded.
 * @throws Problem 422 `pricing.known_at_before_history`, `pricing.at_before_history`, 503 `pricing.history_incomplete`
 */
export function demandHistory(asked: AskedPrice | null, told: string | undefined, now: Date): void {
  if (!asked || (asked.knownAt === undefined && !asked.prior?.shown)) return
  const from = historyFrom(told ?? '')
  if (asked.knownAt === undefined) return
  const since = from ?? instantOf(now)
  const isBefore = (moment: string) => from === null || moment < from
  refuse([
    ...(isBefore(asked.at) ? [pricingProblems.at_before_history.at('resolveContext[at]', { since })] : []),
    ...(isBefore(asked.knownAt)
      ? [pricingProblems.known_at_before_history.at('resolveContext[knownAt]', { since })]
      : []),
  ])
}
