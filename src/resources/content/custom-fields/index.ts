/** Custom fields of products, variants and categories: what each of them needs to read, check, keep and show it. */
export { differencesWithCustomFields } from './differences.ts'
export { withMetaobjects } from './document.ts'
export { metaobjectIdsOf } from './entries.ts'
export { customFields } from './schema.ts'
export {
  type EmbeddedMetaobject,
  metaobjectsIn,
  metaobjectsOf,
  type References,
  referencesReading,
} from './store.ts'
export { customFieldViolations } from './violations.ts'
