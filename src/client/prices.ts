/** Prices at a moment, for one shopper. */
import type { CatalogueClient, Document } from './index.ts'
import { failure, idOf, pages } from './pages.ts'

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
 * Reads the prices of variants at one time, page by page. @throws Error with the problem document as its `cause`, also
 * for a product or a variant that does not exist
 */
export async function* pricesAt(
  catalogue: CatalogueClient<Version>,
  asked: PricesAsked,
): AsyncGenerator<VariantPrice, void> {
  const query = queryOf(asked)
  for (const product of new Set(asked.products)) yield* ofProduct(catalogue, idIn(product, productIri), query)
  const variants = new Map<string, string[]>()
  for (const variant of new Set(asked.variants)) {
    const product = idIn(variant, variantIri)
    variants.set(product, [...(variants.get(product) ?? []), variant])
  }
  for (const [product, wanted] of variants) {
    const left = new Set(wanted)
    // A single variant of a product is read directly; several active ones are read from the list of the product.
    if (wanted.length > 1)
      for await (const each of ofProduct(catalogue, product, query)) if (left.delete(each.variant)) yield each
    for (const variant of left) yield await ofVariant(catalogue, product, variant, query)
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
    'properties[]': ['resolvedPrice'],
  }
}

type Query = ReturnType<typeof queryOf>

async function* ofProduct(
  catalogue: CatalogueClient<Version>,
  productId: string,
  query: Query,
): AsyncGenerator<VariantPrice, void> {
  const variants = pages((next) =>
    catalogue.GET('/api/products/{productId}/variants', {
      params: { path: { productId }, query: { ...query, itemsPerPage: 100, ...next } },
    }),
  )
  for await (const { member } of variants) for (const variant of member) yield priceIn(variant)
}

async function ofVariant(
  catalogue: CatalogueClient<Version>,
  productId: string,
  variant: string,
  query: Query,
): Promise<VariantPrice> {
  const { data, error } = await catalogue.GET('/api/products/{productId}/variants/{variantId}', {
    params: { path: { productId, variantId: idOf(variant) }, query },
  })
  if (error) throw failure(error)
  return priceIn(data)
}

function priceIn({ '@id': variant, resolvedPrice }: Document<Version, 'Variant'>): VariantPrice {
  return { variant, resolvedPrice: resolvedPrice ?? null }
}
