/** Renders the document of a product with its options, variants, categories and prices, within the limits of a response. */
import * as z from 'zod'
import { documentInLocale, fitsIn, type RowDocument, sized, textOf, type Value } from '../../core/document.ts'
import { type EventContext, type Kind, parseEventDocument } from '../../core/kind.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import { type Stamps, withStamps } from '../../core/plan.ts'
import { parsePropertiesParameters, type SelectedMembers, selectedIn, selects } from '../../core/select.ts'
import { bytesOf, bytesOfUnits } from '../../core/sizes.ts'
import { type Translations, translationsRow } from '../../db/columns.ts'
import { columnsOf } from '../../db/query.ts'
import { type CategoryParts, embeddedCategories, eventCategory } from '../categories/document.ts'
import { collectionIri } from '../collections/schema.ts'
import { withMetaobjects } from '../fields/custom-fields.ts'
import { type EmbeddedMetaobject, embeddedMetaobjects } from '../metaobjects/document.ts'
import { priceMember, type Prices as VariantPrices } from '../prices/read.ts'
import { priceParameters } from '../prices/request.ts'
import { type OptionParts, optionDocuments } from '../product-options/document.ts'
import { viewOf } from '../shared/properties.ts'
import {
  type VariantParts,
  type VariantValues,
  variantDocument,
  variantValues,
} from '../variants/document.ts'
import type { PriceRange } from './price-filters.ts'
import { product, productIri } from './schema.ts'

/**
 * Renders a product in a locale, with prices if they were requested. A product that exceeds the limits has options without values, or no
 * variants. `variantsView` links to the variants that are not embedded, with `variantQuery`. Of the stored members it renders those that
 * are selected.
 */
export function productDocument(
  parts: ProductParts<RowDocument>,
  locale: Locale,
  prices: Prices = null,
  limits: EmbeddingLimits = itemLimits,
  variantQuery = '',
  selectedMembers: SelectedMembers = null,
): Value {
  const { id, options, variants, variantsTotal, version, createdAt, updatedAt } = parts
  const values = variantValues(options, locale)
  const maxBytes = maxBytesOf(parts, values)
  const members = {
    options: selects(selectedMembers, 'options')
      ? optionDocuments(options, locale, limits.valueBytes, {
          bound: maxBytes.options,
          selectedMembers: selectedIn(selectedMembers, 'options'),
        })
      : [],
    categories: selects(selectedMembers, 'categories') ? embeddedCategories(parts.categories, locale) : [],
    collections: parts.collections.map(collectionIri),
  }
  const documentWith = (embedded: readonly Value[]) => {
    const document = {
      ...documentInLocale(parts, product, locale, selectedMembers),
      options: members.options,
      variants: embedded,
      priceRange: parts.priceRange,
      variantsTotal,
      variantsView:
        variantsTotal > embedded.length ? nextVariants(id, embedded.length, variantQuery) : undefined,
      categories: members.categories,
      breadcrumbs: parts.breadcrumbs,
      collections: members.collections,
      version,
      createdAt,
      updatedAt,
    }
    return withMetaobjects(document, parts.metaobjects, locale)
  }
  const selectedVariants = selects(selectedMembers, 'variants') ? variants : []
  const variantDocuments = selectedVariants.map((variant) =>
    variantDocument(
      variant,
      values,
      locale,
      prices ? priceMember(prices.get(variant.id) ?? null) : {},
      selectedIn(selectedMembers, 'variants'),
    ),
  )
  // The bounds include one price for each variant.
  const [firstPrice] = prices?.values() ?? []
  const isBounded = !Array.isArray(firstPrice)
  if (
    isBounded &&
    maxBytes.all <= limits.variantBytes &&
    maxBytes.all + otherMembersBytes <= limits.documentBytes
  )
    return documentWith(variantDocuments)
  // Few products come close to the limits. Only their documents are rendered twice to measure them.
  const withoutVariants = documentWith([])
  const remainingBytes = limits.documentBytes - bytesOf(textOf(withoutVariants))
  const fit = fitsIn(variantDocuments.map(sized), Math.min(remainingBytes, limits.variantBytes))
  return fit ? documentWith(variantDocuments) : withoutVariants
}

/** Limits of what the document of a product embeds. */
export type EmbeddingLimits = {
  readonly maxVariants: number
  /** Bytes of all variants, both as stored and as rendered. */
  readonly variantBytes: number
  /** Bytes of the values of all options. */
  readonly valueBytes: number
  /** Bytes of the whole document. */
  readonly documentBytes: number
  /** True in a list, which does not read values that exceed the limit. */
  readonly isList: boolean
}

export const embeddedVariantsOnItem = 250
export const embeddedVariantsInList = 50

export const itemLimits: EmbeddingLimits = {
  maxVariants: embeddedVariantsOnItem,
  variantBytes: byteLimits.item,
  valueBytes: byteLimits.optionValues.item,
  documentBytes: byteLimits.item,
  isList: false,
}

export const listLimits: EmbeddingLimits = {
  ...itemLimits,
  maxVariants: embeddedVariantsInList,
  variantBytes: byteLimits.variantsInList,
  valueBytes: byteLimits.optionValues.list,
  isList: true,
}

/** The maximum number of prices that a product embeds in several markets, on an item and in a list. */
export const maximumEmbeddedPrices = { item: 1000, list: 200 } as const

/** Limits for reads that use no variants of the product. */
export const withoutVariants: EmbeddingLimits = { ...itemLimits, maxVariants: 0 }

/** Bytes that a document adds to the stored members of a variant, of a value in a variant, and of an option or value. */
const extraBytes = { variant: 2_200, valueOfVariant: 240, option: 450 }

/** The maximum bytes of a product's members other than its own row and its variants. */
const otherMembersBytes = byteLimits.optionValues.item + 3 * byteLimits.embedded + 100_000

/** Upper bounds for the bytes of a product's options, and of options and variants together; infinite if it was not read as JSON. */
function maxBytesOf(
  { characters, options, variants }: ProductParts<RowDocument>,
  values: VariantValues,
): { readonly options: number; readonly all: number } {
  if (characters === undefined) return { options: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY }
  const storedBytes = bytesOfUnits(characters)
  let longestTitle = 0
  for (const { title } of values.values()) longestTitle = Math.max(longestTitle, bytesOfUnits(title.length))
  // A variant has the title of each of its values twice: in its own title too.
  const bytesOfValue = extraBytes.valueOfVariant + 2 * longestTitle
  const bytesOfOptions = storedBytes + (options.length + values.size) * extraBytes.option
  return {
    options: bytesOfOptions,
    all: bytesOfOptions + variants.length * (extraBytes.variant + options.length * bytesOfValue),
  }
}

/** The link to the variants that a document does not embed. */
function nextVariants(id: string, embeddedCount: number, variantQuery: string): Value {
  const list = `${productIri(id)}/variants`
  return viewOf(list, `${list}?position%5Bfrom%5D=${embeddedCount}&itemsPerPage=100${variantQuery}`)
}

/**
 * The query parameters of a request for products that also apply to the list of variants: prices, `expand`, and the paths of
 * `properties[]` below `variants`. Percent-encoded, each after an `&`.
 */
export function variantListQuery(url: URL, query: Query): string {
  const { expand = [] } = query
  const prices = Object.keys(priceParameters).flatMap((name) =>
    // The list of variants explains no prices.
    query[name] === undefined || name === 'explain'
      ? []
      : url.searchParams.getAll(name).map((value) => [name, value] as const),
  )
  const parameters = [
    ...prices,
    ...(expand.length > 0 ? [['expand', expand.join(',')] as const] : []),
    ...variantProperties(url),
  ]
  return parameters.map((pair) => `&${pair.map(encodeURIComponent).join('=')}`).join('')
}

type Query = Readonly<Record<string, unknown>> & { readonly expand?: readonly string[] | undefined }

function variantProperties(url: URL): (readonly [name: string, value: string])[] {
  const paths = parsePropertiesParameters(url.searchParams).paths.filter(([name = '']) =>
    /^(?:variants|\*)$/.test(name),
  )
  // A path that ends at `variants` selects complete variants, so longer paths have no effect.
  if (paths.some((path) => path.length === 1)) return []
  return paths.map((path) => {
    const [last = ''] = path.slice(-1)
    const parents = path.slice(1, -1).map((name) => `[${name}]`)
    return [`properties${parents.join('')}[]`, last]
  })
}

/** The row of a product. */
export type ProductRow<Document extends RowDocument = string> = {
  readonly id: string
  readonly document: Document
  readonly translations: Translations | null
  readonly status: string
  /** The metaobjects that its custom fields refer to. */
  readonly metaobjects?: readonly EmbeddedMetaobject[] | null
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** A product without options and variants. Its events store these members. */
export type ProductBase<Document extends RowDocument = string> = ProductRow<Document> & {
  readonly categories: readonly CategoryParts<Document>[]
  /** The ids in the order of the document. */
  readonly collections: readonly string[]
}

/** A product with everything that its document embeds, as plain JSON. */
export type ProductParts<Document extends RowDocument = string> = ProductBase<Document> & {
  readonly options: readonly OptionParts<Document>[]
  readonly variants: readonly VariantParts<Document>[]
  readonly variantsTotal: number
  /** A list for each category, if they were requested. */
  readonly breadcrumbs?: readonly Value[] | undefined
  /** Undefined if none is requested. */
  readonly priceRange?: PriceRange | undefined
  /** The length of the JSON that it was parsed from, with the offers of its variants. It bounds the size of the document. */
  readonly characters?: number
}

/** Resolved prices by variant id; null if the request has no price context. */
export type Prices = ReadonlyMap<string, VariantPrices> | null

/** A product with the version and times of a write on it and on its options, values and variants. */
export function withProductStamps(parts: ProductParts, stamps: Stamps): ProductParts {
  return {
    ...withStamps(parts, stamps),
    options: parts.options.map((option) => ({
      ...withStamps(option, stamps),
      values: option.values.map((value) => withStamps(value, stamps)),
    })),
    variants: parts.variants.map((variant) => withStamps(variant, stamps)),
  }
}

/** The options and variants of a product at the sequence of an event. Rows are read on the first call, within the limits of one event. */
export type Embedding = {
  /** With `only`, options have only these values. Otherwise they have all, or none if all values exceed the limit. */
  readonly options: (only?: readonly string[]) => OptionParts[]
  /** The values of an option, also of one that the event deletes. Empty if they exceed the limit. */
  readonly valuesOf: (optionId: string) => Pick<OptionParts, 'values' | 'valuesTotal'>
  /** The first variants, within the limits. */
  readonly variants: () => VariantParts[]
  readonly variantsTotal: () => number
}

/** Rows for the event documents of products, options, values and variants that the events themselves do not store. */
export type ProductEventContext = EventContext & {
  /** Of the resource's product, or of the product itself. */
  readonly embedding: Embedding
  /** The categories of a variant's product at that sequence. */
  readonly categories: readonly CategoryParts[]
}

/** The parts of a product that its event stores. */
const eventProduct = z.object({
  ...columnsOf(z.string(), 'id', 'document', 'status'),
  translations: translationsRow.nullable(),
  metaobjects: embeddedMetaobjects.optional(),
  categories: z.array(eventCategory).readonly(),
  collections: z.array(z.string()).readonly(),
})

export const productKind: Kind<ProductEventContext> = {
  name: 'products',
  subject: 'product',
  noun: 'A product',
  alsoUpdated:
    'Also reported if an option, a value, a variant or a category membership of it changed; for a price only if an upsert of the product wrote it.',
  shape: product,
  document(eventDocument, context, locale) {
    const { embedding, maxBytes } = context
    const parts = {
      ...parseEventDocument(eventProduct, eventDocument, context),
      options: embedding.options(),
      variants: embedding.variants(),
      variantsTotal: embedding.variantsTotal(),
    }
    return productDocument(parts, locale, null, {
      ...itemLimits,
      variantBytes: maxBytes,
      documentBytes: maxBytes,
    })
  },
}
