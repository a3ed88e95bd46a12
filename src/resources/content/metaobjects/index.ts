/** What other resources need of metaobjects: to show them, and to know what a value can refer to. */
export {
  type EmbeddedMetaobject,
  embeddedDocument,
  type MetaobjectParts,
  metaobjectDocument,
} from './document.ts'
export { metaobject } from './schema.ts'
export { existingStatement } from './store.ts'
