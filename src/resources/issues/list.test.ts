import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'
import { listedTypes } from './types.ts'

type Body = Reply['body']
type Issue = {
  readonly type: string
  readonly product: string
  readonly resource: string
  readonly market: string | null
}

const list = '/api/issues'
const picture = { url: 'https://www.example.com/hat.jpg' }
const barcode = '4006381333931'
const offer = { currency: 'EUR', amount: '10.00' }
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** Reads all pages. */
async function all(shop: Shop, query = 'itemsPerPage=4', token?: string): Promise<Body[]> {
  const members: Body[] = []
  let next: string | undefined = `${list}?${query}`
  for (let page = 0; next; page += 1) {
    const body: Body = await shop.read(next, token ? { token } : {})
    expect(body.member.length).toBeLessThanOrEqual(4)
    members.push(...body.member)
    next = body.view.next
    expect(page).toBeLessThan(200)
  }
  return members
}

async function counts(shop: Shop, query = '', token?: string): Promise<Record<string, number>> {
  const body = await shop.read(`${list}?itemsPerPage=0&facets[]=type${query}`, token ? { token } : {})
  const [facet] = body.facets
  expect(facet).toMatchObject({ '@type': 'Facet', name: 'type', atLeast: false })
  return Object.fromEntries(facet.values.map(({ value, count }: Body) => [value, count]))
}

const shown = ({ type, product, market, resource }: Issue) => `${type} ${product} ${market} ${resource}`

describe('issues of each type', () => {
  let shop: Shop
  let market: string
  /** The resources by the type of the issue. */
  const expected: Record<string, Body> = {}
  beforeAll(async () => {
    shop = await openShop()
    market = (
      await shop.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
    )['@id']
    while ((await shop.read(market)).pricesCompleteAt === null) await shop.rest()
    const product = async (
      body: object,
      variant: object = {},
      saleOffers: object[] = [offer],
    ): Promise<Body> => {
      const variants = [{ sku: crypto.randomUUID(), saleOffers, ...variant }]
      const common = { status: 'ACTIVE', channels: ['web'], media: [picture] }
      const created = await shop.create('/api/products', { title: 'Hat', ...common, variants, ...body })
      await shop.update(created['@id'], { title: 'Chapeau' }, { locale: 'fr-FR' })
      return created
    }
    const offersOf = async ({ variants: [variant] }: Body) =>
      (await shop.read(`/api/sale_offers?variant=${variant['@id']}&order[createdAt]=asc`)).member.map(
        (each: Body) => each['@id'],
      )
    const variantOf = ({ variants: [variant] }: Body): string => variant['@id']
    await product({})
    await product({ status: 'DRAFT', media: [] }, {}, [])
    const unsold = await product({ channels: [] }, {}, [])
    await shop.read(`${unsold['@id']}/readiness`)
    expected.no_variant = (await product({ variants: [] }))['@id']
    expected.no_price = variantOf(await product({}, {}, []))
    for (const [type, terms] of [
      ['price_is_draft', { status: 'DRAFT' }],
      ['price_in_other_currency', { currency: 'USD' }],
      ['price_starts_later', { validFrom: inDays(9) }],
      ['price_ends', { validUntil: inDays(9) }],
    ] as const)
      [expected[type]] = await offersOf(await product({}, {}, [{ ...offer, ...terms }]))
    const gap = await product({}, {}, [
      { ...offer, validUntil: inDays(2) },
      { ...offer, validFrom: inDays(3) },
    ])
    expected.price_gap = (await shop.read(`/api/sale_offers?product=${gap['@id']}`)).member.find(
      ({ validUntil }: Body) => validUntil,
    )['@id']
    const untranslated = await shop.create('/api/products', {
      title: 'Cap',
      status: 'ACTIVE',
      channels: ['web'],
      media: [picture],
      variants: [{ sku: 'CAP', saleOffers: [offer] }],
    })
    expected.no_translation = `${untranslated['@id']}/translations`
    expected.no_picture = (await product({ media: [] }))['@id']
    expected.no_sku = variantOf(await product({}, { sku: null }))
    const twin = await product({ status: 'DRAFT' }, { barcode })
    expected.duplicate_barcode = variantOf(await product({}, { barcode }))
    expected.twin = variantOf(twin)
    const dear = await product({})
    const purchase = { variant: variantOf(dear), supplier: 'Mill', currency: 'EUR' }
    await shop.create('/api/purchase_offers', { ...purchase, cost: '12.00' })
    expected.cost = (await shop.create('/api/purchase_offers', { ...purchase, cost: '11.00' }))['@id']
    ;[expected.below_cost] = await offersOf(dear)
    const covered = await product({}, {}, [
      { ...offer, priority: 5 },
      { ...offer, amount: '9.00' },
    ])
    expected.never_wins = (await shop.read(`/api/sale_offers?product=${covered['@id']}`)).member.find(
      ({ priority }: Body) => priority === 0,
    )['@id']
    const later = inDays(3)
    const tied = await product({}, {}, [
      offer,
      { ...offer, priority: 2, validFrom: later },
      { ...offer, priority: 2, validFrom: later, validUntil: null, amount: '8.00', countries: [] },
    ])
    expected.tie = (await offersOf(tied)).slice(1)
    expected.never_wins = [expected.tie[0], expected.never_wins]
    const definition = await shop.create('/api/metaobject_definitions', {
      type: 'care',
      name: 'Care',
      fieldDefinitions: [{ key: 'text', type: '/api/metafield_definition_types/single_line_text_field' }],
    })
    const wool = await shop.create('/api/metaobjects', { definition: definition['@id'], handle: 'wool' })
    await product({
      fields: { care: { value: wool['@id'], type: '/api/metafield_definition_types/metaobject_reference' } },
    })
    expected.draft_reference = wool['@id']
    await shop.rest()
  })

  test('are listed with the resource to change', async () => {
    const issues = await all(shop)
    const found = Map.groupBy(issues, ({ type }) => type)
    const resources = Object.fromEntries(
      [...found].map(([type, each]) => [type, each.map(({ resource }) => resource)]),
    )
    const { twin, cost, tie, ...rest } = expected
    expect(resources).toMatchObject(
      Object.fromEntries(Object.entries(rest).map(([type, resource]) => [type, [resource].flat()])),
    )
    expect(new Set(found.keys())).toEqual(new Set(listedTypes))
    expect(found.get('duplicate_barcode')![0].related).toBe(twin)
    expect(found.get('below_cost')![0]).toMatchObject({
      related: cost,
      market,
      message: 'In the market “fr”, the price 10.00 is below the cost 11.00 (EUR).',
    })
    const [pair] = found.get('tie')!
    expect([pair.resource, pair.related].sort()).toEqual([...tie].sort())
  })

  test('are counted, filtered and paged', async () => {
    const issues = await all(shop)
    const number = (of: readonly Issue[]) =>
      Object.fromEntries([...Map.groupBy(of, ({ type }) => type)].map(([type, each]) => [type, each.length]))
    expect(await counts(shop)).toEqual(number(issues))
    for (const type of listedTypes) {
      const own = issues.filter((each) => each.type === type)
      expect((await all(shop, `itemsPerPage=2&type=${type}`)).map(shown)).toEqual(own.map(shown))
    }
    const inMarket = issues.filter((each) => each.market === market)
    expect((await all(shop, 'itemsPerPage=3&market=fr')).map(shown)).toEqual(inMarket.map(shown))
    expect(await counts(shop, '&market=fr')).toEqual(number(inMarket))
    const { product } = issues.find(({ type }) => type === 'below_cost')!
    const ofProduct = issues.filter((each) => each.product === product)
    expect((await all(shop, `itemsPerPage=1&product=${product}`)).map(shown)).toEqual(ofProduct.map(shown))
    expect(new Set(issues.map((each) => each['@id'])).size).toBe(issues.length)
    const unknown = await shop.get(`${list}?market=none`, { status: 422 })
    expect(unknown.body.violations[0].slug).toBe('pricing.market_unknown')
    for (const wrong of ['type=product_draft', 'cursor=x', 'product=x', 'facets[]=market'])
      await shop.get(`${list}?${wrong}`, { status: 422 })
  })

  test('are the warnings and blockers of the readiness of their products', async () => {
    const issues = await all(shop)
    for (const [product, own] of Map.groupBy(issues, (each) => each.product as string)) {
      const body = await shop.read(`${product}/readiness`)
      const [{ blockers, warnings }] = body.markets
      const ready = [...blockers, ...warnings, ...body.warnings].filter(({ type }) =>
        (listedTypes as readonly string[]).includes(type),
      )
      expect(ready.map(shown).sort()).toEqual(own.map(shown).sort())
    }
  })

  test('are hidden, and not counted, without the scopes of their facts', async () => {
    const issues = await all(shop)
    for (const [hidden, scopes] of [
      [/^(?:no_price|price_|below_cost|never_wins|tie|draft_reference)/, 'products:read'],
      [/^(?:below_cost|draft_reference)/, 'products:read sale_offers:read'],
      [/^draft_reference/, 'products:read sale_offers:read purchase_offers:read metaobjects:read'],
      [/^(?:no_price|price_|below_cost|never_wins|tie)/, 'products:read metaobjects:read metaobjects:write'],
    ] as const) {
      const token = await shop.token({ scope: scopes })
      const seen = issues.filter(({ type }) => !hidden.test(type))
      expect((await all(shop, 'itemsPerPage=4', token)).map(shown)).toEqual(seen.map(shown))
      const counted = await counts(shop, '', token)
      expect(Object.keys(counted).sort()).toEqual([...new Set(seen.map(({ type }) => type))].sort())
      for (const type of listedTypes)
        await shop.get(`${list}?type=${type}`, { token, status: hidden.test(type) ? 403 : 200 })
    }
    const reader = await shop.token({ scope: 'products:read' })
    await shop.get(`${list}?market=fr`, { token: reader, status: 403 })
    await shop.get(list, { token: await shop.token({ scope: 'sale_offers:read' }), status: 403 })
  })

  test('belong to one tenant', async () => {
    const other = await openShop()
    expect((await other.read(`${list}?facets[]=type`)).member).toEqual([])
    const { product } = (await all(shop))[0]
    expect((await other.read(`${list}?product=${product}`)).member).toEqual([])
  })
})

test('the issues of a random catalogue are those of a model', async () => {
  const shop = await openShop()
  const markets = [
    { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' },
    { key: 'pos', channel: 'pos', country: 'DE', currency: 'EUR' },
  ]
  for (const market of markets) await shop.create('/api/markets', market)
  let seed = 11
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const oneOf = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
  const sizes = ['S', 'M']
  const bodies = Array.from({ length: 40 }, (_, nth) => ({
    title: `Shirt ${nth}`,
    status: oneOf(['ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT']),
    channels: oneOf([['web'], ['web', 'pos'], []]),
    media: oneOf([[picture], [], [{ ...picture, type: 'VIDEO' }]]),
    options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
    variants: sizes.slice(0, oneOf([0, 1, 2])).map((value) => ({
      sku: oneOf([null, `SKU-${nth}-${value}`]),
      barcode: oneOf([null, barcode, '96385074', `B-${nth}-${value}`]),
      optionValues: [{ option: 'Size', value }],
      saleOffers: oneOf([[], [offer], [{ ...offer, channel: 'web' }], [{ ...offer, countries: ['DE'] }]]),
    })),
  }))
  const products: Body[] = []
  for (const body of bodies) products.push(await shop.create('/api/products', body))
  const french = new Set(products.filter(() => random() < 0.5))
  for (const product of french) await shop.update(product['@id'], { title: 'Chemise' }, { locale: 'fr-FR' })

  const carriers = products.flatMap(({ variants }) => variants.map((each: Body) => each.barcode))
  const expected: string[] = []
  for (const product of products.filter(({ status }) => status === 'ACTIVE')) {
    const add = (type: string, market = '', count = 0) =>
      expected.push([type, product['@id'], market, count].join(' '))
    const variants: Body[] = product.variants
    if (variants.length === 0) add('no_variant')
    if (!product.media.some(({ type }: Body) => type === 'IMAGE')) add('no_picture')
    if (!french.has(product)) add('no_translation')
    const nameless = variants.filter(({ sku }) => sku === null)
    if (nameless.length > 0) add('no_sku', '', nameless.length)
    for (const { barcode: code } of variants)
      if (code !== null && carriers.filter((each) => each === code).length > 1)
        add('duplicate_barcode', '', 1)
    for (const { key, channel } of markets) {
      if (!product.channels.includes(channel)) continue
      const priced = await shop.read(`${product['@id']}?market=${key}`)
      const without = priced.variants.filter((each: Body) => each.resolvedPrice?.amount === undefined)
      if (without.length > 0) add('no_price', key, without.length)
    }
  }
  const keys = new Map((await shop.read('/api/markets')).member.map((each: Body) => [each['@id'], each.key]))
  const found = await all(shop)
  expect(
    found
      .map(({ type, product, market, variantsTotal }) =>
        [type, product, keys.get(market) ?? '', variantsTotal].join(' '),
      )
      .sort(),
  ).toEqual(expected.sort())
  expect(new Set(expected.map((each) => each.split(' ')[0])).size).toBe(6)
}, 60_000)
