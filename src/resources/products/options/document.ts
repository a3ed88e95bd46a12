import { fitTogether, localized, type Members, type Value, weighed } from '../../../core/document.ts'
import { type Locale, translated } from '../../../core/locale.ts'
import type { Translations } from '../../../db/columns.ts'
import { productIri } from '../iri.ts'
import { type ValueParts, valueDocument } from '../values/index.ts'

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
  /** Those that were read: in a list of products not all of very many. */
  readonly values: readonly ValueParts[]
  /** How many there are; as many as were read when absent. */
  readonly valuesTotal?: number
}

/** An option's document in a locale, with its values. */
export function optionDocument(parts: OptionParts, locale: Locale): Value {
  return documentOf(parts, locale, {
    values: parts.values.map((each) => valueDocument(each, locale)),
  })
}

/** The documents of a product's options: with the values of all, where they have room and all were read, else with totals and links. */
export function optionDocuments(options: readonly OptionParts[], locale: Locale, room: number): Value[] {
  const areWhole = options.every(isWhole)
  const inFull = areWhole ? options.map((each) => weighed(optionDocument(each, locale))) : []
  if (areWhole && fitTogether(inFull, room)) {
    return inFull.map((each) => each.fragment)
  }
  return options.map((each) => withoutValues(each, locale))
}

/** The document of one option likewise. */
export function optionDocumentWithin(option: OptionParts, locale: Locale, room: number): Value {
  if (!isWhole(option)) return withoutValues(option, locale)
  const inFull = weighed(optionDocument(option, locale))
  return fitTogether([inFull], room) ? inFull.fragment : withoutValues(option, locale)
}

function isWhole({ values, valuesTotal = values.length }: OptionParts): boolean {
  return values.length === valuesTotal
}

function withoutValues(option: OptionParts, locale: Locale): Value {
  return documentOf(option, locale, {
    valuesTotal: option.valuesTotal ?? option.values.length,
    valuesView: {
      '@id': '/api/option_values',
      '@type': 'PartialCollectionView',
      next: `/api/option_values?option=${option.id}`,
    },
  })
}

function documentOf(parts: OptionParts, locale: Locale, values: Members): Value {
  const { productId, position, version, createdAt, updatedAt } = parts
  return localized(parts, ['title'], locale, {
    product: productIri(productId),
    position,
    ...values,
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
