/**
 * Converts the stored JSON of products and categories (migrations/functions/52_product_parts.sql) into the parts of documents.
 * The JSON omits members that are null, empty lists, the version 1, and a position that equals the index in the list.
 */

import * as z from 'zod'
import { measure, referenceUnit } from '../../core/context.ts'
import { completeDocument, type RowDocument } from '../../core/document.ts'
import { type JsonObject, jsonObject } from '../../core/json.ts'
import type { Shape } from '../../core/schema.ts'
import { type Translations, translationsRow } from '../../db/columns.ts'
import { columnsOf } from '../../db/query.ts'
import { parseStored } from '../../db/row-types.ts'
import { type CategoryParts, categoryRow } from '../categories/document.ts'
import { categoriesOf } from '../categories/read.ts'
import { category, categoryIri } from '../categories/schema.ts'
import { type EmbeddedMetaobject, embeddedMetaobjects } from '../metaobjects/document.ts'
import { storedOffer, storedTerms } from '../prices/read.ts'
import type { OptionParts, ValueParts } from '../product-options/document.ts'
import { optionValue, optionValueIri, productOption, productOptionIri } from '../product-options/schema.ts'
import type { VariantParts } from '../variants/document.ts'
import { variant, variantIri } from '../variants/schema.ts'
import type { ProductParts } from './document.ts'
import { product, productIri } from './schema.ts'
import { storedCorrection } from './search.ts'

/** A row: the members of its document, its version and its times. */
type StoredRow = z.infer<typeof storedRow>
const storedRow = z.object({
  document: jsonObject,
  version: z.number().optional(),
  createdAt: z.string(),
  /** Absent if no write has changed the row. */
  updatedAt: z.string().optional(),
})

/** An option, value or variant. `position` is absent if it equals the index in the list. */
type StoredPart = z.infer<typeof storedPart>
const storedPart = storedRow.extend({ id: z.string(), position: z.number().optional() })

type StoredOption = z.infer<typeof storedOption>
const storedOption = storedPart.extend({
  values: z.array(storedPart).optional(),
  /** The number of all values; absent if `values` has all. */
  valuesTotal: z.number().optional(),
})

type StoredVariant = z.infer<typeof storedVariant>
const storedVariant = storedPart.extend({
  document: jsonObject.and(z.object({ measure: measure.optional() })),
  optionValues: z.array(z.string()).optional(),
})

/** A product as `read_product_parts()` returns it. */
export type StoredProduct = z.infer<typeof storedProduct>
export const storedProduct = z.object({
  id: z.string(),
  categoryIds: z.array(z.string()),
  /** The column `parts` of `product_parts`. */
  parts: storedRow.extend({
    collections: z.array(z.string()).optional(),
    options: z.array(storedOption).optional(),
    variants: z.array(storedVariant).optional(),
    /** The number of all active variants; absent if `variants` has all. */
    variantsTotal: z.number().optional(),
  }),
  /** By the id of the product, option or value; absent if translations were not requested. */
  translations: z.record(z.string(), translationsRow).optional(),
  /** By the id of the variant; absent without a price request. */
  offers: z.record(z.string(), z.array(storedOffer)).optional(),
  terms: z.record(z.string(), z.array(storedTerms)).optional(),
  /** The metaobjects that custom fields refer to, by the id of the product or variant. */
  metaobjects: z.record(z.string(), embeddedMetaobjects).nullish(),
})

/** Categories as `read_embedded_categories()` returns them. */
export type StoredCategories = z.infer<typeof storedCategories>

type StoredCategory = z.infer<typeof storedCategory>
const storedCategory = z.object({
  id: z.string(),
  /** Null beyond the byte limit of embedded categories. */
  parts: storedRow.nullable(),
  translations: translationsRow.nullish(),
  metaobjects: embeddedMetaobjects.optional(),
  parentId: z.string().optional(),
  ...columnsOf(z.number(), 'position', 'level', 'childrenTotal', 'storedBytes'),
  ancestors: z.array(z.string()),
  children: z.array(z.string()).optional(),
})

export const storedCategories = z.object({
  stored: z.array(storedCategory).optional(),
  /** Present if sub-categories are expanded. */
  rows: z.array(z.object(categoryRow)).optional(),
})

/** The first text that `read_product_parts()` returns. */
export const storedHead = z.object({
  /** The tenant's event sequence. */
  sequence: z.number(),
  total: z.number().optional(),
  /** The id, the keys of the order, and the number of matches of each row. */
  page: z.array(z.tuple([z.string(), z.array(z.string()), z.number()])).optional(),
  corrections: z.array(storedCorrection).optional(),
  /** The names in the query that select a product. */
  foundNames: z.array(z.string()).optional(),
  /** The lowest and the highest price of products in minor units, by id. */
  priceRanges: z.record(z.string(), z.tuple([z.string(), z.string()])).nullish(),
  /** The result of `price_history()`. */
  history: z.string().optional(),
  /** Deleted collections, which stored parts contain until the rebuild. */
  hidden: z.array(z.string()).nullish(),
  categories: storedCategories.optional(),
  /** The reference units of categories by id: each one's own, then those of its ancestors, the nearest first. */
  referenceUnits: z.record(z.string(), z.array(referenceUnit)).optional(),
})

/** Converts the stored members of a document to the form that callers use. */
export type DocumentFormat<Document extends RowDocument> = (members: JsonObject, shape: Shape) => Document

export const asMembers: DocumentFormat<JsonObject> = (members) => members
/** The text that a row stores. */
export const asText: DocumentFormat<string> = (members, shape) =>
  JSON.stringify(completeDocument(members, shape))

function commitOf({ version = 1, createdAt, updatedAt = createdAt }: StoredRow) {
  return { version, createdAt, updatedAt }
}

/** How `productOf()` converts stored parts. */
export type ProductFormat<Document extends RowDocument> = {
  readonly format: DocumentFormat<Document>
  readonly withOptionsAndVariants: boolean
  readonly maxVariants: number
  readonly deletedCollections: readonly string[]
}

/** Converts a product. Its categories are missing, because one list has the categories of all products. */
export function productOf<Document extends RowDocument>(
  { id, parts, translations, metaobjects }: StoredProduct,
  productFormat: ProductFormat<Document>,
): Omit<ProductParts<Document>, 'categories'> {
  const { format, withOptionsAndVariants, maxVariants, deletedCollections } = productFormat
  const textsOf = (row: string) => (translations ? (translations[row] ?? {}) : null)
  const { collections = [], variantsTotal = parts.variants?.length ?? 0 } = parts
  const { options = [], variants = [] }: Partial<StoredProduct['parts']> = withOptionsAndVariants ? parts : {}
  return {
    id,
    document: format({ ...parts.document, '@id': productIri(id), id }, product),
    translations: textsOf(id),
    status: String(parts.document.status),
    metaobjects: metaobjects?.[id] ?? null,
    ...commitOf(parts),
    collections: collections.filter((collection) => !deletedCollections.includes(collection)),
    options: options.map((option, index) => optionOf(option, index, id, format, textsOf)),
    variants: variants
      .slice(0, maxVariants)
      .map((variant, index) => variantOf(variant, index, id, format, metaobjects?.[variant.id])),
    variantsTotal,
  }
}

function optionOf<Document extends RowDocument>(
  option: StoredOption,
  index: number,
  productId: string,
  format: DocumentFormat<Document>,
  textsOf: (id: string) => Translations | null,
): OptionParts<Document> {
  const { id, document, position = index, values = [], valuesTotal = values.length } = option
  return {
    id,
    productId,
    document: format({ ...document, '@id': productOptionIri(id), id }, productOption),
    title: typeof document.title === 'string' ? document.title : null,
    translations: textsOf(id),
    position,
    ...commitOf(option),
    valuesTotal,
    values: values.map((value, valueIndex) => optionValueOf(value, valueIndex, id, format, textsOf)),
  }
}

function optionValueOf<Document extends RowDocument>(
  value: StoredPart,
  index: number,
  optionId: string,
  format: DocumentFormat<Document>,
  textsOf: (id: string) => Translations | null,
): ValueParts<Document> {
  const { id, document, position = index } = value
  return {
    id,
    optionId,
    document: format({ ...document, '@id': optionValueIri(id), id }, optionValue),
    title: String(document.title),
    translations: textsOf(id),
    position,
    ...commitOf(value),
  }
}

function variantOf<Document extends RowDocument>(
  storedVariant: StoredVariant,
  index: number,
  productId: string,
  format: DocumentFormat<Document>,
  metaobjects: readonly EmbeddedMetaobject[] | null = null,
): VariantParts<Document> {
  const { id, document, position = index, optionValues = [] } = storedVariant
  return {
    id,
    productId,
    document: format({ ...document, '@id': variantIri(productId, id), id }, variant),
    status: String(document.status),
    optionValueIds: optionValues,
    position,
    metaobjects,
    ...commitOf(storedVariant),
  }
}

/** Converts categories to embed, by id. `expand` is the number of levels below them. */
export function parseCategories<Document extends RowDocument>(
  { stored = [], rows = [] }: StoredCategories,
  expand: number,
  format: DocumentFormat<Document>,
): ReadonlyMap<string, CategoryParts<Document>> {
  if (expand === 0) return new Map(stored.map((category) => [category.id, categoryOf(category, format)]))
  const categoryRows = rows.map(({ document, ...row }) => ({
    ...row,
    document: document === null ? null : format(parseStored(jsonObject, document), category),
  }))
  return categoriesOf(categoryRows, { expand })
}

function categoryOf<Document extends RowDocument>(
  storedCategory: StoredCategory,
  format: DocumentFormat<Document>,
): CategoryParts<Document> {
  const { id, parts, position, level, ancestors, childrenTotal, storedBytes } = storedCategory
  return {
    id,
    document: parts && format({ ...parts.document, '@id': categoryIri(id), id }, category),
    translations: storedCategory.translations ?? null,
    metaobjects: storedCategory.metaobjects ?? null,
    parentId: storedCategory.parentId ?? null,
    position,
    level,
    ...(parts ? commitOf(parts) : unreadCommit),
    ancestors,
    children: storedCategory.children ?? null,
    childrenTotal,
    storedBytes,
  }
}

/** Version and times of a category whose parts were not read. */
const unreadCommit = { version: 1, createdAt: '', updatedAt: '' }
