/** What other resources need of sale offers: their documents, and the prices that they resolve to. */

export { pricingProblems } from '../../prices/problems.ts'
export { priceParameters, questionOf } from '../../prices/question.ts'
export { type OfferRow, offerStatement, type Price, pricesOf } from '../../prices/row.ts'
export { type OfferParts, offerDocument as saleOfferDocument } from '../index.ts'
export { saleOfferProblems } from './problems.ts'
export { saleOffer } from './schema.ts'
