/** Properties of products and variants as columns of a grid: their texts, and the patches of edited texts. Pure. */
import { type Fields, isFields, type Json, same } from '../core/changed.ts'
import { decimalOf, decimalText } from '../core/decimal-text.ts'
import { messages } from '../core/language.ts'
import { splitTexts } from '../fields/split-texts.ts'

/** The columns, in their order, with the document that has the property. */
export const properties = {
  title: 'product',
  status: 'product',
  vendor: 'product',
  tags: 'product',
  sku: 'variant',
  barcode: 'variant',
  weight: 'variant',
} as const
export type PropertyName = keyof typeof properties

/** A row of a grid: a variant with its product. */
export type GridRow = {
  readonly name: string
  readonly variant: Fields
  readonly product: Fields
}

export type PropertyMistake = 'status' | 'weight'

export function iriOf({ '@id': iri }: Fields): string {
  return String(iri)
}

/** The key of a cell. The rows of one product share the cells of its properties. */
export function propertyKey(row: GridRow, name: PropertyName): string {
  return `${iriOf(row[properties[name]])} ${name}`
}

/** A stored value in the form in which users type it. */
export function propertyText(document: Fields, name: PropertyName, locale: string): string {
  const value = document[name]
  if (value === null || value === undefined) return ''
  if (name === 'status') return statuses()[String(value)] ?? String(value)
  if (Array.isArray(value)) return value.join(', ')
  if (isFields(value)) return `${decimalText(String(value.value), locale)} ${value.unit}`
  return String(value)
}

/** The value of a text; null if it cannot be one of the property. */
function typedValue(
  text: string,
  name: PropertyName,
  before: Json,
  locale: string,
): { readonly value: Json } | null {
  const plain = text.trim()
  if (name === 'tags') return { value: splitTexts(plain) }
  if (name === 'status') return statusOf(plain)
  if (name === 'weight' && plain !== '') return weightOf(plain, before, locale)
  return { value: plain === '' ? null : plain }
}

const statuses = (): Readonly<Record<string, string>> => messages('labels').status
const statusCodes = ['ACTIVE', 'DRAFT', 'ARCHIVED']

function statusOf(text: string): { value: string } | null {
  const isMeant = (word: string | undefined) => word?.toLowerCase() === text.toLowerCase()
  const value = statusCodes.find((code) => isMeant(code) || isMeant(statuses()[code]))
  return value === undefined ? null : { value }
}

/** A weight such as `180 g`. A number alone has the unit of the stored weight, or grams. */
function weightOf(text: string, before: Json, locale: string): { value: Fields } | null {
  const [, number = '', unit] = /^([\d.,\s]+)(g|kg|oz|lb)?$/i.exec(text) ?? []
  const value = decimalOf(number, locale)
  const usual = isFields(before) ? before.unit : 'g'
  return value === null ? null : { value: { value: Number(value), unit: unit?.toLowerCase() ?? usual } }
}

export type Patch = {
  readonly document: Fields
  readonly patch: Fields
  /** The keys of its cells. */
  readonly keys: readonly string[]
}

/** The patches of edited texts, one for each document, and the errors by the keys of cells. */
export function patchesOf(
  edits: ReadonlyMap<string, string>,
  at: ReadonlyMap<string, { readonly row: GridRow; readonly property: PropertyName }>,
  locale: string,
): { readonly patches: readonly Patch[]; readonly mistakes: ReadonlyMap<string, PropertyMistake> } {
  const patches = new Map<string, Patch>()
  const mistakes = new Map<string, PropertyMistake>()
  for (const [key, text] of edits) {
    const place = at.get(key)
    if (!place) continue
    const { row, property } = place
    const document = row[properties[property]]
    const before = document[property] ?? null
    if (text === propertyText(document, property, locale)) continue
    const typed = typedValue(text, property, before, locale)
    if (typed === null) mistakes.set(key, property === 'weight' ? 'weight' : 'status')
    else if (!same(typed.value, before)) {
      const known = patches.get(iriOf(document))
      const patch = { ...known?.patch, [property]: typed.value }
      patches.set(iriOf(document), { document, patch, keys: [...(known?.keys ?? []), key] })
    }
  }
  return { patches: [...patches.values()], mistakes }
}
