/**
 * What a price was before a reduction, as shops in Europe must announce it (Directive 98/6/EC, article 6a). Pure: recorded terms in, an
 * amount out.
 */
import { compareDecimals } from '../../core/decimal.ts'
import { daysFrom } from '../../core/instant.ts'
import type { ResolvedPrice } from './price.ts'
import { appliedOver, type RecordedTerms } from './timeline.ts'

/** The lowest price that applied in a span before a reduction began. Instants are canonical texts. */
export type PriorPrice = {
  readonly amount: string
  readonly currency: string
  /** The span that was looked at; it ends where the reduction began. */
  readonly from: string
  readonly until: string
  /** The first moment of which prices are known. */
  readonly historyFrom: string
}

/** The terms that a prior price is told of: all that matter from a moment on, which are known since then. */
export type PriorTerms = { readonly recorded: readonly RecordedTerms[]; readonly knownSince: string }

type Amounts = Pick<ResolvedPrice, 'amount' | 'currency' | 'compareAtAmount'>

/**
 * The lowest price that applied in so many days before the reduction began that a price is part of; null where it is not reduced, or no
 * price in its currency is known of these days. A reduction lasts while prices have a higher amount to compare with, in one currency and
 * without a gap, however often they go down. What applied is what a timeline tells that ends where the price was asked for.
 */
export function priorPriceOf(
  price: Pick<ResolvedPrice, 'channel' | 'country' | 'at'> & Amounts,
  { recorded, knownSince }: PriorTerms,
  days: number,
): PriorPrice | null {
  if (!isReduced(price)) return null
  const { channel, country, at, currency } = price
  const span = { from: knownSince, until: at }
  const applied = appliedOver(recorded, { channel, country }, span)
  const last = applied.findLastIndex(({ terms }) => !isOneReduction(terms, currency))
  const until = applied[last + 1]?.from ?? at
  const from = daysFrom(until, -days)
  let lowest: string | null = null
  for (const [nth, { terms, ...segment }] of applied.entries()) {
    const ended = applied[nth + 1]?.from ?? at
    const isOfDays = terms?.currency === currency && ended > from && segment.from < until
    if (isOfDays && (lowest === null || compareDecimals(terms.amount, lowest) < 0)) lowest = terms.amount
  }
  return lowest === null ? null : { amount: lowest, currency, from, until, historyFrom: knownSince }
}

/** Whether a price is announced as lower than another. */
function isReduced({ amount, compareAtAmount }: Amounts): boolean {
  return compareAtAmount !== null && compareDecimals(compareAtAmount, amount) > 0
}

function isOneReduction(price: Amounts | undefined, currency: string): boolean {
  return price !== undefined && price.currency === currency && isReduced(price)
}
