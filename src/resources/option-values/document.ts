import { localized, type Value } from '../../core/document.ts'
import { iri } from '../../core/iri.ts'
import { type Locale, translated } from '../../core/locale.ts'
import type { Translations } from '../../db/columns.ts'

/** What an option value's document is made of: its stored row. Times are UTC, canonical. */
export type ValueParts = {
  readonly id: string
  readonly optionId: string
  readonly document: string
  readonly title: string
  readonly translations: Translations | null
  readonly position: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

export function valueDocument(parts: ValueParts, locale: Locale): Value {
  const { optionId, position, version, createdAt, updatedAt } = parts
  return localized(parts, ['title'], locale, {
    option: iri.productOption(optionId),
    position,
    version,
    createdAt,
    updatedAt,
  })
}

/** The title of a value in a locale. */
export function valueTitle(parts: ValueParts, locale: Locale): string {
  if (locale.stored || !parts.translations) return parts.title
  return String(translated(parts.translations, 'title', locale.chain)?.value ?? parts.title)
}
