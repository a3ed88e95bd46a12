/** What other resources need of product options. */
export { type OptionParts, optionDocuments, titlesOf } from './document.ts'
export { type InlineOption, inlineOption, maximumOptions, maximumValues, productOption } from './schema.ts'
export { optionParts, optionRow } from './store.ts'
export { productOptions } from './table.ts'
export { tooHeavy, weightOf, weightOfOptions } from './weight.ts'
