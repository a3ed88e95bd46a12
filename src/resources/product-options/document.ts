import { localized, type Value } from '../../core/document.ts'
import { iri } from '../../core/iri.ts'
import { type Locale, translated } from '../../core/locale.ts'
import type { Translations } from '../../db/columns.ts'
import { type ValueParts, valueDocument } from '../option-values/index.ts'

/** What an option's document is made of: its stored row and its values in their order. */
export type OptionParts = {
  readonly id: string
  readonly productId: string
  readonly document: string
  readonly title: string | null
  readonly translations: Translations | null
  readonly position: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly values: readonly ValueParts[]
}

/** An option's document in a locale, with its values. */
export function optionDocument(parts: OptionParts, locale: Locale): Value {
  const { productId, position, values, version, createdAt, updatedAt } = parts
  return localized(parts, ['title'], locale, {
    product: iri.product(productId),
    position,
    values: values.map((each) => valueDocument(each, locale)),
    version,
    createdAt,
    updatedAt,
  })
}

/** Every title that an option or a value is known by, the one in the given locale first. */
export function titlesOf(
  parts: { title: string | null; translations: Translations | null },
  locale: Locale,
): string[] {
  const own = translated(parts.translations ?? {}, 'title', locale.chain)?.value
  const all = [own, parts.title, ...Object.values(parts.translations ?? {}).map((each) => each.title)]
  return [...new Set(all.filter((each): each is string => typeof each === 'string'))]
}
