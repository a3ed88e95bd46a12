import type { PriceOffer, PriceQuestion } from './offer.ts'

/** What an offer must pass to apply. */
export type PriceFilter = 'status' | 'channel' | 'country' | 'window' | 'minQuantity'

/** The filters that no moment changes. */
export function failedScope(offer: PriceOffer, question: PriceQuestion): PriceFilter | undefined {
  if (offer.status !== 'ACTIVE') return 'status'
  if (offer.channel !== null && offer.channel !== question.channel) return 'channel'
  if (offer.countries.length > 0 && !offer.countries.includes(question.country)) return 'country'
  return undefined
}

/** The offers that no moment keeps from applying: those for one piece, and those for more. */
export function inScope(
  offers: readonly PriceOffer[],
  question: PriceQuestion,
): { readonly one: readonly PriceOffer[]; readonly more: readonly PriceOffer[] } {
  const one: PriceOffer[] = []
  const more: PriceOffer[] = []
  for (const offer of offers) {
    if (failedScope(offer, question) === undefined) (isForOnePiece(offer) ? one : more).push(offer)
  }
  return { one, more }
}

/** The filter that an offer fails first. */
export function failedFilter(offer: PriceOffer, question: PriceQuestion): PriceFilter | undefined {
  const scope = failedScope(offer, question)
  if (scope !== undefined) return scope
  if (!isLive(offer, question.at)) return 'window'
  return isForOnePiece(offer) ? undefined : 'minQuantity'
}

/** Whether a moment is in an offer's window. */
export function isLive(offer: PriceOffer, at: string): boolean {
  return (
    (offer.validFrom === null || offer.validFrom <= at) &&
    (offer.validUntil === null || at < offer.validUntil)
  )
}

export function isForOnePiece(offer: PriceOffer): boolean {
  return offer.minQuantity <= 1
}
