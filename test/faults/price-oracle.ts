/** Prices by the rules of the guide "How a price is chosen". It imports nothing, so that a fault of the service is none here. */

/** The terms of a sale offer, as its document shows them. */
export type Terms = {
  readonly id: string
  /** The IRI of the variant. */
  readonly variant: string
  readonly status: string
  readonly channel: string | null
  readonly countries: readonly string[]
  readonly currency: string
  readonly amount: string
  readonly compareAtAmount: string | null
  readonly validFrom: string | null
  readonly validUntil: string | null
  readonly priority: number
  readonly minQuantity: number
}

/** Where and in which currency a shopper buys: the properties of a market. */
export type Place = { readonly channel: string; readonly country: string; readonly currency: string }

/** The offer that gives the price of one piece at a moment; null without any. All moments are texts of 27 characters. */
export function winnerAt(offers: readonly Terms[], place: Place, at: string): Terms | null {
  let winner: Terms | null = null
  for (const offer of offers)
    if (applies(offer, place, at) && (winner === null || isBetter(offer, winner))) winner = offer
  return winner
}

function applies(offer: Terms, { channel, country, currency }: Place, at: string): boolean {
  if (offer.status !== 'ACTIVE' || offer.minQuantity > 1) return false
  if (offer.channel !== null && offer.channel !== channel) return false
  if (offer.countries.length > 0 && !offer.countries.includes(country)) return false
  if (offer.currency !== currency) return false
  if (offer.validFrom !== null && at < offer.validFrom) return false
  return offer.validUntil === null || at < offer.validUntil
}

/** The rules in their order. In a market, all offers have one currency. */
function isBetter(a: Terms, b: Terms): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  if ((a.channel === null) !== (b.channel === null)) return a.channel !== null
  if ((a.countries.length === 0) !== (b.countries.length === 0)) return a.countries.length > 0
  const bounds = (offer: Terms) => [offer.validFrom, offer.validUntil].filter((each) => each !== null).length
  if (bounds(a) !== bounds(b)) return bounds(a) > bounds(b)
  if (a.validFrom !== b.validFrom) return (a.validFrom ?? '') > (b.validFrom ?? '')
  if (unitsOf(a) !== unitsOf(b)) return unitsOf(a) < unitsOf(b)
  return a.id < b.id
}

/** The amount in the smallest unit of its currency, such as cents. */
export const unitsOf = ({ amount }: { readonly amount: string }): number => Number(amount.replace('.', ''))

/** A moment, moved by microseconds. */
export function movedBy(moment: string, microseconds: number): string {
  const total = BigInt(Date.parse(`${moment.slice(0, 19)}Z`)) * 1000n + BigInt(moment.slice(20, 26))
  const moved = total + BigInt(microseconds)
  return `${new Date(Number(moved / 1_000_000n) * 1000).toISOString().slice(0, 20)}${String(moved % 1_000_000n).padStart(6, '0')}Z`
}
