/** What a sale offer is, whether it is created with its variant or for one that there is. */
export {
  countedOffers,
  type NewSaleOffer,
  newSaleOffers,
  saleOfferEvent,
  saleOfferStatements,
} from './new-offers.ts'
export { saleOfferRow } from './row.ts'
export { maximumWritten, saleOfferOf, saleOffersDemand, writtenSaleOffers } from './schema.ts'
export { saleOffers } from './table.ts'
export { pricedTerms } from './terms.ts'
export { claimed, claimsReading, tooManyOffers, type WrittenList } from './written.ts'
