import { daysFrom } from '../../core/instant.ts'
import { compareDecimals } from '../../core/money.ts'
import type { NoPrice, ResolvedPrice } from './price.ts'
import type { PriceRequest } from './question.ts'
import { appliedTerms, type RecordedTerms } from './timeline.ts'

/**
 * What a price was before a reduction, as shops in Europe must announce it (Directive 98/6/EC, article 6a). Pure: recorded terms in, an
 * amount out.
 */

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
export type PriorTerms = { readonly recorded: readonly RecordedTerms[]; readonly recordedSince: string }

type Amounts = Pick<ResolvedPrice, 'amount' | 'currency' | 'compareAtAmount'>

/**
 * The lowest price that applied in so many days before the reduction began that a price is part of; null where it is not reduced, or no
 * price in its currency is known of these days. A reduction lasts while prices have a higher amount to compare with, in one currency and
 * without a gap, however often they go down. What applied is what a timeline tells that ends where the price was asked for.
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

/** What a price shows of the one before its reduction, where that is asked for. */

/** Something about a price that whoever sets prices should look at. */
type PriceWarning = {
  /** `compare_at_above_prior`: what the price is compared with is more than the lowest price before its reduction. */
  readonly code: 'compare_at_above_prior'
  readonly saleOffer: string
  readonly compareAtAmount: string
  readonly priorPrice: PriorPrice
}

/** What is told of a price beside it: where it is asked for, what was before, and where it is explained, warnings. */
export type PriorMembers = {
  readonly priorPrice?: PriorPrice | null
  readonly warnings?: readonly PriceWarning[]
}

/** What is told beside a price; `find` is null while the history of prices is not there yet. */
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
    ...(prior.shown && isPrice && { priorPrice }),
    ...(explain && { warnings: isPrice && priorPrice ? warningsOf(price, priorPrice) : [] }),
  }
}

function warningsOf({ saleOffer, compareAtAmount }: ResolvedPrice, priorPrice: PriorPrice): PriceWarning[] {
  if (compareAtAmount === null || compareDecimals(compareAtAmount, priorPrice.amount) <= 0) return []
  return [{ code: 'compare_at_above_prior', saleOffer, compareAtAmount, priorPrice }]
}
