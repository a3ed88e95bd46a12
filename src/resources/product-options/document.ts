import * as z from 'zod'
import {
  documentInLocale,
  fitsIn,
  type Members,
  type RowDocument,
  sized,
  type Value,
} from '../../core/document.ts'
import { isJsonObject, type JsonObject, jsonObject } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import { type Locale, translated } from '../../core/locale.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { type SelectedMembers, selectedIn, selects } from '../../core/select.ts'
import { bytesOf } from '../../core/sizes.ts'
import { stampedRow, stamps, type Translations, translationsRow } from '../../db/columns.ts'
import { columnsOf, type RowOf } from '../../db/query.ts'
import { parseStored } from '../../db/row-types.ts'
import { productIri } from '../products/schema.ts'
import { viewOf } from '../shared/properties.ts'
import { optionValue, productOption, productOptionIri } from './schema.ts'

/**
 * The data that an option value's document is rendered from: its stored row. Times are canonical UTC
 * timestamps.
 */
export type ValueParts<Document extends RowDocument = string> = Omit<
  RowOf<typeof storedValueColumns>,
  'document'
> & {
  readonly document: Document
}

export const storedValueColumns = {
  ...columnsOf(z.string(), 'id', 'optionId', 'document', 'title'),
  translations: translationsRow.nullable(),
  position: z.number(),
  ...stampedRow,
}

/** Renders an option value's document in a locale. */
export function valueDocument(
  parts: ValueParts<RowDocument>,
  locale: Locale,
  selectedMembers: SelectedMembers = null,
): Value {
  const { optionId, position, version, createdAt, updatedAt } = parts
  return {
    ...documentInLocale(parts, optionValue, locale, selectedMembers),
    option: productOptionIri(optionId),
    position,
    version,
    createdAt,
    updatedAt,
  }
}

/** The title of a value in a locale, and the title's actual locale if it differs. */
export function valueTitle(
  parts: ValueParts<RowDocument>,
  locale: Locale,
): { title: string; fellBack: string | null } {
  if (locale.stored || !parts.translations) return { title: parts.title, fellBack: storedFallback(parts) }
  const translation = translated(parts.translations, 'title', locale.chain)
  if (!translation) return { title: parts.title, fellBack: null }
  return {
    title: String(translation.value),
    fellBack: translation.locale === locale.requested ? null : translation.locale,
  }
}

/**
 * Reads the fallback from the stored document, which is in the tenant's default locale. Few documents have one,
 * so few are parsed.
 */
function storedFallback({ document }: ValueParts<RowDocument>): string | null {
  if (typeof document !== 'string') return fallbackIn(document)
  return document.includes('"fallbacks":{') ? fallbackIn(parseStored(jsonObject, document)) : null
}

function fallbackIn({ fallbacks = null }: JsonObject): string | null {
  const locale = isJsonObject(fallbacks) ? fallbacks.title : null
  return typeof locale === 'string' ? locale : null
}

/** The data that an option's document is rendered from: its stored row, and its values in order. */
export type OptionParts<Document extends RowDocument = string> = Omit<
  RowOf<typeof storedOptionColumns>,
  'document'
> & {
  readonly document: Document
  /** The values that were read. A list of products may omit some of an option with many values. */
  readonly values: readonly ValueParts<Document>[]
  /** The total number of values, if it differs from the number that was read. */
  readonly valuesTotal?: number
}

const storedOptionColumns = {
  ...columnsOf(z.string(), 'id', 'productId', 'document'),
  title: z.string().nullable(),
  translations: translationsRow.nullable(),
  position: z.number(),
  ...stampedRow,
}

/** The parts of an option, and of a value, that their events store. */
export const eventOption = z
  .object(storedOptionColumns)
  .omit(stamps)
  .extend({ values: z.tuple([]) })
export const eventValue = z.object(storedValueColumns).omit(stamps)

/** Renders an option's document in a locale, with its values; of the stored members those that are selected. */
export function optionDocument(
  parts: OptionParts<RowDocument>,
  locale: Locale,
  selectedMembers: SelectedMembers = null,
): Value {
  const selectedInValues = selectedIn(selectedMembers, 'values')
  const values = selects(selectedMembers, 'values')
    ? parts.values.map((value) => valueDocument(value, locale, selectedInValues))
    : []
  return documentOf(parts, locale, { values }, selectedMembers)
}

/**
 * Renders the documents of a product's options.
 * They contain all values if all were read and fit into `maxBytes`; otherwise totals and links. `bound` is an upper
 * bound of their bytes. Below it, only the selected members are rendered.
 */
export function optionDocuments(
  options: readonly OptionParts<RowDocument>[],
  locale: Locale,
  maxBytes: number,
  { bound = Number.POSITIVE_INFINITY, selectedMembers = null }: OptionsRendering = {},
): Value[] {
  if (!options.every(isComplete)) return options.map((option) => withoutValues(option, locale))
  if (bound <= maxBytes) return options.map((option) => optionDocument(option, locale, selectedMembers))
  const documents = options.map((option) => optionDocument(option, locale))
  if (fitsIn(documents.map(sized), maxBytes)) return documents
  return options.map((option) => withoutValues(option, locale))
}

type OptionsRendering = { readonly bound?: number; readonly selectedMembers?: SelectedMembers }

/** Renders one option's document, with its values only if all were read and fit into `maxBytes`. */
export function optionDocumentWithin(
  option: OptionParts<RowDocument>,
  locale: Locale,
  maxBytes: number,
): Value {
  const [document = null] = optionDocuments([option], locale, maxBytes)
  return document
}

function isComplete({ values, valuesTotal = values.length }: OptionParts<RowDocument>): boolean {
  return values.length === valuesTotal
}

function withoutValues(option: OptionParts<RowDocument>, locale: Locale): Value {
  return documentOf(option, locale, {
    valuesTotal: option.valuesTotal ?? option.values.length,
    valuesView: viewOf('/api/option_values', `/api/option_values?option=${option.id}`),
  })
}

function documentOf(
  parts: OptionParts<RowDocument>,
  locale: Locale,
  values: Members,
  selectedMembers: SelectedMembers = null,
): Value {
  const { productId, position, version, createdAt, updatedAt } = parts
  return {
    ...documentInLocale(parts, productOption, locale, selectedMembers),
    product: productIri(productId),
    position,
    ...values,
    version,
    createdAt,
    updatedAt,
  }
}

/** All titles of an option or a value; the title in the given locale is first. */
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

/** The stored size of an option or a value in bytes, with all translations. */
export function storedBytes({ document, translations }: Row): number {
  return bytesOf(document) + bytesOf(JSON.stringify(translations))
}

/** The stored size of a product's options and values in bytes, with all translations. */
export function weightOfOptions(options: readonly OptionParts[]): number {
  return options.flatMap((row) => [row, ...row.values]).reduce((sum, row) => sum + storedBytes(row), 0)
}

/** The violation if the options of a product exceed their size limit. */
export function sizeViolations(bytes: number, path: string): Violation[] {
  const maximum = byteLimits.options
  return bytes > maximum ? [validationProblems.document_too_large.at(path, { bytes, maximum })] : []
}
