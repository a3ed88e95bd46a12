import { budgets } from '../../../core/budgets.ts'
import { type Kind, partsKept } from '../../../core/kind.ts'
import { embeddedCategories } from '../../categories/index.ts'
import type { InProduct } from '../index.ts'
import { shownValues, type VariantParts, variantDocument } from './document.ts'
import { variant } from './schema.ts'

export const variantKind: Kind<InProduct> = {
  name: 'variants',
  subject: 'variant',
  noun: 'A variant of a product',
  shape: variant,
  document(kept, around, locale) {
    const { embedding, categories } = around
    const parts = partsKept<VariantParts>(kept, around)
    const values = shownValues(embedding.options(parts.optionValueIds), locale)
    return variantDocument(parts, values, locale, {
      categories: embeddedCategories(categories, locale, budgets.embeddedAgain),
    })
  },
}
