/** Reads the recorded terms that prior prices are computed from, by `prior_terms()` (migrations/functions/51_prices.sql). */
import { type SQL, sql } from 'drizzle-orm'
import { mostPriorTerms } from './prior-terms.ts'
import type { AskedPrice } from './question.ts'

/** The terms of a variant whose price may be reduced, as an expression; `variantId` is one. Null where no price is. */
export function priorTermsOf(variantId: SQL, asked: AskedPrice | null): SQL {
  if (!asked?.prior) return sql`null::text`
  const { prior, channel, country, at, knownAt = null } = asked
  return sql`(select told from prior_terms(array[${variantId}], ${channel}, ${country}, ${at}::timestamptz, ${knownAt}::timestamptz,
    ${prior.days}::int, ${mostPriorTerms}::int))`
}
