import type { PriceOffer } from './offer.ts'

const listed = (codes: string) => (codes === '' ? [] : codes.split(' '))

/** An offer as `offer_text()` writes it (migrations/0026_rendered_products.sql); what follows its fields is not read. */
export function offerIn(text: string): PriceOffer {
  // Field by field: an array of them costs as much as all else.
  let from = 0
  const next = (): string => {
    const end = text.indexOf(',', from)
    const field = end < 0 ? text.slice(from) : text.slice(from, end)
    from = end < 0 ? text.length : end + 1
    return field
  }
  return {
    id: next(),
    channel: next() || null,
    countries: listed(next()),
    currency: next(),
    amount: next(),
    compareAtAmount: next() || null,
    validFrom: next() || null,
    validUntil: next() || null,
    priority: Number(next()),
    minQuantity: Number(next()),
    taxIncluded: next() === 't',
    status: next() === 'DRAFT' ? 'DRAFT' : 'ACTIVE',
  }
}
