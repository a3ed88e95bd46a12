import { localized, type Value } from '../../core/document.ts'
import { iri } from '../../core/iri.ts'
import type { Locale } from '../../core/locale.ts'
import type { Translations } from '../../db/columns.ts'
import { type CategoryParts, categoryDocument } from '../categories/index.ts'
import { type EmbeddedMetaobject, withMetaobjects } from '../custom-fields/index.ts'
import { type OptionParts, optionDocument } from '../product-options/index.ts'
import type { Price } from '../sale-offers/index.ts'
import { shownValues, type VariantParts, variantDocument } from '../variants/index.ts'

/** A product's own row. */
export type ProductRow = {
  readonly id: string
  readonly document: string
  readonly translations: Translations | null
  readonly status: string
  /** What its fields refer to. */
  readonly metaobjects?: readonly EmbeddedMetaobject[] | null
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** A product's row and what it belongs to: what its own event keeps. */
export type ProductOutline = ProductRow & {
  readonly categories: readonly CategoryParts[]
  /** Ids, in their order. */
  readonly collections: readonly string[]
}

/** What a product's document is made of: its row and everything that it embeds. Plain JSON. */
export type ProductParts = ProductOutline & {
  readonly options: readonly OptionParts[]
  readonly variants: readonly VariantParts[]
  readonly variantsTotal: number
}

/** Resolved prices by variant id; null when no price was asked for. */
export type Prices = ReadonlyMap<string, Price | null> | null

export const productTranslatable = ['title', 'description', 'seo']

/** A product's document in a locale, with what it embeds, and prices where they were asked for. */
export function productDocument(parts: ProductParts, locale: Locale, prices: Prices = null): Value {
  const { id, options, variants, variantsTotal, categories, collections, version, createdAt, updatedAt } =
    parts
  const values = shownValues(options, locale)
  const document = localized(parts, productTranslatable, locale, {
    options: options.map((each) => optionDocument(each, locale)),
    variants: variants.map((each) =>
      variantDocument(each, values, locale, prices ? { resolvedPrice: prices.get(each.id) ?? null } : {}),
    ),
    variantsTotal,
    variantsView: variantsTotal > variants.length ? continuation(id, variants.length) : undefined,
    categories: categories.map((each) => categoryDocument(each, locale)),
    collections: collections.map(iri.collection),
    version,
    createdAt,
    updatedAt,
  })
  return withMetaobjects(document, parts.metaobjects, locale)
}

function continuation(id: string, shown: number): Value {
  const list = `${iri.product(id)}/variants`
  return {
    '@id': list,
    '@type': 'PartialCollectionView',
    next: `${list}?position%5Bfrom%5D=${shown}&itemsPerPage=100`,
  }
}
