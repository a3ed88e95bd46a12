/** What other resources need of option values. */
export { type ValueParts, valueDocument, valueTitle } from './document.ts'
export { optionValueKind } from './kind.ts'
export { type InlineValue, inlineValue, optionValue, valuesOfOption } from './schema.ts'
export { valueParts, valueRow } from './store.ts'
export { optionValues } from './table.ts'
