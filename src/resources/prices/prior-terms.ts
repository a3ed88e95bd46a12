/** Parses the recorded terms that prior prices are computed from: the texts of `prior_terms()` (migrations/functions/51_prices.sql). */
import type { PriceOffer } from './offer.ts'
import { offerIn } from './offer-text.ts'
import type { PriorTerms } from './prior.ts'
import type { RecordedTerms } from './timeline.ts'

/** Terms of a variant that are read at most: a history with more is known since those that applied last. */
export const mostPriorTerms = 5000

/** Finds the terms of an offer's variant by the offer's IRI and the offers that were told of the variant; null where none were read. */
export type TermsFinder = (saleOffer: string, told: readonly PriceOffer[]) => PriorTerms | null

/**
 * Finds terms among those that were read: each variant's are one text, in which all of its offers stand that matter. `history` is the
 * result of `price_history()`; null without it.
 */
export function termsFinder(history: string | undefined, terms: readonly string[]): TermsFinder | null {
  if (history === undefined) return null
  const byOffer = new Map<string, string>()
  for (const text of terms) for (const each of text.split(';')) byOffer.set(idIn(each), text)
  return (saleOffer) => {
    const text = byOffer.get(saleOffer.slice(saleOffer.lastIndexOf('/') + 1))
    return text === undefined ? null : priorTerms(text, history)
  }
}

/**
 * Finds the cached terms of one variant (migrations/functions/60_product_cache.sql): first since when the terms of each offer are
 * recorded, then past terms.
 */
export function keptTermsFinder(history: string | undefined, kept: string): TermsFinder | null {
  if (history === undefined) return null
  return (_, told) => {
    if (kept === '') return null
    const [since = '', ...others] = kept.split(';')
    const moments = since.split(',')
    const recorded = told.map((offer, nth) => recordedTerms(offer, moments[nth] ?? history, null))
    return { recorded: [...recorded, ...others.map(termsIn)], knownSince: history }
  }
}

const idIn = (text: string) => text.slice(0, text.indexOf(','))

function priorTerms(text: string, historyFrom: string): PriorTerms {
  const recorded = text.split(';').map(termsIn)
  // One more than are read at most: before it ceased to apply, not all is known.
  const unread = recorded[mostPriorTerms]
  if (unread === undefined) return { recorded, knownSince: historyFrom }
  const [ended = historyFrom] = [unread.knownUntil, unread.validUntil].flatMap((each) => each ?? []).sort()
  return { recorded: recorded.slice(0, mostPriorTerms), knownSince: ended }
}

function termsIn(text: string): RecordedTerms {
  const last = text.lastIndexOf(',')
  const knownFrom = text.slice(text.lastIndexOf(',', last - 1) + 1, last)
  const knownUntil = text.slice(last + 1)
  return recordedTerms(offerIn(text), knownFrom, knownUntil || null)
}

/** Prior prices tell of no event. */
const recordedTerms = (offer: PriceOffer, knownFrom: string, knownUntil: string | null): RecordedTerms => ({
  ...offer,
  knownFrom,
  knownUntil,
  recordedBy: '',
  endedBy: null,
})
