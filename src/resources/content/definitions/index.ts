/** What other resources need of metaobject definitions: to check and to show their metaobjects. */
export {
  type Definition,
  type DefinitionParts,
  definitionDocument,
  definitionOf,
  type FieldDefinition,
} from './document.ts'
export { metaobjectDefinition } from './schema.ts'
export { definitionStatement } from './store.ts'
