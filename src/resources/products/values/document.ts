import { localized, type Value } from '../../../core/document.ts'
import { parsed } from '../../../core/json.ts'
import { type Locale, translated } from '../../../core/locale.ts'
import type { Translations } from '../../../db/columns.ts'
import { productOptionIri } from '../options/iri.ts'

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

/** An option value's document in a locale. */
export function valueDocument(parts: ValueParts, locale: Locale): Value {
  const { optionId, position, version, createdAt, updatedAt } = parts
  return localized(parts, ['title'], locale, {
    option: productOptionIri(optionId),
    position,
    version,
    createdAt,
    updatedAt,
  })
}

/** The title of a value in a locale, and the locale that it is in where that is another. */
export function valueTitle(parts: ValueParts, locale: Locale): { title: string; fellBack: string | null } {
  if (locale.stored || !parts.translations) return { title: parts.title, fellBack: storedFallback(parts) }
  const found = translated(parts.translations, 'title', locale.chain)
  if (!found) return { title: parts.title, fellBack: null }
  return { title: String(found.value), fellBack: found.locale === locale.asked ? null : found.locale }
}

/** Documents are stored in the tenant's default locale, and say where it is missing. Few are, so few are looked into. */
function storedFallback({ document }: ValueParts): string | null {
  if (!document.includes('"fallbacks":{')) return null
  return parsed<{ fallbacks: { title?: string } }>(document).fallbacks.title ?? null
}
