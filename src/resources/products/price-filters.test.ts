/** Lists of products filtered and ordered by their prices in a market, against brute force over the documents. */
import { beforeAll, expect, test } from 'vitest'
import { owner } from '../../../test/support/ledger.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Body = Reply['body']

/** Numbers that follow from a seed, so that a failure can be repeated. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647
    yield state
  }
}
const seeded = numbers(20261129)
const oneOf = <Value>(values: readonly Value[]): Value => values[seeded.next().value % values.length] as Value

const turns = Math.ceil(Number(process.env.HISTORIES ?? 800) / 25)
const list = '/api/products'
const later = '2030-01-01T00:00:00Z'

let shop: Shop
let collection: string
let category: string

const sizes = ['S', 'M', 'L']
const newProduct = (nth: number) => ({
  title: `${oneOf(['Red', 'Blue'])} mug ${nth}`,
  status: oneOf(['ACTIVE', 'ACTIVE', 'DRAFT']),
  vendor: oneOf(['Acme', 'Other']),
  categories: oneOf([[], [category]]),
  collections: oneOf([[], [collection]]),
  options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
  variants: sizes.map((value) => ({
    optionValues: [{ option: 'Size', value }],
    saleOffers: Array.from({ length: oneOf([0, 0, 1, 2]) }, () => {
      const amount = 5 + (seeded.next().value % 8)
      return {
        channel: oneOf([null, 'web', 'shop']),
        countries: oneOf([[], ['FR'], ['DE']]),
        currency: oneOf(['EUR', 'EUR', 'JPY']),
        amount: `${amount}`,
        compareAtAmount: oneOf([null, null, `${amount + 3}`]),
        ...oneOf([{}, { validUntil: '2029-06-01T00:00:00Z' }, { validFrom: '2029-06-01T00:00:00Z' }]),
      }
    }),
  })),
})

beforeAll(async () => {
  shop = await openShop()
  category = (await shop.create('/api/categories', { title: 'Mugs' }))['@id']
  collection = (await shop.create('/api/collections', { title: 'Sale', type: 'MANUAL' }))['@id']
  const market = { channel: 'web', country: 'FR' }
  await shop.create('/api/markets', { ...market, key: 'fr', currency: 'EUR' })
  await shop.create('/api/markets', { ...market, key: 'jp', currency: 'JPY' })
  const created = await shop.create(
    list,
    Array.from({ length: 45 }, (_, nth) => newProduct(nth)),
  )
  for (const [nth, product] of (created.member ?? created).entries()) {
    if (nth % 11 === 0) await shop.delete(product.variants[0]['@id'], { status: 204 })
    if (nth % 13 === 0) await shop.delete(product['@id'], { status: 204 })
  }
  await shop.rest()
})

type Query = Readonly<Record<string, string>>

/** All pages of a list, by the links of each. */
async function read(path: string, query: Query): Promise<Body[]> {
  const members: Body[] = []
  for (let next: string | undefined = `${path}?${new URLSearchParams(query)}`; next; ) {
    const body: Body = await shop.read(next)
    members.push(...body.member)
    next = body.view?.next
  }
  return members
}

/** The amounts of the prices of a product's variants, as the documents show them, in order. An archived product has none. */
const amountsOf = ({ status, variants }: Body): number[] =>
  (status === 'ARCHIVED' ? [] : variants)
    .flatMap(({ resolvedPrice }: Body) =>
      resolvedPrice?.amount === undefined ? [] : Number(resolvedPrice.amount),
    )
    .toSorted((a: number, b: number) => a - b)

const isReduced = ({ status, variants }: Body) =>
  status !== 'ARCHIVED' && variants.some(({ resolvedPrice }: Body) => resolvedPrice?.compareAtAmount != null)

test('filters and orders equal those of the prices in the documents, in random queries', async () => {
  let shown = 0
  for (let turn = 0; turn < turns; turn += 1) {
    const market = oneOf(['fr', 'fr', 'jp'])
    const others: Query = {
      market,
      ...oneOf<Query>([{}, {}, { priceAt: later }]),
      ...oneOf<Query>([
        {},
        {},
        { vendor: 'Acme' },
        { q: 'red' },
        { category },
        { 'option[Size][]': 'M' },
        { 'option[Size][]': 'L', vendor: 'Acme' },
        { status: 'DRAFT' },
        { status: 'ARCHIVED' },
      ]),
    }
    const path = oneOf([list, list, `${collection}/products`])
    const [from, until] = [5 + (turn % 4), 7 + (turn % 5)]
    const filters: Query = {
      ...oneOf<Query>([{}, { 'price[from]': `${from}` }]),
      ...oneOf<Query>([{}, { 'price[until]': `${until}` }]),
      ...oneOf<Query>([{}, {}, { reduced: 'true' }, { reduced: 'false' }]),
      ...oneOf<Query>([{}, {}, { hasPrice: 'true' }, { hasPrice: 'false' }]),
    }
    if (from > until && 'price[from]' in filters && 'price[until]' in filters) continue
    const all = await read(path, { ...others, itemsPerPage: '100' })
    // With filters by variants, the price of a product is that of its cheapest matching variant.
    const matching = (product: Body): Body => ({
      ...product,
      variants: product.variants.filter(
        ({ optionValues }: Body) =>
          (others['option[Size][]'] ?? optionValues[0].title) === optionValues[0].title,
      ),
    })
    const expected = all.filter((product) => {
      const [lowest] = amountsOf(matching(product))
      return (
        (filters['price[from]'] === undefined || (lowest !== undefined && lowest >= from)) &&
        (filters['price[until]'] === undefined || (lowest !== undefined && lowest <= until)) &&
        (filters.reduced === undefined || String(isReduced(matching(product))) === filters.reduced) &&
        (filters.hasPrice === undefined || String(lowest !== undefined) === filters.hasPrice)
      )
    })
    const amountFilters = (lowest: number | undefined) =>
      (filters['price[from]'] === undefined || (lowest !== undefined && lowest >= from)) &&
      (filters['price[until]'] === undefined || (lowest !== undefined && lowest <= until))
    const query0 = new URLSearchParams({ ...others, ...filters, itemsPerPage: '1' })
    const { facets } = await shop.read(`${path}?${query0}&facets[]=price&facets[]=reduced`)
    const counts = (values: readonly string[]) => {
      const counted = Object.fromEntries([...new Set(values)].map((value) => [value, 0]))
      for (const value of values) counted[value] = (counted[value] ?? 0) + 1
      return counted
    }
    const inFacet = (nth: number) =>
      Object.fromEntries(
        facets[nth].values
          .filter(({ count }: Body) => count > 0)
          .map(({ from, value, count }: Body) => [from ?? value, count]),
      )
    const rangeStart = (amount: number) => {
      const unit = market === 'jp' ? 1 : 100
      const [first = '0', ...rest] = String(Math.round(amount * unit))
      const start = Number(
        (Number(first) >= 5 ? '5' : Number(first) >= 2 ? '2' : first) + '0'.repeat(rest.length),
      )
      return market === 'jp' ? String(start) : (start / unit).toFixed(2)
    }
    const passing = (check: (product: Body) => boolean) => all.map(matching).filter(check)
    const hasPrice = (product: Body) =>
      filters.hasPrice === undefined || String(amountsOf(product).length > 0) === filters.hasPrice
    const reducedFilter = (product: Body) =>
      filters.reduced === undefined || String(isReduced(product)) === filters.reduced
    expect(inFacet(0), `${query0} price`).toEqual(
      counts(
        passing((product) => hasPrice(product) && reducedFilter(product))
          .flatMap((product) => amountsOf(product)[0] ?? [])
          .map(rangeStart),
      ),
    )
    expect(inFacet(1), `${query0} reduced`).toEqual(
      counts(
        passing((product) => hasPrice(product) && amountFilters(amountsOf(product)[0])).map((product) =>
          String(isReduced(product)),
        ),
      ),
    )
    const ids = (members: readonly Body[]) => members.map(({ id }) => id)
    const itemsPerPage = oneOf(['2', '7', '100'])
    const query = { ...others, ...filters, itemsPerPage }
    const name = new URLSearchParams(query).toString()
    expect(ids(await read(path, query)), name).toEqual(ids(expected))
    shown += expected.length
    for (const direction of ['asc', 'desc']) {
      const sign = direction === 'asc' ? 1 : -1
      const ordered = expected.toSorted((a, b) => {
        const [first, second] = [amountsOf(matching(a))[0], amountsOf(matching(b))[0]]
        const byPrice =
          first === second ? 0 : first === undefined ? 1 : second === undefined ? -1 : sign * (first - second)
        return byPrice || (a.id < b.id ? -1 : 1)
      })
      const members = await read(path, { ...query, 'order[price]': direction })
      expect(ids(members), `${name} ${direction}`).toEqual(ids(ordered))
      expect(await readBackwards(path, { ...query, 'order[price]': direction })).toEqual(ids(ordered))
      for (const product of members) {
        const amounts = amountsOf(product)
        const range = product.priceRange && [
          Number(product.priceRange.from),
          Number(product.priceRange.until),
        ]
        expect(range).toEqual(amounts.length === 0 ? null : [amounts[0], amounts.at(-1)])
      }
    }
  }
  expect(shown).toBeGreaterThan(turns)
})

/** The ids of a list that is read from its last page to the first. */
async function readBackwards(path: string, query: Query): Promise<string[]> {
  const first = await shop.read(`${path}?${new URLSearchParams(query)}`)
  const pages: string[][] = []
  for (let next: string | undefined = first.view?.last ?? `${path}?${new URLSearchParams(query)}`; next; ) {
    const body: Body = await shop.read(next)
    pages.unshift(body.member.map(({ id }: Body) => id))
    next = body.view?.previous
  }
  return pages.flat()
}

test('totals, facets and numbered pages are those of the filtered list', async () => {
  const query = { market: 'fr', 'price[until]': '8', 'order[price]': 'asc' }
  const all = await read(list, query)
  const body = await shop.read(
    `${list}?${new URLSearchParams({ ...query, itemsPerPage: '3', page: '2' })}&facets[]=vendor`,
  )
  expect(body.totalItems).toBe(all.length)
  expect(body.member.map(({ id }: Body) => id)).toEqual(all.slice(3, 6).map(({ id }) => id))
  const counted = body.facets[0].values.reduce((sum: number, { count }: Body) => sum + count, 0)
  expect(counted).toBe(all.length)
  const unpriced = await shop.read(`${list}?market=fr&order[price]=desc&itemsPerPage=5&page=7`)
  const whole = await read(list, { market: 'fr', 'order[price]': 'desc', itemsPerPage: '100' })
  expect(unpriced.member.map(({ id }: Body) => id)).toEqual(whole.slice(30, 35).map(({ id }) => id))
})

test('a product has the range of its prices in a market, now and later', async () => {
  const { '@id': iri } = await shop.create(list, {
    title: 'Range',
    options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
    variants: sizes.map((value, nth) => ({
      optionValues: [{ option: 'Size', value }],
      saleOffers: [
        { currency: 'EUR', amount: `${nth + 1}.50` },
        { currency: 'JPY', amount: '7', validFrom: later },
      ],
    })),
  })
  const rangeOf = async (query: string) => (await shop.read(`${iri}?${query}`)).priceRange
  expect(await rangeOf('market=fr')).toEqual({ from: '1.50', until: '3.50', currency: 'EUR' })
  expect(await rangeOf('market=jp')).toBeNull()
  expect(await rangeOf(`market=jp&priceAt=${later}`)).toEqual({ from: '7', until: '7', currency: 'JPY' })
  for (const query of [
    '',
    'markets[]=fr',
    'market=fr&priceAt=2020-01-01T00:00:00Z',
    'market=fr&properties[]=title',
  ])
    expect(await rangeOf(query), query).toBeUndefined()
})

test('what a filter by prices lacks, or cannot have, is a violation', async () => {
  const faults = async (query: string) => {
    const { body } = await shop.get(`${list}?${query}`, { status: 422 })
    return body.violations.map(({ propertyPath, slug }: Body) => `${propertyPath} ${slug}`)
  }
  for (const filter of [
    'price[from]=1',
    'price[until]=1',
    'reduced=true',
    'hasPrice=false',
    'order[price]=asc',
  ]) {
    const context = 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now'
    for (const without of ['', '&markets[]=fr', `&${context}`])
      expect(await faults(filter + without), filter + without).toEqual(['market pricing.market_missing'])
    expect(await faults(`${filter}&market=fr&priceAt=2020-01-01T00:00:00Z`)).toEqual([
      'priceAt pricing.only_from_now',
    ])
    expect(await faults(`${filter}&market=fr&priceKnownAt=2020-01-01T00:00:00Z`)).toEqual([
      'priceKnownAt pricing.only_from_now',
    ])
  }
  for (const amount of ['', '-1', '1,5', '1e3', '.5', 'a', '1.23456', '1234567890123456'])
    expect(await faults(`market=fr&price[from]=${amount}`), amount).toEqual([
      'price[from] validation.malformed_amount',
    ])
  expect(await faults('market=fr&price[from]=1.234')).toEqual(['price[from] validation.amount'])
  expect(await faults('market=jp&price[until]=1.5')).toEqual(['price[until] validation.amount'])
  expect(await faults('market=fr&price[from]=2&price[until]=1.99')).toEqual([
    'price[until] validation.too_small',
  ])
  expect(await faults('market=none&price[from]=2')).toEqual(['market pricing.market_unknown'])
  expect(await faults('market=fr&reduced=maybe')).toEqual(['reduced validation.choice'])
  await shop.get(
    `${list}?market=fr&order[price]=asc&cursor=WyJuZXh0IixbIjk5OTk5OTk5OTk5OTk5OTk5OTkiLCJhIl1d`,
    { status: 422 },
  )
})

test('a market whose prices are not complete is 503 with the time to wait, and lists without filters are served', async () => {
  const other = await openShop()
  await other.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  await other.create(list, { title: 'Mug', variants: [{ saleOffers: [{ currency: 'EUR', amount: '1' }] }] })
  await other.rest()
  await owner((client) =>
    client.query('update markets set prices_complete_at = null where tenant_id = $1', [other.tenant.id]),
  )
  for (const filter of [
    'price[from]=1',
    'hasPrice=true',
    'order[price]=asc',
    'hasPrice=true&suggest=true&q=mu',
  ]) {
    const { headers, body } = await other.get(`${list}?market=fr&${filter}`, {
      status: 503,
      headers: { 'cache-control': 'no-cache' },
    })
    expect(body.slug).toBe('pricing.market_incomplete')
    expect(headers.get('retry-after')).toBe('5')
  }
  const { member } = await other.read(`${list}?market=fr`, { headers: { 'cache-control': 'no-cache' } })
  expect(member[0].variants[0].resolvedPrice.amount).toBe('1.00')
  expect(member[0]).not.toHaveProperty('priceRange')
})

test('a price that begins and ends without a write moves the product, also in a cached list', async () => {
  const other = await openShop()
  await other.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  const validFrom = new Date(Date.now() + 4000).toISOString()
  for (const saleOffers of [[{ amount: '5' }], [{ amount: '9' }, { amount: '1', validFrom }]])
    await other.create(list, {
      title: 'Mug',
      variants: [{ saleOffers: saleOffers.map((offer) => ({ currency: 'EUR', ...offer })) }],
    })
  await other.rest()
  const lowest = async () =>
    (await other.read(`${list}?market=fr&order[price]=asc`)).member.map(
      ({ priceRange }: Body) => priceRange.from,
    )
  expect(await lowest()).toEqual(['5.00', '9.00'])
  await new Promise((done) => setTimeout(done, 4100))
  expect(await lowest()).toEqual(['1.00', '5.00'])
})

test('pages of an order by price lose and repeat no product whose price stays, while others change', async () => {
  const other = await openShop()
  await other.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  const created: Body[] = []
  for (let nth = 0; nth < 24; nth += 1) {
    const saleOffers = [{ currency: 'EUR', amount: `${10 + (nth % 5)}` }]
    created.push(
      await other.create(list, {
        title: `Mug ${nth}`,
        variants: [{ saleOffers: nth % 6 === 5 ? [] : saleOffers }],
      }),
    )
  }
  const { member: offers } = await other.read('/api/sale_offers?itemsPerPage=100')
  const moving = new Set(offers.slice(0, 5).map(({ product }: Body) => product))
  const staying = created.map((product) => product['@id']).filter((iri) => !moving.has(iri))
  for (const direction of ['asc', 'desc']) {
    const seen: string[] = []
    let going = true
    const writer = (async () => {
      for (let turn = 0; going; turn += 1)
        await other.patch(offers[turn % 5]['@id'], { body: { amount: `${1 + ((turn * 7) % 30)}` } })
    })()
    for (
      let next: string | undefined = `${list}?market=fr&order[price]=${direction}&itemsPerPage=3`;
      next;
    ) {
      const body: Body = await other.read(next)
      seen.push(...body.member.map((product: Body) => product['@id']))
      next = body.view?.next
    }
    going = false
    await writer
    expect(seen.filter((iri) => !moving.has(iri)).toSorted()).toEqual(staying.toSorted())
  }
})

test('prices of other tenants filter and order nothing', async () => {
  const other = await openShop()
  await other.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  await other.create(list, { title: 'Mug', variants: [{}] })
  await other.rest()
  const read = async (query: string) => (await other.read(`${list}?market=fr&${query}`)).member.length
  expect([
    await read('hasPrice=true'),
    await read('price[from]=0'),
    await read('order[price]=asc'),
    await read('hasPrice=false'),
  ]).toEqual([0, 0, 1, 1])
})

test.each([
  ['', 'order[price]=up', 'order[price]'],
  ['', 'order[price]', 'order[price]'],
  ['market=fr&', 'order[price]=up', 'order[price]'],
  ['market=fr&', 'price[x]=1', 'price[x]'],
  ['market=fr&', 'order[x]', 'order[x]'],
  ['', 'order[createdAt]=up', 'order[createdAt]'],
])('%s%s is ignored with a header, and 422 under strict handling', async (market, query, name) => {
  const path = `${list}?${market}${query}`
  for (const prefer of ['handling=lenient', 'return=minimal']) {
    const { headers, body } = await shop.get(path, { status: 200, headers: { prefer } })
    expect(headers.get('service-ignored-parameters')).toBe(name)
    expect(body.member).toEqual((await shop.read(`${list}?${market}`)).member)
  }
  const { body } = await shop.get(path, { status: 422, headers: { prefer: 'handling=strict' } })
  expect(body.violations[0].propertyPath).toBe(name)
})

test('a cursor of another order, or of the other direction, is 422 as in every list', async () => {
  const cursorOf = async (query: string) => {
    const { view } = await shop.read(`${list}?itemsPerPage=1&${query}`)
    return new URL(view.next, 'http://shop').searchParams.get('cursor')
  }
  const orders = [
    'market=fr&order[price]=asc',
    'market=fr&order[price]=desc',
    'q=mug',
    'order[createdAt]=asc',
  ]
  const cursors = await Promise.all(orders.map(cursorOf))
  for (const [own, order] of orders.entries())
    for (const [of, cursor] of cursors.entries()) {
      const reply = await shop.get(`${list}?${order}&cursor=${cursor}`)
      const [violation] = reply.body.violations ?? []
      const expected = own === of ? [200, undefined] : [422, 'validation.pattern']
      expect([order, of, reply.status, violation?.slug]).toEqual([order, of, ...expected])
    }
})
