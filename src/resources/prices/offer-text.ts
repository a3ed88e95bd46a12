import type { PriceOffer } from './offer.ts'

/** An offer as `offer_text()` writes it (migrations/0026_rendered_products.sql); what follows its fields is not read. */
export function offerIn(text: string): PriceOffer {
  const [id = '', channel, countries, currency = '', amount = '', ...rest] = text.split(',')
  const [compareAtAmount, validFrom, validUntil, priority, minQuantity, taxIncluded, status] = rest
  return {
    id,
    channel: channel || null,
    countries: countries ? countries.split(' ') : [],
    currency,
    amount,
    compareAtAmount: compareAtAmount || null,
    validFrom: validFrom || null,
    validUntil: validUntil || null,
    priority: Number(priority),
    minQuantity: Number(minQuantity),
    taxIncluded: taxIncluded === 't',
    status: status === 'DRAFT' ? 'DRAFT' : 'ACTIVE',
  }
}
