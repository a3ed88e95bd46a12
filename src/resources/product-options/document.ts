import { bytesOf, documentInLocale, fitsIn, type Members, sized, type Value } from '../../core/document.ts'
import { parsed } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import { type Locale, translated } from '../../core/locale.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import type { Translations } from '../../db/columns.ts'
import { productIri } from '../products/schema.ts'
import { productOptionIri } from './schema.ts'

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
  return documentInLocale(parts, ['title'], locale, {
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
  const translation = translated(parts.translations, 'title', locale.chain)
  if (!translation) return { title: parts.title, fellBack: null }
  return {
    title: String(translation.value),
    fellBack: translation.locale === locale.asked ? null : translation.locale,
  }
}

/** Documents are stored in the tenant's default locale, and say where it is missing. Few are, so few are looked into. */
function storedFallback({ document }: ValueParts): string | null {
  if (!document.includes('"fallbacks":{')) return null
  return parsed<{ fallbacks: { title?: string } }>(document).fallbacks.title ?? null
}

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
    values: parts.values.map((value) => valueDocument(value, locale)),
  })
}

/** The documents of a product's options: with the values of all, where they have room and all were read, else with totals and links. */
export function optionDocuments(options: readonly OptionParts[], locale: Locale, maxBytes: number): Value[] {
  const areComplete = options.every(isComplete)
  const documents = areComplete ? options.map((option) => sized(optionDocument(option, locale))) : []
  if (areComplete && fitsIn(documents, maxBytes)) {
    return documents.map((document) => document.fragment)
  }
  return options.map((option) => withoutValues(option, locale))
}

/** The document of one option likewise. */
export function optionDocumentWithin(option: OptionParts, locale: Locale, maxBytes: number): Value {
  if (!isComplete(option)) return withoutValues(option, locale)
  const documents = sized(optionDocument(option, locale))
  return fitsIn([documents], maxBytes) ? documents.fragment : withoutValues(option, locale)
}

function isComplete({ values, valuesTotal = values.length }: OptionParts): boolean {
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
  return documentInLocale(parts, ['title'], locale, {
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
  const translatedTitle = translated(parts.translations ?? {}, 'title', locale.chain)?.value
  const titles = [
    translatedTitle,
    parts.title,
    ...Object.values(parts.translations ?? {}).map((translation) => translation.title),
  ]
  return [...new Set(titles.filter((title): title is string => typeof title === 'string'))]
}

type Row = { readonly document: string; readonly translations: Translations | null }

/** What is stored of an option or a value, in bytes, in all languages. */
export function storedBytes({ document, translations }: Row): number {
  return bytesOf(document) + bytesOf(JSON.stringify(translations))
}

/** What is stored of a product's options and their values, in bytes, in all languages. */
export function weightOfOptions(options: readonly OptionParts[]): number {
  return options.flatMap((row) => [row, ...row.values]).reduce((sum, row) => sum + storedBytes(row), 0)
}

/** The violation of options that weigh more together than those of a product may. */
export function sizeViolations(bytes: number, path: string): Violation[] {
  const maximum = byteLimits.options
  return bytes > maximum ? [validationProblems.document_too_large.at(path, { bytes, maximum })] : []
}
