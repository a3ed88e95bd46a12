/** The price of a variant for a shopper at a moment, chosen from its sale offers. Offers are read here as rows, never changed. */

export { demandHistory } from './history.ts'
export { mostPriorTerms, priorTermsOf, termsFinder } from './prior-rows.ts'
export type { AskedPrice } from './question.ts'
export { priceParameters, priorPriceExpansion, questionOf } from './question.ts'
export { countKnown, type OfferRow, offersOf, type Price, priceOf, pricesOf } from './row.ts'
export { type ShownTimeline, timelineMembers } from './timeline-document.ts'
export { type AskedTimeline, mostSegments, timelineAsked, timelineParameters } from './timeline-question.ts'
export {
  basisColumns,
  type TermLines,
  type TimelineBasis,
  termsOf,
  termsRead,
  timelineBasis,
} from './timeline-rows.ts'
export { priceTimeline, timelinesPath } from './timeline-schema.ts'
