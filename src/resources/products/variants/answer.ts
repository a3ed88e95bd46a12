import { budgets } from '../../../core/budgets.ts'
import type { Value } from '../../../core/document.ts'
import type { Answer, Context } from '../../../core/operation.ts'
import { stamped } from '../../../core/stamped.ts'
import type { Written } from '../../../core/write.ts'
import { embeddedCategories } from '../../categories/index.ts'
import type { Price } from '../../prices/index.ts'
import type { ProductParts } from '../index.ts'
import { shownValues, type VariantParts, variantDocument } from './document.ts'
import { variantIri } from './iri.ts'

/** What a write answers: its product's parts, for titles and categories, and the variants. */
export type Result = { readonly product: ProductParts; readonly variants: readonly VariantParts[] }

/** Renders variants of a product among its options and categories, which are looked through once for all of them. */
export function documentsOf(
  product: ProductParts,
  { locale }: Context,
): (parts: VariantParts, price?: Price | null) => Value {
  const values = shownValues(product.options, locale)
  const categories = embeddedCategories(product.categories, locale, budgets.embeddedAgain)
  return (parts, price) =>
    variantDocument(parts, values, locale, {
      ...(price === undefined ? {} : { resolvedPrice: price }),
      categories,
    })
}

/** What a write of variants answers; a `fresh` one has a location. */
export function answer(
  context: Context,
  { result, stamps, replayed }: Written<Result>,
  { bulk, fresh }: { readonly bulk: boolean; readonly fresh: boolean },
): Answer {
  const parts = result.variants.map((each) => stamped(each, stamps))
  const documentOf = documentsOf(result.product, context)
  const [own] = parts
  if (bulk || !own) {
    const members = parts.map((each) => documentOf(each))
    return { kind: 'collection', members, total: members.length, replayed }
  }
  const location = fresh ? { location: variantIri(own.productId, own.id) } : {}
  return { kind: 'item', document: documentOf(own), version: own.version, replayed, ...location }
}

/** A product's parts without what its variants' documents do not show. */
export function slim(product: ProductParts): ProductParts {
  return { ...product, document: '{}', variants: [] }
}
