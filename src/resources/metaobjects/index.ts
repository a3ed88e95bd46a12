/** What other resources need of metaobjects: to show them. */
export { type MetaobjectParts, metaobjectDocument } from './document.ts'
export { metaobject } from './schema.ts'
