/** What sale offers and purchase offers share: a variant offered on terms, within a window, until it is archived. */
export { type OfferParts, offerDocument } from './document.ts'
export type { Offer, Offering, Settled, Values } from './offering.ts'
export { offerOperations } from './operations.ts'
export {
  standingProperties,
  targetProperties,
  windowProperties,
} from './schema.ts'
export { offerColumns, offerRow } from './table.ts'
export { isReversed, settledAmounts } from './terms.ts'
