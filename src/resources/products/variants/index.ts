/** What other resources need of variants. */
export { combinationOf, resolveOptionValues } from './combination.ts'
export { shownValues, type VariantParts, variantDocument } from './document.ts'
export {
  type InlineVariant,
  inlineVariant,
  maximumVariants,
  variant,
} from './schema.ts'
export { variantParts, variantRow } from './store.ts'
export { variantOptionValues, variants } from './table.ts'
