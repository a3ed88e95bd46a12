/** What sale offers and purchase offers share: a variant offered on terms, within a window, until it is archived. */
export { type OfferParts, offerDocument } from './document.ts'
export type { Offer, Offering } from './offering.ts'
export { offerOperations } from './operations.ts'
export {
  patchedTarget,
  requiredVariant,
  standingProperties,
  targetProperties,
  windowProperties,
} from './schema.ts'
export { offerColumns, offerRow } from './table.ts'
export { isReversed, normalisedAmount, type Priced, type Window } from './terms.ts'
