import { randomUUID } from 'node:crypto'
import {
  type ImportedProduct,
  type ImportedVariant,
  iriOf,
  type Media,
  type ProductDocument,
  type Remark,
  type SaleOfferDocument,
  type VariantDocument,
} from './product.ts'
import { sameAmount } from './values.ts'

/** Where the prices of the file hold. */
export type Target = { channel: string; currency: string }

export type PlannedVariant = { wanted: ImportedVariant; current: VariantDocument | null }

export type UpdatePlan = {
  patch: Record<string, unknown> | null
  /** Puts the product on sale, or withdraws it. */
  placement: Record<string, unknown> | null
  /** Values to add, with the option they belong to; `iri` is null when the option itself is to be added. */
  options: { title: string; iri: string | null; values: string[] }[]
  variants: (PlannedVariant & { patch: Record<string, unknown> | null })[]
}

/** The most prices that one request creates. */
export const pricesPerRequest = 250

/** The body that creates a product with its options, variants and prices in one request. */
export function creationBody(product: ImportedProduct, target: Target): Record<string, unknown> {
  const { channel } = target
  const {
    line: _,
    rows: _rows,
    isPartial,
    keepsMedia: _keeps,
    published,
    options,
    variants,
    seo,
    ...plain
  } = product
  return {
    ...withoutBlanks(plain),
    ...(seo && (seo.title || seo.description) && { seo: withoutBlanks(seo) }),
    ...(published && !isPartial ? { status: 'ACTIVE', channels: [channel] } : { status: 'DRAFT' }),
    options: options.map(({ title, values }) => ({
      title,
      values: values.map((value) => ({ title: value })),
    })),
    variants: variants.map((variant, index) => {
      const price = isPricedAtOnce(variants, index) ? priceBody(variant, target, randomUUID()) : null
      return { ...variantBody(variant), ...(price && { saleOffers: [price] }) }
    }),
  }
}

/** Whether a new product's variant has its price in the same request: as many of the first as one takes. */
export function isPricedAtOnce(variants: readonly ImportedVariant[], index: number): boolean {
  const before = variants.slice(0, index).filter(({ price }) => price !== null)
  return variants[index]?.price != null && before.length < pricesPerRequest
}

/** The body of a price. Null if the file has none. `mark` makes its external id differ from those of other variants. */
function priceBody({ price, compareAt }: ImportedVariant, target: Target, mark: string) {
  if (price === null) return null
  const { channel, currency } = target
  const externalId = markOf(target) + mark
  return { channel, currency, amount: price, ...(compareAt && { compareAtAmount: compareAt }), externalId }
}

/** The beginning of the external ids of imported prices in this channel and currency. */
function markOf({ channel, currency }: Target): string {
  return `import:${channel}:${currency}:`
}

export function variantBody(variant: ImportedVariant): Record<string, unknown> {
  const { line: _, price: _price, compareAt: _compareAt, optionValues, ...plain } = variant
  return { ...withoutBlanks(plain), optionValues }
}

/** The writes that make a product equal to the file's. Variants that the file does not contain stay. */
export function planUpdate(product: ImportedProduct, current: ProductDocument, target: Target): UpdatePlan {
  const titles = optionTitles(current)
  return {
    patch: productPatch(product, current),
    // A partial product is not put on sale, but it can be withdrawn.
    placement:
      product.isPartial && product.published ? null : placement(product.published, current, target.channel),
    options: product.options.flatMap(({ title, values }) => {
      const known = current.options.find((option) => option.title === title)
      const missing = values.filter((value) => !known?.values.some((there) => there.title === value))
      return known && missing.length === 0 ? [] : [{ title, iri: known?.['@id'] ?? null, values: missing }]
    }),
    variants: pairVariants(product.variants, current).map(({ wanted, current: known }) => ({
      wanted,
      current: known,
      patch: known && variantPatch(wanted, known, titles),
    })),
  }
}

/**
 * Refuses an update in a language into which the product's options are not translated yet: their titles would be
 * taken for options that are missing, and added a second time.
 */
export function untranslated(product: ImportedProduct, current: ProductDocument): Remark | null {
  const strange = product.options.find(({ title, values }) => {
    const known = current.options.find((option) => option.title === title)
    if (!known) return current.options.some(({ fallbacks }) => fallbacks?.title)
    return (
      known.values.some(({ fallbacks }) => fallbacks?.title) &&
      values.some((value) => !known.values.some((there) => there.title === value))
    )
  })
  if (!strange) return null
  const message = `The option "${strange.title}" is not translated into this language in the catalogue; translate it there first.`
  return { line: product.line, handle: product.handle, message }
}

/**
 * Finds each variant of the file in the catalogue: by its combination, else by its SKU, else the one that lacks only
 * options which the file adds (a product that gains an option keeps its variants, and their prices).
 */
export function pairVariants(wanted: readonly ImportedVariant[], current: ProductDocument): PlannedVariant[] {
  const titles = optionTitles(current)
  const free = new Map(current.variants.map((variant) => [variant, valuesOf(variant, titles)]))
  const found = new Map<ImportedVariant, VariantDocument>()

  const claim = (
    fits: (variant: ImportedVariant, known: VariantDocument, values: Map<string, string>) => boolean,
  ) => {
    for (const variant of wanted) {
      if (found.has(variant)) continue
      const match = [...free].find(([known, values]) => fits(variant, known, values))
      if (!match) continue
      found.set(variant, match[0])
      free.delete(match[0])
    }
  }
  claim((variant, _, values) => values.size === variant.optionValues.length && covers(variant, values))
  claim((variant, known) => Boolean(variant.sku) && variant.sku === known.sku)
  claim((variant, _, values) => values.size < variant.optionValues.length && isPartOf(values, variant))
  return wanted.map((variant) => ({ wanted: variant, current: found.get(variant) ?? null }))
}

export type OfferPlan =
  | { kind: 'create'; body: Record<string, unknown> }
  | { kind: 'patch'; iri: string; patch: Record<string, unknown> }
  | { kind: 'unchanged' }

/**
 * The write that gives a variant the file's price in the channel; null if the file has none. The offer is
 * the one that an import made, or else the variant's plain one: no country, no window, one piece, no priority.
 */
export function planOffer(
  wanted: ImportedVariant,
  variant: string,
  offers: readonly SaleOfferDocument[],
  target: Target,
): OfferPlan | null {
  const { price, compareAt } = wanted
  const { channel, currency } = target
  if (price === null) return null
  const live = offers.filter(
    (offer) => iriOf(offer.variant) === variant && offer.status !== 'ARCHIVED' && offer.currency === currency,
  )
  const known =
    live.find(({ externalId }) => externalId?.startsWith(markOf(target))) ??
    live.find((offer) => offer.channel === channel && isPlain(offer))
  if (!known) {
    // A price of every channel that says the same holds here, too; one that says otherwise is left to the others.
    const everywhere = live.find((offer) => offer.channel === null && isPlain(offer))
    if (sameAmount(price, everywhere?.amount) && sameAmount(compareAt, everywhere?.compareAtAmount)) {
      return { kind: 'unchanged' }
    }
    const mark = variant.slice(variant.lastIndexOf('/') + 1)
    return { kind: 'create', body: { variant, ...priceBody(wanted, target, mark) } }
  }
  const patch = {
    ...(!sameAmount(price, known.amount) && { amount: price }),
    ...(!sameAmount(compareAt, known.compareAtAmount) && { compareAtAmount: compareAt }),
  }
  return Object.keys(patch).length > 0 ? { kind: 'patch', iri: known['@id'], patch } : { kind: 'unchanged' }
}

function isPlain({ countries, validFrom, validUntil, minQuantity, priority }: SaleOfferDocument): boolean {
  return countries.length === 0 && !validFrom && !validUntil && minQuantity === 1 && priority === 0
}

function optionTitles(product: ProductDocument): Map<string, string | null> {
  return new Map(product.options.map((option) => [option['@id'], option.title]))
}

function covers({ optionValues }: ImportedVariant, values: ReadonlyMap<string, string>): boolean {
  return optionValues.every(({ option, value }) => values.get(option) === value)
}

function isPartOf(values: ReadonlyMap<string, string>, { optionValues }: ImportedVariant): boolean {
  return [...values].every(([option, value]) =>
    optionValues.some((wanted) => wanted.option === option && wanted.value === value),
  )
}

function withoutBlanks(members: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  )
}

type MergePatch = Record<string, unknown>

/**
 * The merge patch (RFC 7396) that turns the catalogue's product into the file's, or null when it already is. A property
 * that was answered in another language than the one asked for counts as not yet written.
 */
function productPatch(product: ImportedProduct, current: ProductDocument): MergePatch | null {
  const patch: MergePatch = {}
  const fellBack = (property: string) =>
    Object.keys(current.fallbacks ?? {}).some((name) => name === property || name.startsWith(`${property}.`))
  const text = (property: 'title' | 'description' | 'vendor' | 'productType') => {
    const wanted = product[property]
    if (wanted === undefined) return
    if (fellBack(property) ? wanted !== null : !sameText(wanted, current[property])) patch[property] = wanted
  }
  text('title')
  text('description')
  text('vendor')
  text('productType')
  if (product.tags && !sameSet(product.tags, current.tags ?? [])) patch.tags = product.tags
  if (product.media && !product.keepsMedia && !sameMedia(product.media, current.media ?? []))
    patch.media = product.media
  if (product.seo) {
    const { title, description } = product.seo
    const same = sameText(title, current.seo?.title) && sameText(description, current.seo?.description)
    if (fellBack('seo') ? title !== null || description !== null : !same) patch.seo = { title, description }
  }
  return filled(patch)
}

const filled = (patch: MergePatch): MergePatch | null => (Object.keys(patch).length > 0 ? patch : null)

/**
 * Puts a product into the channel, or takes it out of this channel alone; it becomes a draft when no channel is left,
 * unless it is archived.
 * Other channels of the product do not matter here.
 */
function placement(
  published: boolean | undefined,
  current: ProductDocument,
  channel: string,
): MergePatch | null {
  if (published === undefined) return null
  const others = current.channels.filter((name) => name !== channel)
  const inChannel = others.length < current.channels.length
  if (published) {
    return filled({
      ...(current.status !== 'ACTIVE' && { status: 'ACTIVE' }),
      ...(!inChannel && { channels: [...current.channels, channel] }),
    })
  }
  return filled({
    ...(current.status === 'ACTIVE' && others.length === 0 && { status: 'DRAFT' }),
    ...(inChannel && { channels: others }),
  })
}

/** The merge patch for a variant, or null. `titles` names the catalogue's option of each IRI. */
function variantPatch(
  variant: ImportedVariant,
  current: VariantDocument,
  titles: ReadonlyMap<string, string | null>,
): MergePatch | null {
  const patch: MergePatch = {}
  if (variant.sku !== undefined && !sameText(variant.sku, current.sku)) patch.sku = variant.sku
  if (variant.barcode !== undefined && !sameText(variant.barcode, current.barcode))
    patch.barcode = variant.barcode
  if (variant.media && !sameMedia(variant.media, current.media ?? [])) patch.media = variant.media
  for (const name of ['weight', 'measure'] as const) {
    const [wanted, known] = [variant[name], current[name] ?? null]
    if (wanted === undefined) continue
    const same =
      wanted === null || known === null
        ? wanted === known
        : Number(known.value) === wanted.value && known.unit === wanted.unit
    if (!same) patch[name] = wanted
  }
  const known = valuesOf(current, titles)
  if (variant.optionValues.some(({ option, value }) => known.get(option) !== value)) {
    patch.optionValues = variant.optionValues
  }
  return filled(patch)
}

/** Option title → value title of a variant in the catalogue. */
function valuesOf(variant: VariantDocument, titles: ReadonlyMap<string, string | null>): Map<string, string> {
  return new Map(variant.optionValues.map(({ option, title }) => [titles.get(option) ?? option, title ?? '']))
}

function sameText(wanted: string | null, known: string | null | undefined): boolean {
  return (wanted ?? '') === (known ?? '').trim()
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member))
}

function sameMedia(wanted: readonly Media[], known: readonly Media[]): boolean {
  return (
    wanted.length === known.length &&
    wanted.every(
      (item, place) => item.url === known[place]?.url && sameText(item.alt ?? null, known[place]?.alt),
    )
  )
}
