import { compareDecimals } from '../../core/decimal.ts'
import type { PriceOffer } from './offer.ts'

/** What offers are compared by. */
export type PriceCriterion =
  | 'priority'
  | 'channel'
  | 'country'
  | 'window'
  | 'validFrom'
  | 'currency'
  | 'amount'
  | 'id'

/** Criteria in their order; the first difference wins, negative for the better offer. */
const criteria: readonly (readonly [PriceCriterion, (a: PriceOffer, b: PriceOffer) => number])[] = [
  ['priority', (a, b) => b.priority - a.priority],
  // Among offers that apply, one with a channel or countries is one that names the question's.
  ['channel', (a, b) => Number(a.channel === null) - Number(b.channel === null)],
  ['country', (a, b) => Number(a.countries.length === 0) - Number(b.countries.length === 0)],
  ['window', (a, b) => openEnds(a) - openEnds(b)],
  // Without a start an offer has been valid for longer than any other.
  ['validFrom', (a, b) => compareText(b.validFrom ?? '', a.validFrom ?? '')],
  ['currency', (a, b) => compareText(a.currency, b.currency)],
  ['amount', (a, b) => compareDecimals(a.amount, b.amount)],
  ['id', (a, b) => compareText(a.id, b.id)],
]

/** Orders offers, the better before the worse; no two are equal. */
export function compareOffers(a: PriceOffer, b: PriceOffer): number {
  for (const [, compare] of criteria) {
    const order = compare(a, b)
    if (order !== 0) return order
  }
  return 0
}

/** By what one offer lost to another. */
export function decidingCriterion(winner: PriceOffer, loser: PriceOffer): PriceCriterion {
  return criteria.find(([, compare]) => compare(winner, loser) !== 0)?.[0] ?? 'id'
}

function openEnds(offer: PriceOffer): number {
  return Number(offer.validFrom === null) + Number(offer.validUntil === null)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
