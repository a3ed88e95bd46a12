/** The price of a variant for a shopper at a moment, chosen from its sale offers. Offers are read here as rows, never changed. */

export type { AskedPrice } from './question.ts'
export { priceParameters, questionOf } from './question.ts'
export { type OfferRow, offersOf, type Price, priceOf, pricesOf } from './row.ts'
