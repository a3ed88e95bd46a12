import { daysFrom } from '../../core/instant.ts'
import { compareDecimals } from '../../core/money.ts'
import type { NoPrice, ResolvedPrice } from './price.ts'
import type { PriceRequest } from './request.ts'
import { appliedTerms, type RecordedTerms } from './timeline.ts'

/**
 * Prior prices: the price before a reduction, which shops in Europe must announce (Directive 98/6/EC, article
 * 6a).
 * Pure: recorded terms in, an amount out.
 */

/** The lowest price that applied in a period before a reduction began. Timestamps are canonical strings. */
export type PriorPrice = {
  readonly amount: string
  readonly currency: string
  /** The start of the period that was searched; `until` is the start of the reduction. */
  readonly from: string
  readonly until: string
  /** The first timestamp for which prices are recorded. */
  readonly historyFrom: string
}

/** The recorded terms that a prior price is computed from. They are complete since `recordedSince`. */
export type PriorTerms = { readonly recorded: readonly RecordedTerms[]; readonly recordedSince: string }

type Amounts = Pick<ResolvedPrice, 'amount' | 'currency' | 'compareAtAmount'>

/**
 * Computes the lowest price in the `days` before the reduction that a price is part of.
 * Returns null if the price is not reduced, or if no price in its currency is recorded for these days.
 * A reduction lasts while prices have a higher amount to compare with, in one currency and without a gap, even
 * if they drop further.
 * The applied prices are those of a timeline that ends at the price's timestamp.
 */
export function priorPriceOf(
  price: Pick<ResolvedPrice, 'channel' | 'country' | 'at'> & Amounts,
  { recorded, recordedSince }: PriorTerms,
  days: number,
): PriorPrice | null {
  if (!isReduced(price)) return null
  const { channel, country, at, currency } = price
  const span = { from: recordedSince, until: at }
  const applied = appliedTerms(recorded, { channel, country }, span)
  const lastUnreducedIndex = applied.findLastIndex(({ terms }) => !isOneReduction(terms, currency))
  const until = applied[lastUnreducedIndex + 1]?.from ?? at
  const from = daysFrom(until, -days)
  let lowest: string | null = null
  for (const [index, { terms, ...segment }] of applied.entries()) {
    const segmentEnd = applied[index + 1]?.from ?? at
    const isInPeriod = terms?.currency === currency && segmentEnd > from && segment.from < until
    if (isInPeriod && (lowest === null || compareDecimals(terms.amount, lowest) < 0)) lowest = terms.amount
  }
  return lowest === null ? null : { amount: lowest, currency, from, until, historyFrom: recordedSince }
}

/** Whether a price is announced as lower than another. */
function isReduced({ amount, compareAtAmount }: Amounts): boolean {
  return compareAtAmount !== null && compareDecimals(compareAtAmount, amount) > 0
}

function isOneReduction(price: Amounts | undefined, currency: string): boolean {
  return price !== undefined && price.currency === currency && isReduced(price)
}

/** A warning about a price, for the users who set prices. */
type PriceWarning = {
  /** `compare_at_above_prior`: the amount to compare with is above the lowest price before the reduction. */
  readonly code: 'compare_at_above_prior'
  readonly saleOffer: string
  readonly compareAtAmount: string
  readonly priorPrice: PriorPrice
}

/** The optional members of a price: the prior price on request, and warnings when the price is explained. */
export type PriorMembers = {
  readonly priorPrice?: PriorPrice | null
  readonly warnings?: readonly PriceWarning[]
}

/** Builds these members; `findTerms` is null while the tenant has no price history. */
export function priorMembers(
  price: ResolvedPrice | NoPrice,
  { prior, explain }: PriceRequest,
  findTerms: ((saleOffer: string) => PriorTerms | null) | null,
): PriorMembers {
  if (!prior || findTerms === null) return {}
  const isPrice = 'saleOffer' in price
  const terms = isPrice && price.compareAtAmount !== null ? findTerms(price.saleOffer) : null
  const priorPrice = isPrice && terms ? priorPriceOf(price, terms, prior.days) : null
  return {
    ...(prior.isIncluded && isPrice && { priorPrice }),
    ...(explain && { warnings: isPrice && priorPrice ? warningsOf(price, priorPrice) : [] }),
  }
}

function warningsOf({ saleOffer, compareAtAmount }: ResolvedPrice, priorPrice: PriorPrice): PriceWarning[] {
  if (compareAtAmount === null || compareDecimals(compareAtAmount, priorPrice.amount) <= 0) return []
  return [{ code: 'compare_at_above_prior', saleOffer, compareAtAmount, priorPrice }]
}
