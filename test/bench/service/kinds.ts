/** The kinds of measured requests. */
import { reducedFrom } from '../../support/fill.ts'
import type { Answer, Asked } from './request.ts'
import type { World } from './world.ts'

export type Kind = {
  readonly name: string
  /** The expected status of every response. */
  readonly status: number
  /** Writes have no floor, and come after all reads. */
  readonly isWrite?: true
  /** Requests under way at once, where that is the caller's way and not a choice. */
  readonly connections?: number
  /** The requests that connections take in turns, each beginning with another; none where a Worker does not know them. */
  readonly requests: (world: World, ask: (asked: Asked) => Promise<Answer>) => Promise<readonly Asked[]>
}

const size = 30
const priced = {
  'resolveContext[channel]': 'web',
  'resolveContext[country]': 'FR',
  'resolveContext[at]': '2026-12-01T00:00:00Z',
}

/** When every price is reduced. */
const reduced = { ...priced, 'resolveContext[at]': reducedFrom }

/** The members that a shop shows in a list. */
const storefront = {
  ...priced,
  'properties[]': ['title', 'handle', 'description'],
  'properties[options][]': 'title',
  'properties[options][values][]': 'title',
  'properties[variants][]': ['sku', 'optionValues'],
  'properties[variants][resolvedPrice][]': ['amount', 'currency'],
}

/** Bypasses the cache of responses, to measure the cost of creating a response. */
const uncached = { 'cache-control': 'no-cache' }

type Query = Readonly<Record<string, string | readonly string[]>>

function pathOf(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] satisfies [string, string]),
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

/** The first pages of the list of products, or of another. */
function pages(
  name: string,
  query: Query = {},
  headers: Readonly<Record<string, string>> = uncached,
  list = '/api/products',
): Kind {
  return {
    name,
    status: 200,
    requests: async ({ products, request }) =>
      // A tenant may have fewer pages than products are chosen.
      products.slice(0, 6).map((_, index) => {
        const page = { itemsPerPage: String(size), page: String(index + 1), ...query }
        return request('GET', pathOf(list, page), { headers })
      }),
  }
}

/** The list for each of the chosen products. */
function lists(name: string, queryOf: (world: World, index: number) => Query): Kind {
  return {
    name,
    status: 200,
    requests: async (world) =>
      world.products.map((_, index) =>
        world.request(
          'GET',
          pathOf('/api/products', { itemsPerPage: String(size), ...queryOf(world, index) }),
          { headers: uncached },
        ),
      ),
  }
}

/** The list, filtered by something that the chosen products have. */
function filter(name: string, textOf: (product: World['products'][number]) => string, label = name): Kind {
  return lists(`filter ${label}`, ({ products }, index) => ({ [name]: textOf(at(products, index)) }))
}

function items(name: string, query: Query = {}, headers: Readonly<Record<string, string>> = uncached): Kind {
  return {
    name,
    status: 200,
    requests: async ({ products, request }) =>
      products.map(({ id }) => request('GET', pathOf(`/api/products/${id}`, query), { headers })),
  }
}

function at<Item>(all: readonly Item[], index: number): Item {
  const item = all[index % all.length]
  if (item === undefined) throw new Error('There is nothing to ask for.')
  return item
}

const words = ['lamp', 'chair', 'table', 'mug', 'shirt', 'rug', 'clock', 'vase']

const reads: readonly Kind[] = [
  pages('list priced', priced),
  pages('list priced with prior', { ...priced, expand: 'priorPrice' }),
  pages('list reduced', reduced),
  pages('list reduced with prior', { ...reduced, expand: 'priorPrice' }),
  pages('announcements', reduced, uncached, '/api/price_announcements'),
  {
    name: 'timeline of 1,000 terms',
    status: 200,
    async requests(world, ask) {
      const send = async (method: 'POST' | 'PATCH', path: string, body: object) => {
        const { status, text } = await ask(world.request(method, path, { body: JSON.stringify(body) }))
        if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`)
        return JSON.parse(text)
      }
      const { variants } = await send('POST', '/api/products', newProduct(world, 1, prices.slice(0, 1)))
      const offers = await ask(
        world.request('GET', pathOf('/api/sale_offers', { variant: variants[0]['@id'] })),
      )
      const [{ '@id': offer }] = JSON.parse(offers.text).member
      for (let change = 1; change < 1000; change += 1) await send('PATCH', offer, { amount: `${change}.90` })
      const { 'resolveContext[at]': _, ...shopper } = priced
      return [
        world.request('GET', pathOf(`${variants[0]['@id']}/price_timeline`, shopper), { headers: uncached }),
      ]
    },
  },
  pages('list'),
  {
    name: 'feed',
    status: 200,
    requests: async ({ products, request }) =>
      products.map((_, index) =>
        request('GET', pathOf('/api/events', { itemsPerPage: String(size), after: String(index * size) })),
      ),
  },
  items('item'),
  items('item priced', priced),
  // The response is cached: one query of the tenant's clock shows that it is current, or no query is needed.
  pages('known list priced', priced, {}),
  items('known item priced', priced, {}),
  pages('young list priced', priced, { 'cache-control': 'max-age=60' }),
  lists('list changed since', ({ products }, index) => ({
    'updatedAt[after]': at(products, index).updatedAt,
    'order[updatedAt]': 'asc',
  })),
  pages('list in fr-FR', {}, { ...uncached, 'service-locale': 'fr-FR' }),
  pages('list in 2026-04', {}, { ...uncached, 'service-api-version': '2026-04' }),
  {
    name: 'list far behind',
    status: 200,
    async requests({ products, request }, ask) {
      // As a client that follows `next` gets there: the thousandth page, or the last but one of fewer.
      const first = request('GET', pathOf('/api/products', { itemsPerPage: '1' }), { headers: uncached })
      const { totalItems } = JSON.parse((await ask(first)).text)
      const page = String(Math.min(1000, Math.floor(totalItems / size)) - 1)
      const before = pathOf('/api/products', { itemsPerPage: String(size), page })
      const { view } = JSON.parse((await ask(request('GET', before, { headers: uncached }))).text)
      return products.map(() => request('GET', view.next, { headers: uncached }))
    },
  },
  pages('list priced properties[]', storefront),
  // In another language and another version, each next to the whole list.
  ...Object.entries({ 'service-locale': 'fr-FR', 'service-api-version': '2026-04' }).flatMap(
    ([header, value]) => [
      pages(`list priced in ${value}`, priced, { ...uncached, [header]: value }),
      pages(`list priced properties[] in ${value}`, storefront, { ...uncached, [header]: value }),
    ],
  ),
  pages('list properties[]', { 'properties[]': ['title', 'handle'], 'properties[variants][]': 'sku' }),
  pages('list ordered by title', { 'order[title]': 'asc' }),
  {
    name: 'list not modified',
    status: 304,
    async requests(world, ask) {
      const requests = await pages('list').requests(world, ask)
      return Promise.all(
        requests.map(async (asked) => {
          const { etag } = (await ask(asked)).headers
          if (typeof etag !== 'string') throw new Error('A list has no ETag.')
          return { ...asked, headers: { ...asked.headers, 'if-none-match': etag } }
        }),
      )
    },
  },
  pages('filter status', { status: 'ACTIVE' }),
  filter('handle', ({ handle }) => handle),
  filter('externalId', ({ externalId }) => externalId),
  filter('sku', ({ sku }) => sku),
  filter('barcode', ({ barcode }) => barcode),
  filter('vendor', ({ vendor }) => vendor),
  filter('productType', ({ productType }) => productType),
  filter('tag', ({ tags }) => at(tags, 0)),
  pages('filter channel', { channel: 'store' }),
  filter('createdAt[after]', ({ createdAt }) => createdAt),
  filter('createdAt[before]', ({ createdAt }) => createdAt),
  filter('updatedAt[before]', ({ updatedAt }) => updatedAt),
  lists('filter collection', ({ collections }, index) => ({
    collection: `/api/collections/${at(collections, index)}`,
  })),
  lists('filter category', ({ categories }, index) => ({ category: categoryOf(categories, index, 'leaf') })),
  lists('filter category with descendants', ({ categories }, index) => ({
    category: categoryOf(categories, index, 'top'),
    'category[descendants]': 'true',
  })),
  lists('search rare word', ({ products }, index) => ({ q: at(at(products, index).title.split(' '), 1) })),
  lists('search common word', (_, index) => ({ q: at(words, index) })),
]

function categoryOf(categories: World['categories'], index: number, which: 'leaf' | 'top'): string {
  const top = Math.min(...categories.map(({ level }) => level))
  const fitting = categories.filter(({ level }) => (level === top) === (which === 'top'))
  return `/api/categories/${at(fitting, index)?.id}`
}

const prices = [
  { currency: 'EUR', amount: '19.90' },
  { currency: 'EUR', amount: '17.90', channel: 'web', countries: ['FR', 'DE'] },
]

function newProduct({ next }: World, variants: number, saleOffers?: readonly object[]) {
  const n = next()
  const sizes = Array.from({ length: variants }, (_, index) => `Size ${index}`)
  return {
    title: `New lamp ${n}`,
    description: 'Made of something good, in a place that is nice, by people who like what they do. '.repeat(
      3,
    ),
    status: 'ACTIVE',
    channels: ['web', 'store'],
    tags: ['sample', `group-${n % 100}`],
    vendor: `Vendor ${n % 25}`,
    options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
    variants: sizes.map((size, index) => ({
      sku: `NEW-${n}-${index}`,
      optionValues: [{ option: 'Size', value: size }],
      ...(saleOffers && { saleOffers }),
    })),
  }
}

type Created = { readonly variants: readonly { readonly '@id': string }[] }

/** The prices of products that were created without, as one request. */
function pricing(
  world: World,
  created: Created | { readonly member: readonly Created[] },
  saleOffers: readonly object[],
) {
  const products = 'member' in created ? created.member : [created]
  const offers = products.flatMap(({ variants }) =>
    variants.flatMap((variant) => saleOffers.map((offer) => ({ variant: variant['@id'], ...offer }))),
  )
  return world.request('POST', '/api/sale_offers', { body: JSON.stringify(offers) })
}

/** A creation of so many products, as one request; a Worker that takes no prices with them is sent those in a second. */
function creation(name: string, products: number, variants: number, saleOffers?: readonly object[]): Kind {
  return {
    name,
    status: 201,
    isWrite: true,
    // An import sends one request after the other.
    ...(products > 1 && { connections: 1 }),
    async requests(world, ask) {
      const body = () => {
        const all = Array.from({ length: products }, () => newProduct(world, variants, saleOffers))
        return JSON.stringify(products === 1 ? all[0] : all)
      }
      const asked = world.request('POST', '/api/products', { body })
      if (!saleOffers) return [asked]
      const { headers } = await ask(asked)
      if (!String(headers['service-ignored-properties']).includes('saleOffers')) return [asked]
      return [{ ...asked, followedBy: [(text) => pricing(world, JSON.parse(text), saleOffers)] }]
    },
  }
}

const writes: readonly Kind[] = [
  creation('create', 1, 1),
  creation('create with two prices', 1, 1, prices),
  {
    // Each takes the handle that the others try to take too.
    name: 'create the same title',
    status: 201,
    isWrite: true,
    requests: async (world) => [
      world.request('POST', '/api/products', {
        body: () => JSON.stringify({ ...newProduct(world, 1), title: 'New lamp of one title' }),
      }),
    ],
  },
  {
    name: 'patch',
    status: 200,
    isWrite: true,
    requests: async ({ changeable, request, next }) =>
      changeable.map(({ id }) =>
        request('PATCH', `/api/products/${id}`, {
          body: () => JSON.stringify({ vendor: `Maker ${next()}` }),
        }),
      ),
  },
  creation('import 50 products of 5 variants', 50, 5),
  // As many offers as one request takes.
  creation('import 25 products of 5 variants with two prices', 25, 5, prices),
]

/** Everything that is measured, in the order in which it is. */
export const kinds: readonly Kind[] = [...reads, ...writes]
