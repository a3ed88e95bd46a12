import { budgets } from '../../core/budgets.ts'
import {
  bytesOf,
  fitTogether,
  localized,
  type Members,
  textOf,
  type Value,
  type Weighed,
  weighed,
} from '../../core/document.ts'
import type { Locale } from '../../core/locale.ts'
import { bytesAtMost } from '../../core/utf8.ts'
import type { Translations } from '../../db/columns.ts'
import { type CategoryParts, embeddedCategories } from '../categories/index.ts'
import { type EmbeddedMetaobject, withMetaobjects } from '../content/custom-fields/index.ts'
import type { Price } from '../prices/index.ts'
import { collectionIri } from './collections/iri.ts'
import { continuation } from './continuation.ts'
import { type OptionParts, optionDocuments } from './options/index.ts'
import { onItem, type Room } from './room.ts'
import { shownValues, type VariantParts, variantDocument } from './variants/index.ts'

/** A product's own row. */
export type ProductRow = {
  readonly id: string
  readonly document: string
  readonly translations: Translations | null
  readonly status: string
  /** What its custom fields refer to. */
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

const productTranslatable = ['title', 'description', 'seo']

/**
 * A product's document in a locale, with what it embeds, and prices where they were asked for. Of what it owns it embeds what
 * there is room for: options in full or without their values, and the first variants; totals and links tell of the rest, with
 * what was `asked` of variants.
 */
export function productDocument(
  parts: ProductParts,
  locale: Locale,
  prices: Prices = null,
  room: Room = onItem,
  asked = '',
): Value {
  const others = {
    categories: embeddedCategories(parts.categories, locale),
    collections: parts.collections.map(collectionIri),
    ofVariant: (id: string) => (prices ? { resolvedPrice: prices.get(id) ?? null } : {}),
  }
  return productDocumentWith(parts, locale, others, room, asked)
}

/** What a product's document shows of others. */
type Others = {
  readonly categories: Value
  readonly collections: Value
  /** What each variant shows beside its own. */
  readonly ofVariant: (id: string) => Members
}

/** The same, of what others show in it. */
export function productDocumentWith(
  parts: ProductParts,
  locale: Locale,
  { categories, collections, ofVariant }: Others,
  room: Room = onItem,
  asked = '',
): Value {
  const { id, options, variants, variantsTotal, version, createdAt, updatedAt } = parts
  const values = shownValues(options, locale)
  const documentWith = (embedded: readonly Value[]) =>
    withMetaobjects(
      localized(parts, productTranslatable, locale, {
        options: optionDocuments(options, locale, room.values),
        variants: embedded,
        variantsTotal,
        variantsView: variantsTotal > embedded.length ? continuation(id, embedded.length, asked) : undefined,
        categories,
        collections,
        version,
        createdAt,
        updatedAt,
      }),
      parts.metaobjects,
      locale,
    )
  const shown = variants.map((each) => weighed(variantDocument(each, values, locale, ofVariant(each.id))))
  // Few products come close to their room: only those are written out twice to be weighed.
  const most = locale.stored ? bytesAtMost(parts.document) : budgets.rowDocument
  if (fitTogether(shown, Math.min(room.variants, room.document - most - beside))) {
    return documentWith(shown.map((each) => each.fragment))
  }
  const left = room.document - bytesOf(textOf(documentWith([])))
  return documentWith(first(shown, Math.min(left, room.variants)))
}

/** What a product shows beside its own document and its variants takes no more bytes than this. */
const beside = budgets.optionValues.item + 2 * budgets.embedded + 100_000

/** The first of some documents that have room together. */
function first(documents: readonly Weighed[], room: number): Value[] {
  let left = room
  const end = documents.findIndex(({ bytes }) => {
    left -= bytes
    return left < 0
  })
  return documents.slice(0, end < 0 ? documents.length : end).map((each) => each.fragment)
}
