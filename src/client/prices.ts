/** Prices at a moment, for one shopper. */
import type { CatalogueClient, Document } from './index.ts'

type Version = '2026-10'

/** The variants or products whose prices are requested, by IRI: `/api/products/…`, `/api/products/…/variants/…`. */
export type PricesAsked = {
  readonly channel: string
  /** ISO 3166-1 alpha-2: `FR`. */
  readonly country: string
  /** ISO 4217: `EUR`. Only offers in this currency compete; in any by default. */
  readonly currency?: string
  /** Now by default, and by the text `now`, with which repeated requests return the same entity tag. A text keeps microseconds. */
  readonly at?: Date | string
  /** By the offers as they were recorded at this moment; with the same one as `at`, the price that applied. */
  readonly knownAt?: Date | string
  /** Whether each reduced price contains the lowest one of the days before its reduction. */
  readonly priorPrice?: boolean
  /** The products whose active variants are priced. */
  readonly products?: readonly string[]
  /** Variants that are priced, archived ones too. */
  readonly variants?: readonly string[]
}

/** The price of a variant, which is null where no offer applies. */
export type VariantPrice = {
  readonly variant: string
  readonly resolvedPrice: Document<Version, 'ResolvedPrice'> | null
}

/**
 * Reads the prices of variants at one time, page by page. @throws CatalogueError, also for a product or a variant that does not exist
 */
export async function* pricesAt(
  catalogue: CatalogueClient<Version>,
  asked: PricesAsked,
): AsyncGenerator<VariantPrice, void> {
  const query = queryOf(asked)
  const variantsOf = (productId: string) =>
    catalogue.resource('/api/products/{productId}/variants', { productId })
  for (const product of new Set(asked.products))
    for await (const variant of variantsOf(idIn(product, productIri)).list({ ...query, itemsPerPage: 100 }))
      yield priceIn(variant)
  const variants = new Map<string, string[]>()
  for (const variant of new Set(asked.variants)) {
    const product = idIn(variant, variantIri)
    variants.set(product, [...(variants.get(product) ?? []), variant])
  }
  for (const [product, wanted] of variants) {
    const left = new Set(wanted)
    const resource = variantsOf(product)
    // A single variant of a product is read directly; several active ones are read from the list of the product.
    if (wanted.length > 1)
      for await (const variant of resource.list({ ...query, itemsPerPage: 100 }))
        if (left.delete(variant['@id'])) yield priceIn(variant)
    for (const variant of left) yield priceIn(await resource.get(variant, query))
  }
}

const productIri = /^\/api\/products\/([^/]+)$/
const variantIri = /^\/api\/products\/([^/]+)\/variants\/[^/]+$/

function idIn(iri: string, form: RegExp): string {
  const id = form.exec(iri)?.[1]
  if (id === undefined) throw new Error(`${iri} is not an address of the requested kind`)
  return id
}

function queryOf({ channel, country, currency, at = new Date(), knownAt, priorPrice = false }: PricesAsked) {
  const text = (moment: Date | string) => (typeof moment === 'string' ? moment : moment.toISOString())
  return {
    'resolveContext[channel]': channel,
    'resolveContext[country]': country,
    'resolveContext[at]': text(at),
    ...(currency !== undefined && { 'resolveContext[currency]': currency }),
    ...(knownAt !== undefined && { 'resolveContext[knownAt]': text(knownAt) }),
    ...(priorPrice && { expand: ['priorPrice' as const] }),
    properties: ['resolvedPrice' as const],
  }
}

function priceIn({
  '@id': variant,
  resolvedPrice = null,
}: Pick<Document<Version, 'Variant'>, '@id' | 'resolvedPrice'>): VariantPrice {
  return { variant, resolvedPrice }
}
