import type { PriceOffer } from './offer.ts'

const listed = (codes: string) => (codes === '' ? [] : codes.split(' '))

/** Fields with commas between them, one after the other: an array of them costs as much as all else that is made of an offer. */
class Fields {
  readonly #text: string
  #from = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The next one; empty behind the last. */
  next(): string {
    const end = this.#text.indexOf(',', this.#from)
    const field = end < 0 ? this.#text.slice(this.#from) : this.#text.slice(this.#from, end)
    this.#from = end < 0 ? this.#text.length : end + 1
    return field
  }
}

/** An offer as `offer_text()` writes it (migrations/functions/51_prices.sql); what follows its fields is not read. */
export function offerIn(text: string): PriceOffer {
  const fields = new Fields(text)
  return {
    id: fields.next(),
    channel: fields.next() || null,
    countries: listed(fields.next()),
    currency: fields.next(),
    amount: fields.next(),
    compareAtAmount: fields.next() || null,
    validFrom: fields.next() || null,
    validUntil: fields.next() || null,
    priority: Number(fields.next()),
    minQuantity: Number(fields.next()),
    taxIncluded: fields.next() === 't',
    status: fields.next() === 'DRAFT' ? 'DRAFT' : 'ACTIVE',
  }
}
