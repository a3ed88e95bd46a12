/** What other resources need of sale offers: their documents. */
export { type OfferParts, offerDocument as saleOfferDocument } from '../index.ts'
export { saleOffer } from './schema.ts'
