/** What an offer is, of whatever kind and whoever makes it: a variant on terms, within a window, until it is archived. */
export { type OfferParts, type OfferRowParts, offerDocument, offerEventDocument } from './document.ts'
export { creationOf } from './event.ts'
export { newOfferParts } from './new-offer.ts'
export type { Offer, OfferValues } from './offer.ts'
export { offerStates, offerStatuses, standingProperties, windowProperties } from './schema.ts'
export { type OfferState, stateCondition } from './state.ts'
export { offerColumns, offerRow } from './table.ts'
export { isReversed, normalisedAmount, type Priced, type Window } from './terms.ts'
