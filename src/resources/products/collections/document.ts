import { localized, type Value } from '../../../core/document.ts'
import type { Locale } from '../../../core/locale.ts'
import { translatableOf } from '../../../core/property.ts'
import type { Translations } from '../../../db/columns.ts'
import { collection } from './schema.ts'

/** What a collection's document is made of. Plain JSON. */
export type CollectionParts = {
  readonly id: string
  readonly document: string
  readonly translations?: Translations | null
  readonly productsCount: number
  readonly rebuilding: boolean
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

const translatable = translatableOf(collection)

/** A collection's document in a locale. */
export function collectionDocument(parts: CollectionParts, locale: Locale): Value {
  const { productsCount, rebuilding, version, createdAt, updatedAt } = parts
  return localized(parts, translatable, locale, {
    productsCount,
    rebuilding,
    version,
    createdAt,
    updatedAt,
  })
}
