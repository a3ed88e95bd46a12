/** The price of a variant for a shopper at a moment, chosen from its sale offers. Offers are read here as rows, never changed. */

export { demandHistory } from './history.ts'
export { priorTermsOf } from './prior-rows.ts'
export { keptTermsFinder, mostPriorTerms, termsFinder } from './prior-terms.ts'
export type { AskedPrice } from './question.ts'
export { priceParameters, priorPriceExpansion, questionOf } from './question.ts'
export { countKnown, type OfferRow, offersOf, type Price, priceOf, pricesOf } from './row.ts'
export { type AskedTimeline, timelineAsked } from './timeline-asked.ts'
export { type ShownTimeline, timelineMembers } from './timeline-document.ts'
export { type TermLines, termsRead } from './timeline-lines.ts'
export { mostSegments, timelineParameters } from './timeline-question.ts'
export { basisColumns, type TimelineBasis, termsOf, timelineBasis } from './timeline-rows.ts'
export { priceTimeline, timelinesPath } from './timeline-schema.ts'
