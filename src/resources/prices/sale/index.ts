/** What a sale offer is, whatever says which variant it is of. */
export { saleOfferRow } from './row.ts'
export { saleOfferOf } from './schema.ts'
export { saleOffers } from './table.ts'
export { pricedTerms } from './terms.ts'
