import { stamped } from '../../core/stamped.ts'
import type { Stamps } from '../../core/write.ts'
import type { ProductParts } from './document.ts'

/** A product's parts with the stamps of a write on it and on everything that it embeds. */
export function stampedProduct(parts: ProductParts, stamps: Stamps): ProductParts {
  return {
    ...stamped(parts, stamps),
    options: parts.options.map((option) => ({
      ...stamped(option, stamps),
      values: option.values.map((value) => stamped(value, stamps)),
    })),
    variants: parts.variants.map((each) => stamped(each, stamps)),
  }
}
