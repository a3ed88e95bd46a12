import { type Kind, partsKept } from '../../core/kind.ts'
import { type ProductParts, productDocument } from './document.ts'
import type { InProduct } from './embedding.ts'
import { onItem } from './room.ts'
import { product } from './schema.ts'

export const productKind: Kind<InProduct> = {
  name: 'products',
  subject: 'product',
  noun: 'A product',
  alsoUpdated: 'So was one whose option, value, variant or category membership changed.',
  shape: product,
  document(kept, around, locale) {
    const { embedding, most } = around
    const parts = {
      ...partsKept<ProductParts>(kept, around),
      options: embedding.options(),
      variants: embedding.variants(),
      variantsTotal: embedding.variantsTotal(),
    }
    return productDocument(parts, locale, null, { ...onItem, variants: most, document: most })
  },
}
