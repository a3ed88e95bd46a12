/** What others need of events: to render their documents, and to let go of old ones. */
export { eventDocument } from './document.ts'
export { historyOf, historyStatements } from './history.ts'
export { kinds, resourceIn } from './kinds.ts'
export { dropOldDocuments } from './retention.ts'
export { type EventRow, eventsStatement } from './store.ts'
