/** Why customers cannot buy an active product: in no channel, without a variant, or without a price in a channel. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { everyPage } from '../core/pages.ts'
import { hasScope } from '../core/session.ts'
import { currentShopper } from '../core/settings.ts'
import { shopZone } from '../core/zone.ts'
import type { SaleOffer } from '../prices/offer.ts'

export type Product = {
  readonly '@id': string
  readonly version: number
  readonly status: string
  readonly channels: readonly string[]
  readonly variants: readonly { readonly '@id': string; readonly resolvedPrice?: object | null }[]
  readonly variantsTotal: number
  readonly createdAt: string
}

type Offer = SaleOffer & { readonly product: string; readonly state: string; readonly createdAt: string }

/** Why there is no price in a channel; the offer starts later, or is a draft. */
type Gap = { readonly kind: 'noPrice' | 'starts' | 'draft'; readonly place: string; readonly offer?: Offer }

/** The gap of a channel; null if it has a price, or if that is not known. */
type Gaps = (channel: string) => Gap | null

export type Obstacle = {
  readonly kind: Gap['kind'] | 'noChannel' | 'noVariant'
  /** Channels, or a channel and a country; empty if the text names none, because it is about the whole product. */
  readonly places: readonly string[]
  readonly offer?: Offer | undefined
}

function obstaclesOf({ status, channels, variantsTotal }: Product, gaps: Gaps = () => null): Obstacle[] {
  if (status !== 'ACTIVE') return []
  const missing = [channels.length === 0 && 'noChannel', variantsTotal === 0 && 'noVariant'] as const
  const kinds = missing.filter((kind) => kind !== false)
  if (kinds.length > 0) return kinds.map((kind) => ({ kind, places: [] }))
  const missingPrices = channels.flatMap((channel) => gaps(channel) ?? [])
  const groups = Map.groupBy(missingPrices, ({ kind, offer }) => `${kind} ${offer?.validFrom}`)
  return [...groups.values()].flatMap((group) => {
    const isNamed = group.length < channels.length || group.some(({ kind }) => kind === 'noPrice')
    const places = isNamed ? group.map(({ place }) => place) : []
    return group.slice(0, 1).map(({ kind, offer }) => ({ kind, offer, places }))
  })
}

const isPriced = ({ variants }: Pick<Product, 'variants'>) => variants.some((each) => each.resolvedPrice)

/** The active products that are in a channel for which no price was resolved. Only their offers say if customers can buy them. */
function unclear(products: readonly Product[]): readonly Product[] {
  const { channel } = currentShopper()
  if (!hasScope('sale_offers:read')) return []
  return products.filter((product) => {
    const isActive = product.status === 'ACTIVE' && product.variantsTotal > 0
    return isActive && product.channels.some((name) => name !== channel || !isPriced(product))
  })
}

function gapsByOffers(product: Product, offers: readonly Offer[]): Gaps {
  const variants = new Set(product.variants.map((variant) => variant['@id']))
  // Offers of archived variants sell nothing. Of a large product, not all variants are embedded.
  const isOwn = (offer: Offer) => offer.product === product['@id'] && variants.size < product.variantsTotal
  const own = offers.filter((offer) => variants.has(offer.variant) || isOwn(offer))
  return (place) => {
    const here = own.filter((each) => each.minQuantity <= 1 && [null, place].includes(each.channel))
    if (here.some(({ state }) => state === 'LIVE')) return null
    const [next] = here
      .filter(({ state }) => state === 'SCHEDULED')
      .toSorted((a, b) => String(a.validFrom).localeCompare(String(b.validFrom)))
    if (next) return { kind: 'starts', offer: next, place }
    const draft = here.find(({ status }) => status === 'DRAFT')
    return draft ? { kind: 'draft', offer: draft, place } : { kind: 'noPrice', place }
  }
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
  const since = isWhole ? '' : String(offers.at(-1)?.createdAt)
  const older = products.filter(({ createdAt }) => createdAt <= since)
  const priced = await readPriced(older)
  return new Map(
    products.map((product) => {
      const iri = product['@id']
      if (!older.includes(product)) return [iri, gapsByOffers(product, offers)]
      // Of a large product, a variant that the list does not embed may have a price.
      const isKnown = product.variants.length === product.variantsTotal
      const place = (name: string) => `${name} · ${currentShopper().country}`
      const isMissing = (name: string) => isKnown && priced.get(name)?.has(iri) === false
      return [iri, (name) => (isMissing(name) ? { kind: 'noPrice', place: place(name) } : null)]
    }),
  )
}

/** The products that have a price, by channel: that of the shopper, and the other one that most products name. */
async function readPriced(products: readonly Product[]): Promise<Map<string, ReadonlySet<string>>> {
  const { channel: own, country } = currentShopper()
  const iris = (list: readonly Product[]) => new Set(list.filter(isPriced).map((product) => product['@id']))
  const others = products.flatMap(({ channels }) => channels.filter((name) => name !== own))
  const [most] = [...Map.groupBy(others, String).values()].toSorted((a, b) => b.length - a.length)
  const priced = new Map([[own, iris(products)]])
  if (most?.[0] === undefined) return priced
  const context = { channel: most[0], country, at: new Date().toISOString() }
  const query = new URLSearchParams({ itemsPerPage: '100', 'properties[variants][]': 'resolvedPrice' })
  for (const [name, value] of Object.entries(context)) query.set(`resolveContext[${name}]`, value)
  for (const product of products) query.append('id[]', product['@id'].replace('/api/products/', ''))
  const { json } = await call<{ member: Product[] }>(`/api/products?${query}`)
  return priced.set(most[0], iris(json.member))
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

/** An obstacle as people read it. */
export function useObstacleText(): (obstacle: Obstacle) => string {
  const { obstacles } = useWords('products')
  return ({ kind, places, offer }) => {
    const start = new Date(offer?.validFrom ?? 0)
    const year = start.getTime() - Date.now() > 300 * 86_400_000 ? 'numeric' : undefined
    const format = { day: 'numeric', month: 'short', year, timeZone: shopZone() } as const
    return obstacles[kind](places.join(', '), start.toLocaleDateString(interfaceLocale(), format))
  }
}
