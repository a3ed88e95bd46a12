/** The price of a variant for a shopper at a moment, chosen from its sale offers. Offers are read here as rows, never changed. */
export { priceParameters, questionOf } from './question.ts'
export { type Price, pricesReading } from './row.ts'
