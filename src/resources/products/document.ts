import {
  bytesAtMost,
  bytesOf,
  bytesOfUnits,
  documentInLocale,
  fitsIn,
  type RowDocument,
  type SizedDocument,
  sized,
  textOf,
  type Value,
} from '../../core/document.ts'
import { type EventContext, type Kind, parseEventDocument } from '../../core/kind.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import { type Stamps, withStamps } from '../../core/plan.ts'
import { parsePropertiesParameters } from '../../core/select.ts'
import type { Translations } from '../../db/columns.ts'
import { type CategoryParts, embeddedCategories } from '../categories/document.ts'
import { collectionIri } from '../collections/schema.ts'
import { withMetaobjects } from '../fields/custom-fields.ts'
import type { EmbeddedMetaobject } from '../metaobjects/document.ts'
import { priceParameters } from '../prices/question.ts'
import type { Price } from '../prices/rows.ts'
import { type OptionParts, optionDocuments } from '../product-options/document.ts'
import {
  type VariantParts,
  type VariantValues,
  variantDocument,
  variantValues,
} from '../variants/document.ts'
import { product, productIri } from './schema.ts'

/** Leads to the variants of a product that its document does not embed; `asked` is what `askedOfVariants` gives. */
function continuation(id: string, shown: number, asked: string): Value {
  const list = `${productIri(id)}/variants`
  return {
    '@id': list,
    '@type': 'PartialCollectionView',
    next: `${list}?position%5Bfrom%5D=${shown}&itemsPerPage=100${asked}`,
  }
}

/**
 * What a request for products asks of their variants, as the list of variants takes it: prices, what is expanded, and those
 * of `properties[]` that begin with `variants`. Percent-encoded, each parameter behind an `&`.
 */
export function askedOfVariants(url: URL, query: Query): string {
  const { expand = [] } = query
  const prices = Object.keys(priceParameters).flatMap((name) =>
    query[name] === undefined ? [] : [[name, url.searchParams.get(name) ?? ''] as const],
  )
  const pairs = [
    ...prices,
    ...(expand.length > 0 ? [['expand', expand.join(',')] as const] : []),
    ...propertiesOfVariants(url),
  ]
  return pairs.map((pair) => `&${pair.map(encodeURIComponent).join('=')}`).join('')
}

type Query = Readonly<Record<string, unknown>> & { readonly expand?: readonly string[] | undefined }

function propertiesOfVariants(url: URL): (readonly [name: string, value: string])[] {
  const own = parsePropertiesParameters(url.searchParams).paths.filter(([name = '']) =>
    /^(?:variants|\*)$/.test(name),
  )
  // A variant that is named as a whole is shown as a whole, whatever is named in it as well.
  if (own.some((path) => path.length === 1)) return []
  return own.map((path) => {
    const [last = ''] = path.slice(-1)
    const parents = path.slice(1, -1).map((name) => `[${name}]`)
    return [`properties${parents.join('')}[]`, last]
  })
}

/** How much of what a product owns its document embeds: the variants by number and bytes, the values of its options by bytes. */
export type Room = {
  /** Variants by number. */
  readonly embedded: number
  /** Bytes of variants, as they are stored and as they are shown. */
  readonly variants: number
  /** Bytes of the values of all options. */
  readonly values: number
  /** Bytes of the whole document. */
  readonly document: number
  /** In a list, values are not read that are not shown. */
  readonly inList: boolean
  /** Whether prices are read with the variants. */
  readonly priced: boolean
}

/** How many variants a product embeds: on an item, in a list. */
export const embeddedOnItem = 250
export const embeddedInList = 50

export const onItem: Room = {
  embedded: embeddedOnItem,
  variants: byteLimits.item,
  values: byteLimits.optionValues.item,
  document: byteLimits.item,
  inList: false,
  priced: false,
}

export const inList: Room = {
  ...onItem,
  embedded: embeddedInList,
  variants: byteLimits.variantsInList,
  values: byteLimits.optionValues.list,
  inList: true,
}

/** For what is read of a product beside its variants. */
export const withoutVariants: Room = { ...onItem, embedded: 0 }

/** A product's own row. */
export type ProductRow<Document extends RowDocument = string> = {
  readonly id: string
  readonly document: Document
  readonly translations: Translations | null
  readonly status: string
  /** What its custom fields refer to. */
  readonly metaobjects?: readonly EmbeddedMetaobject[] | null
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** A product's row and what it belongs to: what its own event keeps. */
export type ProductOutline<Document extends RowDocument = string> = ProductRow<Document> & {
  readonly categories: readonly CategoryParts<Document>[]
  /** Ids, in their order. */
  readonly collections: readonly string[]
}

/** What a product's document is made of: its row and everything that it embeds. Plain JSON. */
export type ProductParts<Document extends RowDocument = string> = ProductOutline<Document> & {
  readonly options: readonly OptionParts<Document>[]
  readonly variants: readonly VariantParts<Document>[]
  readonly variantsTotal: number
  /** Characters of the JSON that it was read from, with the offers of its variants; a bound of the document's size follows from it. */
  readonly characters?: number
}

/** Resolved prices by variant id; null when no price was asked for. */
export type Prices = ReadonlyMap<string, Price | null> | null

const productTranslatable = ['title', 'description', 'seo']

/**
 * A product's document in a locale, with what it embeds, and prices where they were asked for. Of what it owns it embeds what
 * there is room for: options in full or without their values, and the first variants; totals and links tell of the rest, with
 * what was `asked` of variants.
 */
export function productDocument(
  parts: ProductParts<RowDocument>,
  locale: Locale,
  prices: Prices = null,
  room: Room = onItem,
  asked = '',
): Value {
  const { id, options, variants, variantsTotal, version, createdAt, updatedAt } = parts
  const values = variantValues(options, locale)
  const most = mostBytes(parts, values)
  const members = {
    options: optionDocuments(options, locale, room.values, most.options),
    categories: embeddedCategories(parts.categories, locale),
    collections: parts.collections.map(collectionIri),
  }
  const documentWith = (embedded: readonly Value[]) => {
    const document = documentInLocale(parts, productTranslatable, locale, {
      options: members.options,
      variants: embedded,
      variantsTotal,
      variantsView: variantsTotal > embedded.length ? continuation(id, embedded.length, asked) : undefined,
      categories: members.categories,
      collections: members.collections,
      version,
      createdAt,
      updatedAt,
    })
    return withMetaobjects(document, parts.metaobjects, locale)
  }
  const shown = variants.map((each) =>
    variantDocument(each, values, locale, prices ? { resolvedPrice: prices.get(each.id) ?? null } : {}),
  )
  if (most.all <= room.variants && most.all + beside <= room.document) return documentWith(shown)
  const weighed = shown.map(sized)
  // Few products come close to their room: only those are written out twice to be weighed.
  const own =
    locale.stored && typeof parts.document === 'string' ? bytesAtMost(parts.document) : byteLimits.rowDocument
  if (fitsIn(weighed, Math.min(room.variants, room.document - own - beside))) {
    return documentWith(shown)
  }
  const left = room.document - bytesOf(textOf(documentWith([])))
  return documentWith(first(weighed, Math.min(left, room.variants)))
}

/** Bytes that a document adds to the stored members of a variant, of a value in a variant, and of an option or value. */
const besides = { variant: 2_200, valueOfVariant: 240, option: 450 }

/** Bounds of the bytes of a product's options and of its whole document; unknown if it was not read as JSON. */
function mostBytes(
  { characters, options, variants }: ProductParts<RowDocument>,
  values: VariantValues,
): { readonly options: number; readonly all: number } {
  if (characters === undefined) return { options: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY }
  const stored = bytesOfUnits(characters)
  let longestTitle = 0
  for (const { title } of values.values()) longestTitle = Math.max(longestTitle, bytesOfUnits(title.length))
  // A variant has the title of each of its values twice: in its own title too.
  const ofValue = besides.valueOfVariant + 2 * longestTitle
  const ofOptions = stored + (options.length + values.size) * besides.option
  return {
    options: ofOptions,
    all: ofOptions + variants.length * (besides.variant + options.length * ofValue),
  }
}

/** What a product shows beside its own document and its variants takes no more bytes than this. */
const beside = byteLimits.optionValues.item + 2 * byteLimits.embedded + 100_000

/** The first of some documents that have room together. */
function first(documents: readonly SizedDocument[], room: number): Value[] {
  let left = room
  const end = documents.findIndex(({ bytes }) => {
    left -= bytes
    return left < 0
  })
  return documents.slice(0, end < 0 ? documents.length : end).map(({ document }) => document)
}

/** A product's parts with the stamps of a write on it and on everything that it embeds. */
export function stampedProduct(parts: ProductParts, stamps: Stamps): ProductParts {
  return {
    ...withStamps(parts, stamps),
    options: parts.options.map((option) => ({
      ...withStamps(option, stamps),
      values: option.values.map((value) => withStamps(value, stamps)),
    })),
    variants: parts.variants.map((each) => withStamps(each, stamps)),
  }
}

/** What a product embedded at a sequence: what the documents of past events are made from. */

/** What a product embedded at a sequence, read as far as it is asked for and as far as one event bears. */
export type Embedding = {
  /** With `only` these of their values; else with all, or none where those of all options are more than one event bears. */
  readonly options: (only?: readonly string[]) => OptionParts[]
  /** The values of an option, also of one that is deleted at this very sequence; likewise none where they are too much. */
  readonly valuesOf: (optionId: string) => Pick<OptionParts, 'values' | 'valuesTotal'>
  /** The first ones. */
  readonly variants: () => VariantParts[]
  readonly variantsTotal: () => number
}

/** What documents of products, and of what they own, show beside what their own event keeps. */
export type InProduct = EventContext & {
  /** What the product of the resource, or the product itself, embedded at that sequence. */
  readonly embedding: Embedding
  /** The categories that a variant's product was in. */
  readonly categories: readonly CategoryParts[]
}

export const productKind: Kind<InProduct> = {
  name: 'products',
  subject: 'product',
  noun: 'A product',
  alsoUpdated: 'So was one whose option, value, variant or category membership changed.',
  shape: product,
  document(kept, around, locale) {
    const { embedding, most } = around
    const parts = {
      ...parseEventDocument<ProductParts>(kept, around),
      options: embedding.options(),
      variants: embedding.variants(),
      variantsTotal: embedding.variantsTotal(),
    }
    return productDocument(parts, locale, null, { ...onItem, variants: most, document: most })
  },
}
