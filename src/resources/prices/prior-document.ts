/** What a price shows of the one before its reduction, where that is asked for. */
import { compareDecimals } from '../../core/decimal.ts'
import type { NoPrice, ResolvedPrice } from './price.ts'
import { type PriorPrice, type PriorTerms, priorPriceOf } from './prior.ts'
import type { AskedPrice } from './question.ts'

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
  { prior, explain }: AskedPrice,
  find: ((saleOffer: string) => PriorTerms | null) | null,
): PriorMembers {
  if (!prior || find === null) return {}
  const isPrice = 'saleOffer' in price
  const terms = isPrice && price.compareAtAmount !== null ? find(price.saleOffer) : null
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
