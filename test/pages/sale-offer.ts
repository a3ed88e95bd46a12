/** Sale offers for tests of plans. */
import type { SaleOffer } from '../../src/admin/prices/offer.ts'

/** A price of 20 euros everywhere and always, but for the given terms. */
export function saleOffer(terms: Partial<SaleOffer> & Pick<SaleOffer, '@id'>): SaleOffer {
  return {
    variant: 'v',
    version: 1,
    channel: null,
    countries: [],
    currency: 'EUR',
    amount: '20.00',
    compareAtAmount: null,
    validFrom: null,
    validUntil: null,
    priority: 0,
    minQuantity: 1,
    taxIncluded: true,
    status: 'ACTIVE',
    ...terms,
  }
}
