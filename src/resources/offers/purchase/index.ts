/** What other resources need of purchase offers: their documents, whose guarded properties the shape names. */
export { type OfferParts, offerDocument as purchaseOfferDocument } from '../index.ts'
export { purchaseOfferProblems } from './problems.ts'
export { purchaseOffer } from './schema.ts'
