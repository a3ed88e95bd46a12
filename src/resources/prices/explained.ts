import { failedFilter, type PriceFilter } from './filters.ts'
import { iriOf, type PriceOffer, type PriceQuestion } from './offer.ts'
import { compareOffers, decidingCriterion, type PriceCriterion } from './order.ts'
import { type NoPrice, noPrice, type ResolvedPrice, resolvePrice } from './price.ts'

export type PriceCandidate = {
  readonly saleOffer: string
  readonly outcome: 'won' | 'lost' | 'filtered'
  /** The filter that the offer failed first, or the criterion by which it lost to the winner; null for the winner. */
  readonly decidedBy: PriceFilter | PriceCriterion | null
}

/** A price with what became of every offer; where none applies, without what only an offer has. */
export type ExplainedPrice = (ResolvedPrice | NoPrice) & { readonly candidates: readonly PriceCandidate[] }

/** The price of a variant, or that there is none, with what became of every offer. */
export function explainedPrice(offers: readonly PriceOffer[], question: PriceQuestion): ExplainedPrice {
  return {
    ...(resolvePrice(offers, question) ?? noPrice(offers, question)),
    candidates: explainPrice(offers, question),
  }
}

/** What became of every offer and why: the winner first, then the losers in their order, then those that do not apply. */
export function explainPrice(offers: readonly PriceOffer[], question: PriceQuestion): PriceCandidate[] {
  const ranked = offers.toSorted(compareOffers)
  const [winner, ...losers] = ranked.filter((offer) => failedFilter(offer, question) === undefined)
  if (winner === undefined) return filteredOf(ranked, question)
  return [
    { saleOffer: iriOf(winner), outcome: 'won', decidedBy: null },
    ...losers.map((offer) => ({
      saleOffer: iriOf(offer),
      outcome: 'lost' as const,
      decidedBy: decidingCriterion(winner, offer),
    })),
    ...filteredOf(ranked, question),
  ]
}

function filteredOf(offers: readonly PriceOffer[], question: PriceQuestion): PriceCandidate[] {
  return offers.flatMap((offer) => {
    const decidedBy = failedFilter(offer, question)
    return decidedBy === undefined ? [] : [{ saleOffer: iriOf(offer), outcome: 'filtered', decidedBy }]
  })
}
