import { type Kind, partsKept } from '../../../core/kind.ts'
import type { InProduct } from '../index.ts'
import { type OptionParts, optionDocumentWithin } from './document.ts'
import { productOption } from './schema.ts'

export const productOptionKind: Kind<InProduct> = {
  name: 'product_options',
  subject: 'product_option',
  noun: 'An option of a product',
  shape: productOption,
  document(kept, around, locale) {
    const { embedding, most } = around
    const parts = partsKept<OptionParts>(kept, around)
    return optionDocumentWithin({ ...parts, ...embedding.valuesOf(parts.id) }, locale, most)
  },
}
