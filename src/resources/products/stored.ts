/**
 * The stored parts of products and categories as JSON (migrations/functions/52_product_parts.sql), and the parts that documents are built
 * from. A member that is null, an empty list, a version of 1 or the place in a list is left out in JSON.
 */
import type { RowDocument } from '../../core/document.ts'
import { type JsonObject, parsed } from '../../core/json.ts'
import type { Shape } from '../../core/schema.ts'
import type { SelectedMembers } from '../../core/select.ts'
import type { Translations } from '../../db/columns.ts'
import type { CategoryParts } from '../categories/document.ts'
import { type CategoryRow, categoriesOf } from '../categories/read.ts'
import { category, categoryIri } from '../categories/schema.ts'
import type { EmbeddedMetaobject } from '../metaobjects/document.ts'
import type { StoredOffer, StoredTerms } from '../prices/rows.ts'
import type { OptionParts, ValueParts } from '../product-options/document.ts'
import { optionValue, optionValueIri, productOption, productOptionIri } from '../product-options/schema.ts'
import type { VariantParts } from '../variants/document.ts'
import { variant, variantIri } from '../variants/schema.ts'
import type { ProductParts } from './document.ts'
import { product, productIri } from './schema.ts'

/** A row: the members of its document, and what each write gives it. */
type StoredRow = {
  readonly document: JsonObject
  readonly version?: number
  readonly createdAt: string
  /** Absent if the row was never changed. */
  readonly updatedAt?: string
}

/** A row of a product, with its place if that is another than in the list. */
type StoredPart = StoredRow & { readonly id: string; readonly position?: number }

type StoredOption = StoredPart & {
  readonly values?: readonly StoredPart[]
  /** How many there are, if not all were read. */
  readonly valuesTotal?: number
}

type StoredVariant = StoredPart & { readonly optionValues?: readonly string[] }

/** The column `parts` of `product_parts`. */
type StoredProductParts = StoredRow & {
  readonly collections?: readonly string[]
  readonly options?: readonly StoredOption[]
  readonly variants?: readonly StoredVariant[]
  /** How many there are, if not all were read. */
  readonly variantsTotal?: number
}

/** A product as `read_product_parts()` returns it. */
export type StoredProduct = {
  readonly id: string
  readonly categoryIds: readonly string[]
  readonly parts: StoredProductParts
  /** By the id of the product, the option or the value; absent if they were not read. */
  readonly translations?: Readonly<Record<string, Translations>>
  /** By the id of the variant; absent without a question for prices. */
  readonly offers?: Readonly<Record<string, readonly StoredOffer[]>>
  readonly terms?: Readonly<Record<string, readonly StoredTerms[]>>
  /** What custom fields refer to, by the id of the product or the variant. */
  readonly metaobjects?: Readonly<Record<string, readonly EmbeddedMetaobject[] | null>> | null
}

/** Categories as `read_embedded_categories()` returns them. */
export type StoredCategories = {
  readonly stored?: readonly StoredCategory[]
  /** With the categories below them. */
  readonly rows?: readonly CategoryRow[]
}

type StoredCategory = {
  readonly id: string
  /** Null if it was too much to be read. */
  readonly parts: StoredRow | null
  readonly translations?: Translations | null
  readonly metaobjects?: readonly EmbeddedMetaobject[] | null
  readonly parentId?: string
  readonly position: number
  readonly level: number
  readonly ancestors: readonly string[]
  readonly children?: readonly string[]
  readonly childrenTotal: number
  readonly storedBytes: number
}

/** The first text that `read_product_parts()` returns. */
export type StoredHead = {
  /** The tenant's event sequence. */
  readonly sequence: number
  readonly total?: number
  readonly page?: readonly (readonly [id: string, keys: string[], found?: number])[]
  /** What `price_history()` returns. */
  readonly history?: string
  /** Collections that are deleted, which products keep until the rebuild. */
  readonly hidden?: readonly string[] | null
  readonly categories?: StoredCategories
}

/** Makes a document of an identity and stored members: as members, or as the text that a row stores. */
export type DocumentForm<Document extends RowDocument> = (members: JsonObject) => Document

/** Documents as members. */
export const asMembers: DocumentForm<JsonObject> = (members) => members
/** Documents as the texts that rows store. */
export const asText: DocumentForm<string> = (members) => JSON.stringify(members)

/** Adds the members that JSON leaves out to a document; of an outline only the members that it selects. */
function expander(shape: Shape) {
  const properties = Object.entries(shape.properties).filter(([, { stored }]) => stored)
  const standards = properties.map(
    ([name, { standard }]) => [name, Array.isArray(standard) ? standard : null] as const,
  )
  const whole: JsonObject = { '@id': '', '@type': shape.type, id: '', ...Object.fromEntries(standards) }
  return (iri: string, id: string, stored: JsonObject, outline: SelectedMembers = null): JsonObject => {
    if (outline === null) return { ...whole, ...stored, '@id': iri, id }
    const selected = standards.filter(([name]) => outline.has(name))
    return { '@id': iri, '@type': shape.type, id, ...Object.fromEntries(selected), ...stored }
  }
}

const expand = {
  product: expander(product),
  option: expander(productOption),
  value: expander(optionValue),
  variant: expander(variant),
  category: expander(category),
}

function commitOf({ version = 1, createdAt, updatedAt = createdAt }: StoredRow) {
  return { version, createdAt, updatedAt }
}

/** How a product is taken out of its stored parts. */
export type StoredForm<Document extends RowDocument> = {
  readonly form: DocumentForm<Document>
  readonly outline: SelectedMembers
  /** Whether its options and variants are taken. */
  readonly owned: boolean
  /** How many variants are taken at most. */
  readonly variants: number
  readonly hidden: readonly string[]
}

/** A product without its categories, which are read once for all products. */
export function productOf<Document extends RowDocument>(
  { id, parts, translations, metaobjects }: StoredProduct,
  { form, outline, owned, variants: most, hidden }: StoredForm<Document>,
): Omit<ProductParts<Document>, 'categories'> {
  const textsOf = (row: string) => (translations ? (translations[row] ?? {}) : null)
  const { variants = [], options = [], collections = [], variantsTotal = variants.length } = parts
  return {
    id,
    document: form(expand.product(productIri(id), id, parts.document, outline)),
    translations: textsOf(id),
    status: String(parts.document.status),
    metaobjects: metaobjects?.[id] ?? null,
    ...commitOf(parts),
    collections: hidden.length > 0 ? collections.filter((each) => !hidden.includes(each)) : collections,
    options: owned ? options.map((each, place) => optionOf(each, place, id, form, textsOf)) : [],
    variants: owned
      ? variants.slice(0, most).map((each, place) => variantOf(each, place, id, form, metaobjects?.[each.id]))
      : [],
    variantsTotal,
  }
}

function optionOf<Document extends RowDocument>(
  stored: StoredOption,
  place: number,
  productId: string,
  form: DocumentForm<Document>,
  textsOf: (id: string) => Translations | null,
): OptionParts<Document> {
  const { id, document, position = place, values = [], valuesTotal = values.length } = stored
  return {
    id,
    productId,
    document: form(expand.option(productOptionIri(id), id, document)),
    title: typeof document.title === 'string' ? document.title : null,
    translations: textsOf(id),
    position,
    ...commitOf(stored),
    valuesTotal,
    values: values.map((each, nth) => optionValueOf(each, nth, id, form, textsOf)),
  }
}

function optionValueOf<Document extends RowDocument>(
  stored: StoredPart,
  place: number,
  optionId: string,
  form: DocumentForm<Document>,
  textsOf: (id: string) => Translations | null,
): ValueParts<Document> {
  const { id, document, position = place } = stored
  return {
    id,
    optionId,
    document: form(expand.value(optionValueIri(id), id, document)),
    title: String(document.title),
    translations: textsOf(id),
    position,
    ...commitOf(stored),
  }
}

function variantOf<Document extends RowDocument>(
  stored: StoredVariant,
  place: number,
  productId: string,
  form: DocumentForm<Document>,
  metaobjects: readonly EmbeddedMetaobject[] | null = null,
): VariantParts<Document> {
  const { id, document, position = place, optionValues = [] } = stored
  return {
    id,
    productId,
    document: form(expand.variant(variantIri(productId, id), id, document)),
    status: String(document.status),
    optionValueIds: optionValues,
    position,
    metaobjects,
    ...commitOf(stored),
  }
}

/** The categories that were read to be embedded, by id; `expand` is how deep. */
export function embeddedById<Document extends RowDocument>(
  { stored = [], rows = [] }: StoredCategories,
  expand: number,
  form: DocumentForm<Document>,
): ReadonlyMap<string, CategoryParts<Document>> {
  if (expand === 0) return new Map(stored.map((each) => [each.id, categoryOf(each, form)]))
  const read = rows.map(({ document, ...row }) => ({
    ...row,
    document: document === null ? null : form(parsed(document)),
  }))
  return categoriesOf(read, { expand })
}

/** A category from its stored parts. */
function categoryOf<Document extends RowDocument>(
  stored: StoredCategory,
  form: DocumentForm<Document>,
): CategoryParts<Document> {
  const { id, parts, position, level, ancestors, childrenTotal, storedBytes } = stored
  return {
    id,
    document: parts && form(expand.category(categoryIri(id), id, parts.document)),
    translations: stored.translations ?? null,
    metaobjects: stored.metaobjects ?? null,
    parentId: stored.parentId ?? null,
    position,
    level,
    ...(parts ? commitOf(parts) : unread),
    ancestors,
    children: stored.children ?? null,
    childrenTotal,
    storedBytes,
  }
}

/** Version and times of a row that was not read. */
const unread = { version: 1, createdAt: '', updatedAt: '' }
