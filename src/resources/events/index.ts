/** What others need of events: to read them, to render their documents, and to let go of old ones. */
export { resourceDocument } from './document.ts'
export type { History } from './history.ts'
export {
  iriOfResource,
  type Kind,
  kindOf,
  kinds,
  resourceForms,
  resourceIn,
  scopesOfResource,
  scopesOfTopic,
} from './kinds.ts'
export {
  type EventsAsked,
  type EventsFound,
  eventsOf,
  eventsReading,
  eventsReadingBeside,
} from './reading.ts'
export { dropOldDocuments } from './retention.ts'
export { type EventRow, lastSequence, oldest } from './store.ts'
export { type Topic, topics, topicsMatching } from './topics.ts'
