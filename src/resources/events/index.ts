/** What others need of events: to render their documents, and to let go of old ones. */
export { eventDocument, resourceDocument } from './document.ts'
export { type History, historyOf, historyStatements, type MoveRow, type StateRow } from './history.ts'
export {
  type Kind,
  kindOf,
  kinds,
  resourceForms,
  resourceIn,
  scopesOfResource,
  scopesOfTopic,
} from './kinds.ts'
export { dropOldDocuments } from './retention.ts'
export { type EventRow, eventsStatement, lastSequence, oldest } from './store.ts'
