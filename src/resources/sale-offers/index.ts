/** What other resources need of sale offers: their documents, and the prices that they resolve to. */
export { type OfferParts, offerDocument as saleOfferDocument } from '../offers/index.ts'
export { priceParameters, questionOf } from './price-question.ts'
export { type OfferRow, offerStatement, type Price, pricesOf } from './price-row.ts'
export { pricingProblems } from './pricing-problems.ts'
export { saleOfferProblems } from './problems.ts'
export { saleOffer } from './schema.ts'
