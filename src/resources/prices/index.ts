/** The price of a variant for a shopper at a moment, chosen from its sale offers. Offers are read here as rows, never changed. */

export { demandHistory } from './history.ts'
export type { AskedPrice } from './question.ts'
export { priceParameters, questionOf } from './question.ts'
export { countKnown, type OfferRow, offersOf, type Price, pricesOf } from './row.ts'
