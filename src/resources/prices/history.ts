/** How far back the recorded terms of a tenant's offers reach, and what is refused because of it. */
import { type SQL, sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import { refuse } from '../../core/violations.ts'
import { pricingProblems } from './problems.ts'
import type { AskedPrice } from './question.ts'

/** `price_history()` of migrations/functions/51_prices.sql, as an expression; `historyFrom` reads it. */
export const priceHistory: SQL = sql`price_history()`

/** The moment of the tenant's first event, as a canonical instant; null before it. */
export function historyFrom(history: string): string | null {
  return history === '' ? null : history
}

/**
 * Rejects a request for recorded prices from before the tenant's first event.
 * @throws Problem 422 `pricing.known_at_before_history`, `pricing.at_before_history`
 */
export function demandHistory(asked: AskedPrice | null, history: string | undefined, now: Date): void {
  if (asked?.knownAt === undefined) return
  const from = historyFrom(history ?? '')
  const since = from ?? instantOf(now)
  const isBefore = (moment: string) => from === null || moment < from
  refuse([
    ...(isBefore(asked.at) ? [pricingProblems.at_before_history.at('resolveContext[at]', { since })] : []),
    ...(isBefore(asked.knownAt)
      ? [pricingProblems.known_at_before_history.at('resolveContext[knownAt]', { since })]
      : []),
  ])
}
