import { isLive } from './filters.ts'
import type { PriceOffer } from './offer.ts'
import { compareOffers } from './order.ts'

/** The best of some offers at a moment, and when it will be another one. */
type Standing = { readonly best: PriceOffer | undefined; readonly changesAt: string | null }

/** Tells the best of some offers at a moment. Linear in the offers. */
export function standing(offers: readonly PriceOffer[], at: string): Standing {
  let best: PriceOffer | undefined
  for (const offer of offers) {
    if (isLive(offer, at) && (best === undefined || compareOffers(offer, best) < 0)) best = offer
  }
  // It changes when the best ends or a better one begins; what worse offers do meanwhile cannot be seen.
  let changesAt = best?.validUntil ?? null
  for (const offer of offers) {
    const starts = offer.validFrom !== null && offer.validFrom > at && isLive(offer, offer.validFrom)
    if (starts && (best === undefined || compareOffers(offer, best) < 0)) {
      changesAt = earliest([changesAt, offer.validFrom])
    }
  }
  return { best, changesAt }
}

/** Standings of the offers for more than one piece in a currency, by ascending minimum quantity. */
export function breakStandings(forMore: readonly PriceOffer[], currency: string, at: string): Standing[] {
  // As it is of nearly all variants.
  if (forMore.length === 0) return []
  const inCurrency = forMore.filter((offer) => offer.currency === currency)
  return [...Map.groupBy(inCurrency, (offer) => offer.minQuantity)]
    .sort(([a], [b]) => a - b)
    .map(([, offers]) => standing(offers, at))
}

/** The first of some instants, those that are null apart. */
export function earliest(instants: readonly (string | null)[]): string | null {
  let first: string | null = null
  for (const instant of instants) {
    if (instant !== null && (first === null || instant < first)) first = instant
  }
  return first
}
