/** What other resources need of metaobjects: to show them, and to know what a value can refer to. */
export { type EmbeddedMetaobject, embeddedDocument } from './document.ts'
export { existingStatement } from './store.ts'
