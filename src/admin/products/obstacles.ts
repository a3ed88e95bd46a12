/** Why customers cannot buy an active product, or some of its variants: in no channel, without a variant, or without a price in a channel. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { everyPage } from '../core/pages.ts'
import { hasScope } from '../core/session.ts'
import { currentShopper } from '../core/settings.ts'
import { shopZone } from '../core/zone.ts'
import { variantName } from '../fields/Title.tsx'
import type { SaleOffer } from '../prices/offer.ts'

type Variant = {
  readonly '@id': string
  readonly title?: string | null
  readonly sku?: string | null
  readonly resolvedPrice?: object | null
}

export type Product = {
  readonly '@id': string
  readonly version: number
  readonly status: string
  readonly channels: readonly string[]
  /** Of a large product, not all variants are embedded. */
  readonly variants: readonly Variant[]
  readonly variantsTotal: number
  readonly createdAt: string
}

type Offer = SaleOffer & { readonly product: string; readonly state: string; readonly createdAt: string }

/** Why there is no price in a channel; the offer starts later, or is a draft. */
type Gap = {
  readonly kind: 'noPrice' | 'starts' | 'draft'
  readonly place: string
  readonly offer?: Offer
  /** The variants without a price, if others of the product have one. */
  readonly variants: readonly Variant[]
}

/** The gaps of a channel; none if all variants have a price, or if that is not known. */
type Gaps = (channel: string) => readonly Gap[]

export type Obstacle = {
  readonly kind: Gap['kind'] | 'noChannel' | 'noVariant'
  /** Channels, or a channel and a country; empty if the text names none, because it is about the whole product. */
  readonly places: readonly string[]
  readonly offer?: Offer | undefined
  readonly variants: readonly Variant[]
}

function obstaclesOf({ status, channels, variantsTotal }: Product, gaps: Gaps = () => []): Obstacle[] {
  if (status !== 'ACTIVE') return []
  const missing = [channels.length === 0 && 'noChannel', variantsTotal === 0 && 'noVariant'] as const
  const kinds = missing.filter((kind) => kind !== false)
  if (kinds.length > 0) return kinds.map((kind) => ({ kind, places: [], variants: [] }))
  const groups = Map.groupBy(channels.flatMap(gaps), ({ kind, offer, variants }) =>
    JSON.stringify([kind, offer?.validFrom, irisOf(variants)]),
  )
  return [...groups.values()].flatMap((group) => {
    const isNamed = group.length < channels.length || group.some(({ kind }) => kind === 'noPrice')
    const places = isNamed ? group.map(({ place }) => place) : []
    return group.slice(0, 1).map(({ kind, offer, variants }) => ({ kind, offer, variants, places }))
  })
}

const irisOf = (variants: readonly Variant[]) => variants.map((variant) => variant['@id'])

const priced = (products: readonly Pick<Product, 'variants'>[]) =>
  products.flatMap(({ variants }) => variants.filter((variant) => variant.resolvedPrice))

/** The active products that are in a channel for which not all prices were resolved. Only their offers say if customers can buy them. */
function unclear(products: readonly Product[]): readonly Product[] {
  const { channel } = currentShopper()
  if (!hasScope('sale_offers:read')) return []
  return products.filter((product) => {
    const isActive = product.status === 'ACTIVE' && product.variantsTotal > 0
    return (
      isActive &&
      product.channels.some((name) => name !== channel || priced([product]).length < product.variants.length)
    )
  })
}

function gapsByOffers({ '@id': iri, variants, variantsTotal }: Product, offers: readonly Offer[]): Gaps {
  const embedded = new Set(irisOf(variants))
  // Offers of archived variants sell nothing. Of a large product, not all variants are embedded.
  const isOwn = (offer: Offer) => offer.product === iri && embedded.size < variantsTotal
  const own = offers.filter((offer) => embedded.has(offer.variant) || isOwn(offer))
  return (place) => {
    const here = own.filter((each) => each.minQuantity <= 1 && [null, place].includes(each.channel))
    const gap = gapOf(here, place)
    if (gap || embedded.size === 0) return gap ? [{ ...gap, variants: [] }] : []
    const gaps = variants.flatMap((variant) => {
      const found = gapOf(
        here.filter((offer) => offer.variant === variant['@id']),
        place,
      )
      return found ? [{ ...found, variants: [variant] }] : []
    })
    const groups = Map.groupBy(gaps, ({ kind, offer }) => `${kind} ${offer?.validFrom}`)
    return [...groups.values()].flatMap((group) =>
      group.slice(0, 1).map((first) => ({ ...first, variants: group.flatMap((each) => each.variants) })),
    )
  }
}

/** Why offers that apply in a channel give no price now; null if one does. */
function gapOf(offers: readonly Offer[], place: string): Omit<Gap, 'variants'> | null {
  if (offers.some(({ state }) => state === 'LIVE')) return null
  const [next] = offers
    .filter(({ state }) => state === 'SCHEDULED')
    .toSorted((a, b) => String(a.validFrom).localeCompare(String(b.validFrom)))
  if (next) return { kind: 'starts', offer: next, place }
  const draft = offers.find(({ status }) => status === 'DRAFT')
  return draft ? { kind: 'draft', offer: draft, place } : { kind: 'noPrice', place }
}

const properties = [
  'product',
  'variant',
  'channel',
  'status',
  'state',
  'validFrom',
  'minQuantity',
  'createdAt',
]

async function readOffers(filter: string, most: number) {
  const named = properties.map((name) => `&properties[]=${name}`).join('')
  const offers: Offer[] = []
  let isWhole = false
  for await (const page of everyPage<Offer>(`/api/sale_offers?itemsPerPage=100${filter}${named}`)) {
    offers.push(...page.members)
    isWhole = offers.length === page.total
    if (offers.length >= most) break
  }
  return { offers, isWhole }
}

/** The obstacles of the products of a list, with at most two requests; with none if all have a price for the shopper. */
export function useObstacles(products: readonly Product[]): (product: Product) => Obstacle[] {
  const client = useQueryClient()
  const unclearProducts = unclear(products)
  const { data } = useQuery({
    queryKey: ['products', 'obstacles', unclearProducts.map((product) => [product['@id'], product.version])],
    enabled: unclearProducts.length > 0,
    queryFn: () => readGaps(unclearProducts, client),
  })
  return (product) => obstaclesOf(product, data?.get(product['@id']))
}

/**
 * The filter of offers takes one product. But the newest offers contain all those of products that were created after the oldest of
 * these offers. The prices of older products are resolved in one more channel, for the country of the shopper.
 */
async function readGaps(products: readonly Product[], client: QueryClient): Promise<Map<string, Gaps>> {
  const { offers, isWhole } = await client.fetchQuery({
    queryKey: ['sale_offers', 'newest'],
    queryFn: () => readOffers('', 1),
    staleTime: 60_000,
  })
  // The rows of one import have their times in any order.
  const since = isWhole ? 0 : Date.parse(String(offers.at(-1)?.createdAt)) + 60_000
  const older = products.filter(({ createdAt }) => Date.parse(createdAt) <= since)
  const pricedIn = await readPriced(older)
  return new Map(
    products.map((product) => {
      const iri = product['@id']
      if (!older.includes(product)) return [iri, gapsByOffers(product, offers)]
      const gaps: Gaps = (name) => {
        const found = pricedIn.get(name)
        const missing = found ? product.variants.filter((variant) => !found.has(variant['@id'])) : []
        // Of a large product, a variant that the list does not embed may have a price.
        const variants = missing.length === product.variantsTotal ? [] : missing
        const place = `${name} · ${currentShopper().country}`
        return missing.length === 0 ? [] : [{ kind: 'noPrice', place, variants }]
      }
      return [iri, gaps]
    }),
  )
}

/** The variants that have a price, by channel: that of the shopper, and the other one that most products name. */
async function readPriced(products: readonly Product[]): Promise<Map<string, ReadonlySet<string>>> {
  const { channel: own, country } = currentShopper()
  const iris = (list: readonly Product[]) => new Set(irisOf(priced(list)))
  const others = products.flatMap(({ channels }) => channels.filter((name) => name !== own))
  const [most] = [...Map.groupBy(others, String).values()].toSorted((a, b) => b.length - a.length)
  const pricedIn = new Map([[own, iris(products)]])
  if (most?.[0] === undefined) return pricedIn
  const context = { channel: most[0], country, at: new Date().toISOString() }
  const query = new URLSearchParams({ itemsPerPage: '100', 'properties[variants][]': 'resolvedPrice' })
  for (const [name, value] of Object.entries(context)) query.set(`resolveContext[${name}]`, value)
  for (const product of products) query.append('id[]', product['@id'].replace('/api/products/', ''))
  const { json } = await call<{ member: Product[] }>(`/api/products?${query}`)
  return pricedIn.set(most[0], iris(json.member))
}

/** The obstacles of one product, from all of its offers. */
export function useObstaclesOf(product: Product): Obstacle[] {
  const iri = product['@id']
  const isUnclear = unclear([product]).length > 0
  const { data } = useQuery({
    queryKey: ['products', 'obstacles', iri, product.version],
    enabled: isUnclear,
    queryFn: () => readOffers(`&product=${encodeURIComponent(iri)}`, 2000),
  })
  // A disabled query keeps its earlier data.
  return obstaclesOf(product, isUnclear && data?.isWhole ? gapsByOffers(product, data.offers) : undefined)
}

/** An obstacle as people read it: the page of a product names its variants, a list counts them. */
export function useObstacleText(): (obstacle: Obstacle, total?: number) => string {
  const { obstacles, someVariants, andMore } = useWords('products')
  return ({ kind, places, offer, variants }, total) => {
    const start = new Date(offer?.validFrom ?? 0)
    const year = start.getTime() - Date.now() > 300 * 86_400_000 ? 'numeric' : undefined
    const format = { day: 'numeric', month: 'short', year, timeZone: shopZone() } as const
    const text = obstacles[kind](places.join(', '), start.toLocaleDateString(interfaceLocale(), format))
    if (variants.length === 0) return text
    if (total !== undefined) return `${text} (${someVariants(variants.length, total)})`
    const more = variants.length - mostNames
    const names = variants.slice(0, mostNames).map(variantName)
    return `${text}: ${[...names, more > 0 ? andMore(more) : []].flat().join(', ')}`
  }
}

const mostNames = 8
