/** The result and the terms of an offer, in sentences. */

import { momentText } from '../core/zone.ts'
import { money } from '../fields/Money.tsx'
import type { Messages } from '../messages/en.ts'
import type { Candidate } from './candidates.ts'
import { countryName } from './markets.ts'
import type { SaleOffer } from './offer.ts'

/** `€15.00 instead of €22.00, channel web, every country, until Dec 12, 2026, 1:02 PM` */
export function termsText(offer: SaleOffer, words: Messages['why'], language: string): string {
  const { amount, compareAtAmount, currency } = offer
  const before = compareAtAmount === null ? '' : ` ${words.insteadOf(money(compareAtAmount, currency))}`
  return `${money(amount, currency)}${before}, ${placeText(offer, words, language)}`
}

/** `channel web, every country, until Dec 12, 2026, 1:02 PM` */
export function placeText(offer: SaleOffer, words: Messages['why'], language: string): string {
  const { channel, countries, validFrom, validUntil } = offer
  return [
    channel === null ? words.everyChannel : words.inChannel(channel),
    countries.length === 0 ? words.everyCountry : countries.join(' '),
    ...(validFrom === null ? [] : [words.from(momentText(validFrom, language))]),
    ...(validUntil === null ? [] : [words.until(momentText(validUntil, language))]),
    ...(offer.minQuantity > 1 ? [words.fromPieces(offer.minQuantity)] : []),
    ...(offer.priority === 0 ? [] : [words.priorityOf(offer.priority)]),
  ].join(', ')
}

/** Why an offer won, lost or does not apply. An unknown criterion is shown by its code. */
export function reasonOf(
  { outcome, decidedBy }: Candidate,
  offer: SaleOffer | undefined,
  {
    winner,
    applying,
    at,
  }: { readonly winner: SaleOffer | undefined; readonly applying: number; readonly at: Date },
  words: Messages['why'],
  language: string,
): string {
  if (outcome === 'won') return applying === 1 ? words.wins.alone : words.wins.first(applying - 1)
  if (outcome === 'lost') return loss(decidedBy, offer, winner, words)
  return failure(decidedBy, offer, at, words, language)
}

function loss(
  decidedBy: string | null,
  offer: SaleOffer | undefined,
  winner: SaleOffer | undefined,
  { loses }: Messages['why'],
): string {
  switch (decidedBy) {
    case 'priority':
      return loses.priority(offer?.priority ?? 0, winner?.priority ?? 0)
    case 'channel':
    case 'country':
    case 'window':
    case 'validFrom':
    case 'currency':
    case 'amount':
    case 'id':
      return loses[decidedBy]
    default:
      return decidedBy ?? ''
  }
}

function failure(
  decidedBy: string | null,
  offer: SaleOffer | undefined,
  at: Date,
  { fails }: Messages['why'],
  language: string,
): string {
  if (offer === undefined) return decidedBy ?? ''
  switch (decidedBy) {
    case 'status':
      return fails.status(offer.status)
    case 'channel':
      return fails.channel(offer.channel ?? '')
    case 'country':
      return fails.country(offer.countries.map((code) => countryName(code, language)).join(', '))
    case 'window': {
      const { validFrom, validUntil } = offer
      if (validFrom !== null && Date.parse(validFrom) > at.getTime())
        return fails.notYet(momentText(validFrom, language))
      return validUntil === null ? fails.window : fails.over(momentText(validUntil, language))
    }
    case 'minQuantity':
      return fails.minQuantity(offer.minQuantity)
    default:
      return decidedBy ?? ''
  }
}
