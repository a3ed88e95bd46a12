import { beforeEach, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Body = Reply['body']
type Issue = { readonly type: string; readonly resource: string; readonly [name: string]: unknown }

const france = { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' }
const markets = [
  france,
  { key: 'de', channel: 'web', country: 'DE', currency: 'EUR' },
  { key: 'us', channel: 'web', country: 'US', currency: 'USD' },
  { key: 'shop', channel: 'pos', country: 'FR', currency: 'EUR' },
]

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

const readiness = (iri: string, query = '') => shop.read(`${iri}/readiness${query}`)
const typesOf = (issues: readonly Issue[]) => issues.map(({ type }) => type)
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** A product that is sold in France, without warnings. */
const sold = {
  title: 'Hat',
  status: 'ACTIVE',
  channels: ['web'],
  media: [{ url: 'https://www.example.com/hat.jpg' }],
  translations: undefined,
}
const offer = { currency: 'EUR', amount: '10.00' }

async function create(body: object = {}, ...saleOffers: object[]): Promise<Body> {
  return shop.create('/api/products', { ...sold, variants: [{ sku: 'HAT', saleOffers }], ...body })
}

describe('readiness', () => {
  test('of a product with a price is sold, in each market of its channel', async () => {
    for (const market of markets) await shop.create('/api/markets', market)
    const { '@id': iri, variants } = await create({}, offer)
    const body = await readiness(iri)
    expect(body).toMatchObject({ '@id': `${iri}/readiness`, '@type': 'ProductReadiness', product: iri })
    const found = body.markets.map(({ key, isSold, blockers }: Body) => [key, isSold, typesOf(blockers)])
    expect(found).toEqual([
      ['de', true, []],
      ['fr', true, []],
      ['shop', false, ['not_in_channel']],
      ['us', false, ['price_in_other_currency']],
    ])
    const [, , inShop, inUs] = body.markets
    expect(inShop.blockers[0]).toMatchObject({
      '@type': 'Issue',
      isBlocking: true,
      message: 'The product is not in the channel “pos”.',
      product: iri,
      market: inShop.market,
      resource: iri,
      path: 'channels',
      variants: [],
    })
    const { member: offers } = await shop.read('/api/sale_offers')
    expect(inUs.blockers[0]).toMatchObject({
      resource: offers[0]['@id'],
      path: 'currency',
      variants: [variants[0]['@id']],
      variantsTotal: 1,
    })
    expect(typesOf(body.warnings)).toEqual(['no_translation'])
    expect(body.warnings[0]).toMatchObject({ resource: `${iri}/translations`, locale: 'fr-FR' })
  })

  test.each([
    ['a draft', { status: 'DRAFT' }, [offer], ['product_draft'], 'status'],
    ['a product without a variant', { variants: [] }, [], ['no_variant'], 'variants'],
    ['a variant without an offer', {}, [], ['no_price'], 'saleOffers'],
    ['an offer of another country', {}, [{ ...offer, countries: ['DE'] }], ['no_price'], 'saleOffers'],
    ['an offer for ten pieces', {}, [{ ...offer, minQuantity: 10 }], ['no_price'], 'saleOffers'],
    ['an offer that has ended', {}, [{ ...offer, validUntil: inDays(-1) }], ['no_price'], 'saleOffers'],
    ['a draft of an offer', {}, [{ ...offer, status: 'DRAFT' }], ['price_is_draft'], 'status'],
    [
      'an offer that starts later',
      {},
      [{ ...offer, validFrom: '2099-01-01T00:00:00Z' }],
      ['price_starts_later'],
      'validFrom',
    ],
  ])('names what blocks %s', async (_, body, offers, types, path) => {
    await shop.create('/api/markets', france)
    const { '@id': iri } = await create(body, ...offers)
    const [market] = (await readiness(iri)).markets
    expect([market.isSold, typesOf(market.blockers)]).toEqual([false, types])
    expect(market.blockers[0].path).toBe(path)
  })

  test('of an archived product names all reasons', async () => {
    await shop.create('/api/markets', france)
    const { '@id': iri } = await create({}, offer)
    await shop.delete(iri, { status: 204 })
    const [market] = (await readiness(iri)).markets
    expect(typesOf(market.blockers)).toEqual(['product_archived', 'not_in_channel'])
  })

  test('warns of a price that ends, and of a time without a price', async () => {
    await shop.create('/api/markets', france)
    const [end, later] = [inDays(3), inDays(5)]
    const { '@id': iri, variants } = await create({}, { ...offer, validUntil: end })
    const ends = (await readiness(iri)).markets[0]
    expect([ends.isSold, typesOf(ends.warnings)]).toEqual([true, ['price_ends']])
    expect(Date.parse(ends.warnings[0].from)).toBe(Date.parse(end))
    const variant = variants[0]['@id']
    const next = await shop.create('/api/sale_offers', { variant, ...offer, validFrom: later })
    const gap = (await readiness(iri)).markets[0]
    expect(typesOf(gap.warnings)).toEqual(['price_gap'])
    expect([gap.warnings[0].from, gap.warnings[0].until].map(Date.parse)).toEqual(
      [end, later].map(Date.parse),
    )
    await shop.update(next['@id'], { validFrom: end })
    expect((await readiness(iri)).markets[0].warnings).toEqual([])
  })

  test('warns of variants without a price next to one that has one', async () => {
    await shop.create('/api/markets', france)
    const { '@id': iri, variants } = await create({
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
      variants: [
        { sku: 'S', optionValues: [{ option: 'Size', value: 'S' }], saleOffers: [offer] },
        { optionValues: [{ option: 'Size', value: 'M' }] },
      ],
    })
    const body = await readiness(iri)
    const [market] = body.markets
    expect([market.isSold, market.blockers]).toEqual([true, []])
    const [, second] = variants
    expect(market.warnings).toEqual([
      expect.objectContaining({
        type: 'no_price',
        isBlocking: false,
        resource: second['@id'],
        variantsTotal: 1,
      }),
    ])
    expect(body.warnings).toContainEqual(
      expect.objectContaining({ type: 'no_sku', resource: second['@id'], path: 'sku' }),
    )
  })

  test('of one market, by its key', async () => {
    for (const market of markets) await shop.create('/api/markets', market)
    const { '@id': iri } = await create({}, offer)
    const all = await readiness(iri)
    const one = await readiness(iri, '?market=us')
    expect(one.markets).toEqual([all.markets.at(-1)])
    const unknown = await shop.get(`${iri}/readiness?market=none`, { status: 422 })
    expect(unknown.body.violations[0]).toMatchObject({
      slug: 'pricing.market_unknown',
      propertyPath: 'market',
    })
  })

  test('warns of a missing picture, and of a barcode of two variants, in the language of the request', async () => {
    await create({ title: 'Cap', variants: [{ sku: 'CAP', barcode: '4006381333931' }] })
    const { '@id': iri, variants } = await create({
      media: [{ url: 'https://www.example.com/hat.mp4', type: 'VIDEO' }],
      variants: [{ sku: 'HAT', barcode: '4006381333931' }],
    })
    const { warnings } = await shop.read(`${iri}/readiness`, { locale: 'fr-FR' })
    expect(typesOf(warnings)).toEqual(['no_translation', 'no_picture', 'duplicate_barcode'])
    expect(warnings[1].message).toBe('Le produit n’a pas d’image.')
    expect(warnings[2]).toMatchObject({ resource: variants[0]['@id'], path: 'barcode' })
    expect((await shop.read(warnings[2].related)).sku).toBe('CAP')
  })

  test('needs both scopes, and a product of the tenant', async () => {
    const other = await openShop()
    const { '@id': iri } = await create()
    await other.get(`${iri}/readiness`, { status: 404 })
    for (const scope of ['products:read', 'sale_offers:read'])
      await shop.get(`${iri}/readiness`, { token: await shop.token({ scope }), status: 403 })
    const scope = 'products:read sale_offers:read'
    await shop.get(`${iri}/readiness`, { token: await shop.token({ scope }), status: 200 })
  })
})

test('a product is sold exactly where a request for its price finds one', async () => {
  for (const market of markets) await shop.create('/api/markets', market)
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const oneOf = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
  const sizes = ['S', 'M', 'L']
  const products = await Promise.all(
    [1, 2, 3, 4].map((nth) =>
      shop.create('/api/products', {
        title: `Shirt ${nth}`,
        options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
        variants: sizes.map((value) => ({ optionValues: [{ option: 'Size', value }] })),
      }),
    ),
  )
  const offers: string[] = []
  const terms = () => ({
    status: oneOf(['ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT']),
    channel: oneOf([null, 'web', 'pos']),
    countries: oneOf([[], ['FR'], ['DE', 'US']]),
    currency: oneOf(['EUR', 'EUR', 'USD']),
    minQuantity: oneOf([1, 1, 1, 5]),
    validFrom: oneOf([null, null, '2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z']),
    validUntil: oneOf([null, null, '2026-06-01T00:00:00Z', '2100-01-01T00:00:00Z']),
  })
  const edits = [
    () =>
      shop.patch(oneOf(products)['@id'], {
        body: {
          status: oneOf(['ACTIVE', 'ACTIVE', 'DRAFT']),
          channels: oneOf([['web'], ['pos', 'web'], []]),
        },
      }),
    () =>
      shop.patch(oneOf(oneOf(products).variants as Body[])['@id'], {
        body: { status: oneOf(['ACTIVE', 'ACTIVE', 'ARCHIVED']) },
      }),
    async () => {
      const variant = oneOf(oneOf(products).variants as Body[])['@id']
      const { body, status } = await shop.post('/api/sale_offers', {
        body: { variant, amount: '5.00', ...terms() },
      })
      if (status === 201) offers.push(body['@id'])
    },
    async () => offers.length > 0 && shop.patch(oneOf(offers), { body: terms() }),
  ]
  const outcomes = new Set<string>()
  for (let turn = 0; turn < 60; turn += 1) {
    for (let n = 0; n < 3; n += 1) await oneOf(edits)()
    const product = oneOf(products)['@id']
    const body = await readiness(product)
    expect(body.markets).toHaveLength(markets.length)
    for (const { key, channel, isSold, blockers, warnings } of body.markets) {
      const read = await shop.read(`${product}?market=${key}`)
      const unpriced = read.variants.filter((each: Body) => each.resolvedPrice?.amount === undefined)
      const hasPrice = unpriced.length < read.variants.length
      const isActive = read.status === 'ACTIVE' && read.channels.includes(channel)
      expect([turn, key, isSold]).toEqual([turn, key, isActive && hasPrice])
      const named = [...blockers, ...warnings].filter(({ type }: Issue) => !/gap|ends/.test(type))
      const variants = named.flatMap((each: Body) => each.variants)
      expect([turn, key, variants.sort()]).toEqual([
        turn,
        key,
        unpriced.map((each: Body) => each['@id']).sort(),
      ])
      for (const type of isSold ? ['sold'] : typesOf(blockers)) outcomes.add(type)
    }
  }
  expect([...outcomes].sort()).toEqual([
    'no_price',
    'no_variant',
    'not_in_channel',
    'price_in_other_currency',
    'price_is_draft',
    'price_starts_later',
    'product_draft',
    'sold',
  ])
}, 120_000)
