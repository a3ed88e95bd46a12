/** What other resources need of metaobject definitions: to check and to show their metaobjects. */
export { type Definition, type DefinitionParts, definitionOf, type FieldDefinition } from './document.ts'
export { definitionStatement } from './store.ts'
