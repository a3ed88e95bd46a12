/** The prices of a market, `market=fr`: those of `resolveContext` with its channel, country and currency. */
import { beforeAll, describe, expect, test } from 'vitest'
import { sentBy } from '../../../test/support/sent.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Body = Reply['body']
type Market = {
  readonly key: string
  readonly channel: string
  readonly country: string
  readonly currency: string
}

const channels = ['web', 'pos']
const countries = ['FR', 'DE', 'US']
const currencies = ['EUR', 'USD']
const markets: readonly Market[] = channels.flatMap((channel) =>
  countries.flatMap((country) =>
    currencies.map((currency) => ({
      key: `${channel}-${country}-${currency}`.toLowerCase(),
      channel,
      country,
      currency,
    })),
  ),
)

let shop: Shop
let product: string
let variant: string

/** Numbers that follow from a seed, so that a failure can be repeated. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647
    yield state
  }
}

const seeded = numbers(20261129)
const oneOf = <Value>(values: readonly Value[]): Value => values[seeded.next().value % values.length] as Value

beforeAll(async () => {
  shop = await openShop({ pricePolicies: {} })
  const created = await shop.create('/api/products', {
    title: 'Mug',
    status: 'ACTIVE',
    variants: [{ measure: { value: 500, unit: 'g' } }],
  })
  product = created['@id']
  variant = created.variants[0]['@id']
  const offers = Array.from({ length: 40 }, (_, index) => {
    const amount = 10 + (seeded.next().value % 40)
    return {
      variant,
      channel: oneOf([null, ...channels]),
      countries: oneOf([[], ['FR'], ['DE', 'FR'], ['US']]),
      currency: oneOf(currencies),
      amount: `${amount}.00`,
      compareAtAmount: oneOf([null, null, `${amount + 10}.00`]),
      validFrom: oneOf([null, '2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z']),
      validUntil: oneOf([null, '2029-01-01T00:00:00Z']),
      minQuantity: oneOf([1, 1, 1, 10]),
      priority: index % 3,
    }
  })
  await shop.create('/api/sale_offers', offers)
  for (const market of markets) await shop.create('/api/markets', market)
})

const queryOf = (parameters: Readonly<Record<string, string>>) => `?${new URLSearchParams(parameters)}`

const pricesIn = (body: Body): Body[] =>
  body.member
    ? body.member.flatMap(pricesIn)
    : body.variants
      ? body.variants.flatMap(pricesIn)
      : [body.resolvedPrice]

const itemPaths = () => [product, variant]
const listPaths = () => ['/api/products', `${product}/variants`]

/** The parameters of a market, and those of its context. */
const pairOf = ({ key, channel, country, currency }: Market, at?: string, knownAt?: string) => ({
  market: {
    market: key,
    ...(at && { priceAt: at }),
    ...(knownAt && { priceKnownAt: knownAt }),
  } as Record<string, string>,
  context: {
    'resolveContext[channel]': channel,
    'resolveContext[country]': country,
    'resolveContext[currency]': currency,
    'resolveContext[at]': at ?? 'now',
    ...(knownAt && { 'resolveContext[knownAt]': knownAt }),
  } as Record<string, string>,
})

const refused = async (query: string, asked: { token?: string } = {}): Promise<Body> =>
  (await shop.get(`${product}${query}`, { status: 422, ...asked })).body

describe('market', () => {
  test('gives the prices of resolveContext with its channel, country and currency', async () => {
    let priced = 0
    for (let turn = 0; turn < 40; turn += 1) {
      const at = oneOf(['2026-12-01T00:00:00Z', '2027-06-01T00:00:00Z', '2028-06-01T00:00:00Z', 'now'])
      const recorded = turn % 4 === 0 ? new Date(Date.now() + 60_000).toISOString() : undefined
      const { market, context } = pairOf(oneOf(markets), at, recorded)
      const more = oneOf<Record<string, string>>([{}, { expand: 'priorPrice' }])
      const path = oneOf([...itemPaths(), ...listPaths()])
      const explain: Record<string, string> =
        itemPaths().includes(path) && turn % 3 === 0 ? { explain: 'price' } : {}
      const byMarket = await shop.read(path + queryOf({ ...market, ...more, ...explain }))
      const byContext = await shop.read(path + queryOf({ ...context, ...more, ...explain }))
      const prices = pricesIn(byMarket)
      expect(prices, path).toEqual(pricesIn(byContext))
      expect(prices[0]).not.toBe(undefined)
      if (prices[0]?.amount) priced += 1
    }
    expect(priced).toBeGreaterThan(10)
  })

  test('is read in the one round trip of the response', async () => {
    const { market } = pairOf(markets[0] as Market)
    for (const path of [...itemPaths(), ...listPaths()]) {
      const sent = await sentBy(() =>
        shop.get(path + queryOf({ ...market, expand: 'priorPrice' }), { status: 200 }),
      )
      expect(
        sent.map((batch) => batch.length),
        path,
      ).toEqual([1])
    }
  })

  test('lists the markets if it does not exist, to callers who may read them', async () => {
    const body = await refused('?market=uk')
    expect(body).toMatchObject({ slug: 'pricing.market_unknown', message: 'The market “uk” does not exist.' })
    expect(body.violations).toMatchObject([{ propertyPath: 'market', slug: 'pricing.market_unknown' }])
    for (const { key } of markets) expect(body.detail).toContain(key)
    expect((await refused('?market=')).detail).toContain('web-fr-eur')
    const token = await shop.token({ scope: 'products:read' })
    expect((await refused('?market=uk', { token })).detail).not.toContain('web-fr-eur')
    const priced = await shop.read(product + queryOf(pairOf(markets[0] as Market).market), { token })
    expect(priced.variants[0].resolvedPrice.currency).toBe('EUR')
    const other = await openShop()
    const none = await other.get('/api/products?market=web-fr-eur', { status: 422 })
    expect(none.body.detail).toContain('none')
  })

  test('replaces resolveContext, and its moments need it', async () => {
    const { market, context } = pairOf(markets[0] as Market)
    const both = await refused(queryOf({ ...market, ...context }))
    expect(both.slug).toBe('pricing.market_and_context')
    expect(both.violations.map(({ propertyPath }: Body) => propertyPath)).toEqual([
      'resolveContext[channel]',
      'resolveContext[country]',
      'resolveContext[at]',
      'resolveContext[currency]',
    ])
    for (const name of ['priceAt', 'priceKnownAt'])
      expect(await refused(`?${name}=now`)).toMatchObject({
        slug: 'pricing.market_missing',
        violations: [{ propertyPath: 'market' }],
      })
    expect((await refused('?market=web-fr-eur&priceAt=tomorrow')).slug).toBe('pricing.at_not_utc')
    expect((await refused('?market=web-fr-eur&priceKnownAt=2000-01-01T00:00:00Z')).violations).toMatchObject([
      { propertyPath: 'priceKnownAt', slug: 'pricing.known_at_before_history' },
    ])
    await refused(`?market=${'a'.repeat(300)}`)
    await refused('?market=a&market=b')
  })

  test('changes the prices of cached responses at once', async () => {
    const own = await openShop()
    const created = await own.create('/api/products', {
      title: 'Cup',
      variants: [
        {
          saleOffers: [
            { currency: 'EUR', amount: '5.00' },
            { currency: 'USD', amount: '6.00' },
          ],
        },
      ],
    })
    const body = { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' }
    const { '@id': market } = await own.create('/api/markets', body)
    for (const path of [created['@id'], '/api/products', `${created['@id']}/variants`]) {
      await own.update(market, { currency: 'EUR' })
      // The prices of the market are then complete, which shows `priceRange`.
      await own.rest()
      const read = async (headers = {}) => own.get(`${path}?market=fr`, { headers })
      const first = await read()
      expect(pricesIn(first.body)[0].amount).toBe('5.00')
      const tag = { 'if-none-match': first.headers.get('etag') ?? '' }
      expect((await read(tag)).status).toBe(304)
      await own.update(market, { currency: 'USD' })
      const second = await read(tag)
      expect([second.status, pricesIn(second.body)[0].amount]).toEqual([200, '6.00'])
    }
    await own.delete(market, { status: 204 })
    await own.get('/api/products?market=fr', { status: 422 })
  })

  test('is a parameter in every version', async () => {
    for (const version of ['2026-01', '2026-04', '2026-07', '2026-10', 'unstable']) {
      const { body } = await shop.get(`${product}?market=web-fr-eur`, { version, status: 200 })
      expect(body.variants[0].resolvedPrice, version).toMatchObject({ channel: 'web', country: 'FR' })
    }
  })
})

describe('markets[]', () => {
  const several = (keys: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    `?${new URLSearchParams([...keys.map((key) => ['markets[]', key]), ...Object.entries(more)])}`

  const allPricesIn = (body: Body): Body[] =>
    body.member
      ? body.member.flatMap(allPricesIn)
      : body.variants
        ? body.variants.flatMap(allPricesIn)
        : [body.resolvedPrices]

  test('gives the price of each market, in one round trip', async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const keys = markets.map(({ key }) => key).filter(() => seeded.next().value % 3 < 2)
      const path = oneOf([...itemPaths(), ...listPaths()])
      const at = oneOf(['2026-12-01T00:00:00Z', '2027-06-01T00:00:00Z', 'now'])
      const recorded: Record<string, string> =
        turn % 3 === 0 ? { priceKnownAt: new Date(Date.now() + 60_000).toISOString() } : {}
      const moments = { priceAt: at, ...recorded }
      const sent = await sentBy(() => shop.get(path + several(keys, moments), { status: 200 }))
      expect(
        sent.map((batch) => batch.length),
        path,
      ).toEqual([1])
      const [prices] = allPricesIn(await shop.read(path + several(keys, moments)))
      expect(prices.map(({ market }: Body) => market)).toEqual(keys)
      for (const [index, key] of keys.entries()) {
        const [price] = pricesIn(await shop.read(path + queryOf({ market: key, ...moments })))
        const { market: _, ...inMarkets } = prices[index]
        // Without a price, only `nextChangeAt` is shown.
        if (price) expect(inMarkets, `${path} ${key}`).toEqual(price)
        else expect(Object.hasOwn(inMarkets, 'amount')).toBe(false)
      }
    }
  })

  test('selects prices with properties[]', async () => {
    const query = several(['web-fr-eur'], { 'properties[variants][resolvedPrices][]': 'amount' })
    for (const path of [product, '/api/products']) {
      const [prices] = allPricesIn(await shop.read(path + query))
      expect(prices).toEqual([{ '@type': 'ResolvedPrice', amount: expect.any(String) }])
    }
  })

  test('rejects unknown, repeated and too many markets, and what is for one market', async () => {
    const unknown = await refused(several(['web-fr-eur', 'uk']))
    expect(unknown.violations).toMatchObject([
      { propertyPath: 'markets[]', slug: 'pricing.market_unknown', message: expect.stringContaining('uk') },
    ])
    expect((await refused(several(['web-fr-eur', 'web-fr-eur']))).slug).toBe('validation.duplicate_item')
    const many = Array.from({ length: 33 }, (_, n) => `m${n}`)
    expect((await refused(several(many))).slug).toBe('validation.too_many_items')
    for (const more of [{ explain: 'price' }, { expand: 'priorPrice' }] as Record<string, string>[])
      expect((await refused(several(['web-fr-eur'], more))).slug).toBe('pricing.market_single')
    expect((await refused(several(['web-fr-eur'], { market: 'web-fr-eur' }))).slug).toBe(
      'pricing.market_and_context',
    )
    const { context } = pairOf(markets[0] as Market)
    expect((await refused(several(['web-fr-eur'], context))).slug).toBe('pricing.market_and_context')
  })

  test('embeds fewer variants in many markets, and links to the others with their prices', async () => {
    const own = await openShop()
    const body = { channel: 'web', country: 'FR', currency: 'EUR' }
    const keys = Array.from({ length: 32 }, (_, n) => `m${n}`)
    for (const key of keys) await own.create('/api/markets', { ...body, key })
    const values = Array.from({ length: 60 }, (_, n) => ({ title: `V${n}` }))
    const { '@id': iri } = await own.create('/api/products', {
      title: 'Sock',
      options: [{ title: 'Size', values }],
      variants: values.map(({ title }) => ({
        optionValues: [{ option: 'Size', value: title }],
        saleOffers: [{ currency: 'EUR', amount: '5.00' }],
      })),
    })
    for (const [path, amount] of [
      [iri, 31],
      ['/api/products', 6],
    ] as const) {
      const read = await own.read(path + several(keys))
      const document = read.member?.[0] ?? read
      expect([document.variants.length, document.variantsTotal]).toEqual([amount, 60])
      expect(document.variants[0].resolvedPrices.length).toBe(32)
      if (amount === 31) continue
      const next = await own.read(document.variantsView.next)
      expect(next.member.length).toBe(54)
      expect(next.member[0].resolvedPrices.map(({ amount }: Body) => amount)).toEqual(keys.map(() => '5.00'))
    }
  })
})

describe('market of', () => {
  const withoutAddresses = (body: Body) =>
    JSON.parse(JSON.stringify(body), (name, value) => (name === 'view' ? undefined : value))

  test('timelines is the context of their prices, in one round trip', async () => {
    // Another period contains the moment of the request.
    const span = { from: '2026-12-15T00:00:00Z', until: '2029-06-01T00:00:00Z' }
    for (const { key, channel, country, currency } of markets.slice(0, 5))
      for (const path of [`${product}/price_timeline`, `${variant}/price_timeline`]) {
        const sent = await sentBy(() => shop.get(path + queryOf({ market: key, ...span }), { status: 200 }))
        expect(sent.map((batch) => batch.length)).toEqual([1])
        const context = {
          'resolveContext[channel]': channel,
          'resolveContext[country]': country,
          'resolveContext[currency]': currency,
        }
        expect(withoutAddresses(await shop.read(path + queryOf({ market: key, ...span })))).toEqual(
          withoutAddresses(await shop.read(path + queryOf({ ...context, ...span }))),
        )
      }
    const query = queryOf({ market: 'web-fr-eur', 'resolveContext[country]': 'FR' })
    const both = await shop.get(`${product}/price_timeline${query}`, { status: 422 })
    expect(both.body.violations).toMatchObject([
      { propertyPath: 'resolveContext[country]', slug: 'pricing.market_and_context' },
    ])
    const unknown = await shop.get(`${product}/price_timeline?market=uk`, { status: 422 })
    expect(unknown.body.slug).toBe('pricing.market_unknown')
  })
})
