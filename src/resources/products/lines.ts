/**
 * Products as `tell_products()` tells them (migrations/functions/52_products.sql), and `tell_kept_products()` in front of it
 * (migrations/functions/60_product_cache.sql): lines of fields, of which parts are made without looking into their documents.
 */
import { parsed } from '../../core/json.ts'
import { type CategoryRow, categoryOfLine } from '../categories/read.ts'
import type { OfferRow } from '../prices/rows.ts'
import type { OptionParts, ValueParts } from '../product-options/document.ts'
import type { VariantParts } from '../variants/document.ts'
import type { ProductParts } from './document.ts'

/** A product as it is told, without its categories' own rows: these are lines of their own. */
type ToldProduct = Omit<ProductParts, 'categories'> & {
  /** Ids, in their order. */
  readonly categoryIds: readonly string[]
  /** Which of its editions this is, where a rendered text would have done. */
  readonly edition: string
}

/** A product as a text that was rendered before, and what that has gaps for. */
type ToldRendered = {
  readonly id: string
  readonly version: number
  /** Ids, in their order. */
  readonly categoryIds: readonly string[]
  readonly collections: readonly string[]
  /** Of each variant in the text; none where no price is asked for. */
  readonly offers: readonly string[]
  /** Of each variant, the recorded terms that are kept beside its offers; null where they are none of the line's. */
  readonly terms: readonly string[] | null
  readonly text: string
}

/** Ids of what can be kept for whoever reads next, and is not. */
export type Unkept = { readonly products: readonly string[]; readonly categories: readonly string[] }

/** What a product's line and those of categories tell. */
export type Told = {
  readonly products: readonly ToldProduct[]
  readonly rendered: readonly ToldRendered[]
  readonly categories: readonly CategoryRow[]
  /** The offers of variants that have any. */
  readonly offers: readonly OfferRow[]
  /** Of each variant that is reduced, the recorded terms that its prior price is told of. */
  readonly priorTerms: readonly string[]
  /** The fields of the line that begins with `h`, what is told beside the products. */
  readonly head: readonly string[]
  /** Rendered products whose offers or belonging are not kept beside their texts, and categories. */
  readonly unkept: Unkept
}

/** Reads rows of one text each, products, categories and a head, in any order. */
export function productsFromLines(rows: readonly { readonly line: string }[]): Told {
  const told = {
    products: [] as ToldProduct[],
    rendered: [] as ToldRendered[],
    categories: [] as CategoryRow[],
    offers: [] as OfferRow[],
    priorTerms: [] as string[],
    head: [] as string[],
    unkept: { products: [] as string[], categories: [] as string[] },
  }
  for (const { line } of rows) {
    if (line.startsWith('k\t') || line.startsWith(withTerms)) {
      const product = rendered(line)
      told.rendered.push(product)
      if (line.endsWith(unkept)) told.unkept.products.push(product.id)
    } else if (line.startsWith('c\t')) {
      const isUnkept = line.endsWith(unkept)
      const category = categoryOfLine(line.slice('c\t'.length, isUnkept ? -unkept.length : undefined))
      told.categories.push(category)
      if (isUnkept) told.unkept.categories.push(category.id)
    } else if (line.startsWith('p\t')) told.priorTerms.push(line.slice(2))
    else if (line.startsWith('h\t')) told.head = line.split('\t').slice(1)
    else told.products.push(product(line, told.offers))
  }
  return told
}

/** The field behind a line whose product or category can be kept. */
const unkept = '\t+'
/** The beginning of a rendered product's line that ends with recorded terms. */
const withTerms = 'K\t'

function rendered(line: string): ToldRendered {
  const [, id = '', version, categories, collections, offers, text = '', terms = ''] = line.split('\t')
  return {
    id,
    version: Number(version),
    categoryIds: listed(categories),
    collections: listed(collections),
    offers: offers ? offers.split('|') : [],
    terms: line.startsWith(withTerms) ? terms.split('|') : null,
    text,
  }
}

function product(text: string, offers: OfferRow[]): ToldProduct {
  const [own = '', ...lines] = text.split('\n')
  const [
    id = '',
    document = '',
    texts,
    status = '',
    metaobjects,
    version,
    created = '',
    updated,
    total,
    ...belonging
  ] = own.split('\t')
  const [categories, collections, edition = ''] = belonging
  const options: (OptionParts & { values: ValueParts[] })[] = []
  const values: ValueParts[] = []
  const variants: VariantParts[] = []
  for (const line of lines) {
    const fields = line.split('\t')
    if (fields[0] === 'o') options.push(option(fields, id))
    else if (fields[0] === 'v') values.push(value(fields))
    else if (fields[0] === 't') offers.push(known(fields))
    else variants.push(variant(fields, id, offers))
  }
  for (const each of values) options.find((option) => option.id === each.optionId)?.values.push(each)
  return {
    id,
    document,
    translations: texts ? parsed(texts) : null,
    status,
    metaobjects: metaobjects ? parsed(metaobjects) : null,
    version: Number(version),
    createdAt: created,
    updatedAt: updated || created,
    variantsTotal: Number(total),
    categoryIds: listed(categories),
    collections: listed(collections),
    edition,
    options,
    variants,
  }
}

const listed = (ids: string | undefined) => (ids ? ids.split(',') : [])

/** Titles have their own escapes only where they need any. */
const title = (json: string) => (json.includes('\\') ? parsed<string>(json) : json.slice(1, -1))

function option(fields: readonly string[], productId: string): OptionParts & { values: ValueParts[] } {
  const [, id = '', document = '', named, texts, position, version, created = '', updated, total] = fields
  return {
    id,
    productId,
    document,
    title: named ? title(named) : null,
    translations: texts ? parsed(texts) : null,
    position: Number(position),
    version: Number(version),
    createdAt: created,
    updatedAt: updated || created,
    valuesTotal: Number(total),
    values: [],
  }
}

function value(fields: readonly string[]): ValueParts {
  const [
    ,
    id = '',
    optionId = '',
    document = '',
    named = '',
    texts,
    position,
    version,
    created = '',
    updated,
  ] = fields
  return {
    id,
    optionId,
    document,
    title: title(named),
    translations: texts ? parsed(texts) : null,
    position: Number(position),
    version: Number(version),
    createdAt: created,
    updatedAt: updated || created,
  }
}

/** The offers of a variant as they were recorded at a moment. */
function known([, variantId = '', offers = '']: readonly string[]): OfferRow {
  return { variantId, offers }
}

function variant(fields: readonly string[], productId: string, offers: OfferRow[]): VariantParts {
  const [
    ,
    id = '',
    document = '',
    status = '',
    valueIds,
    position,
    metaobjects,
    version,
    created = '',
    ...rest
  ] = fields
  const [updated, offered] = rest
  if (offered !== undefined) offers.push({ variantId: id, offers: offered })
  return {
    id,
    productId,
    document,
    status,
    optionValueIds: listed(valueIds),
    position: position ? Number(position) : null,
    metaobjects: metaobjects ? parsed(metaobjects) : null,
    version: Number(version),
    createdAt: created,
    updatedAt: updated || created,
  }
}
