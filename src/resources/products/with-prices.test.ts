/** Products and variants that are created with their prices, in one request. */
import { beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, faultsIn, owner } from '../../../test/support/ledger.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Item = Readonly<Record<string, unknown>> & { readonly '@id': string; readonly id: string }
type Product = Item & { readonly variants: readonly Item[] }

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const euros = (amount: unknown, more: object = {}) => ({ currency: 'EUR', amount, ...more })

/** A product with an option, and a variant for each list of prices. */
const priced = (...lists: readonly unknown[]) => ({
  title: 'Shirt',
  options: [{ title: 'Size', values: lists.map((_, index) => ({ title: `${index}` })) }],
  variants: lists.map((saleOffers, index) => ({
    optionValues: [{ option: 'Size', value: `${index}` }],
    saleOffers,
  })),
})

const offersOf = async (of: Item, query = ''): Promise<Item[]> =>
  (await shop.get(`/api/sale_offers?product=${of['@id']}&order[createdAt]=asc${query}`, { status: 200 })).body
    .member

const violationsOf = ({ body }: Reply) =>
  body.violations.map((each: { propertyPath: string; slug: string }) => `${each.propertyPath} ${each.slug}`)

const tripsOf = ({ headers }: Reply) => /db;.*desc="?(\d+)"?/.exec(headers.get('server-timing') ?? '')?.[1]

/** How many sale offers the variants of a product count, in their order. */
const countsOf = (id: string) =>
  owner(async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select sale_offer_count as count from variants where product_id = $1 order by position',
      [id],
    )
    return rows.map(({ count }) => count)
  })

const unstamped = ({ id, '@id': _, createdAt, updatedAt, ...rest }: Item) => rest

describe('a product', () => {
  test('is created with the prices of its variants in two trips, and they are as if made by themselves', async () => {
    const category = (await shop.post('/api/categories', { body: { title: 'Wear' }, status: 201 })).body
    const sale = {
      amount: 17.9,
      currency: 'EUR',
      compareAtAmount: '24.9',
      channel: 'web',
      countries: ['FR', 'BE', 'FR'],
      priority: 3,
      minQuantity: 2,
      taxIncluded: false,
      validFrom: '2026-01-01',
      validUntil: '2090-01-01T00:00:00+01:00',
      externalId: 'erp-1',
    }
    const body = { ...priced([euros('19.9'), sale], []), categories: [category['@id']] }
    const made = await shop.post('/api/products', { body, status: 201 })
    expect(tripsOf(made)).toBe('2')
    expect(made.headers.has('service-ignored-properties')).toBe(false)
    expect((await shop.get(made.body['@id'])).body).toEqual(made.body)
    expect(made.text).not.toContain('saleOffers')

    const product: Product = made.body
    const offers = await offersOf(product)
    const [variant] = product.variants
    const alone = []
    for (const each of [euros('19.9'), { ...sale, externalId: 'erp-2' }]) {
      const own = { ...each, variant: variant?.['@id'] }
      alone.push((await shop.post('/api/sale_offers', { body: own, status: 201 })).body)
    }
    expect(offers.map(unstamped)).toEqual(
      alone
        .map(({ '@context': _, ...each }) => unstamped(each))
        .map((each) => ({
          ...each,
          externalId: each.externalId === null ? null : 'erp-1',
        })),
    )
    const own = offers[1]?.['@id'] ?? ''
    expect((await shop.get(own, { status: 200 })).body).toMatchObject({
      '@id': own,
      amount: '17.90',
      version: 1,
    })
    expect(await countsOf(product.id)).toEqual([4, 0])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('has its prices at once, resolved in their context', async () => {
    const body = priced([euros('9'), euros('7', { channel: 'web' })])
    const made = await shop.post('/api/products', { body, status: 201 })
    const at = new Date().toISOString()
    const query = `resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${at}`
    const { variants } = (await shop.get(`${made.body['@id']}?${query}`, { status: 200 })).body
    expect(variants[0].resolvedPrice).toMatchObject({ amount: '7.00', currency: 'EUR' })
  })

  test('is told from the inside out: prices, their variant, the product', async () => {
    const own = await openShop()
    const body = priced([euros('1', { externalId: 'a' }), euros('2')], [], [euros('3')])
    await own.post('/api/products', { body, status: 201 })
    const events = await eventsOf(own)
    expect(events.map((each) => each.topic)).toEqual([
      ...['option_value/created', 'option_value/created', 'option_value/created', 'product_option/created'],
      ...['sale_offer/created', 'sale_offer/created', 'variant/created'],
      'variant/created',
      ...['sale_offer/created', 'variant/created'],
      'product/created',
    ])
    const { member } = (await own.get('/api/events?itemsPerPage=100', { status: 200 })).body
    const told = member.filter((each: { topic: string }) => each.topic === 'sale_offer/created')
    for (const { document } of told) {
      const { '@context': _, ...read } = (await own.get(document['@id'], { status: 200 })).body
      const { '@context': __, ...kept } = document
      expect(kept).toEqual(read)
    }
    expect(told[0].changes).toContainEqual({ path: 'amount', before: null, after: '1.00' })
    expect(told[0].changes).toContainEqual({ path: 'variant', before: null, after: told[0].document.variant })
    expect(
      JSON.stringify(member.filter((each: { topic: string }) => each.topic === 'variant/created')),
    ).not.toContain('saleOffers')
    expect(await faultsIn(own)).toEqual([])
  })

  test('comes with others, each with its prices, with one insert for all', async () => {
    const body = [priced([euros('1')]), { ...priced([euros('2'), euros('3')], [euros('4')]), title: 'Coat' }]
    const made = await shop.post('/api/products', { body, status: 201 })
    expect(tripsOf(made)).toBe('2')
    const [shirt, coat] = made.body.member
    expect((await offersOf(shirt)).map((each) => each.amount)).toEqual(['1.00'])
    expect((await offersOf(coat)).map((each) => [each.amount, each.variant])).toEqual([
      ['2.00', coat.variants[0]['@id']],
      ['3.00', coat.variants[0]['@id']],
      ['4.00', coat.variants[1]['@id']],
    ])
  })

  test('takes archived prices, which are not counted and hold no external id', async () => {
    const twins = ['ARCHIVED', 'ACTIVE'].map((status) => euros('1', { status, externalId: 'twin' }))
    const made = await shop.post('/api/products', { body: priced(twins), status: 201 })
    expect(await countsOf(made.body.id)).toEqual([1])
    expect(await offersOf(made.body, '&status=ARCHIVED')).toHaveLength(1)
    expect(await faultsIn(shop)).toEqual([])
  })

  test.each(['2026-01', '2026-04', '2026-07', 'unstable'])('does so in %s as well', async (version) => {
    const made = await shop.post('/api/products', { body: priced([euros('1')]), version, status: 201 })
    expect(await offersOf(made.body)).toHaveLength(1)
  })

  test('sent again with its key makes nothing twice, and answers the same', async () => {
    const body = priced([euros('1'), euros('2')])
    const send = () =>
      shop.post('/api/products', { body, headers: { 'Idempotency-Key': 'priced-1' }, status: 201 })
    const first = await send()
    const events = await eventsOf(shop)
    const second = await send()
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await eventsOf(shop)).toEqual(events)
    expect(await offersOf(first.body)).toHaveLength(2)
  })
})

describe('what is wrong', () => {
  /** Sends a body that is refused, and sees that nothing came of it. */
  async function refused(path: string, body: unknown, status: number): Promise<Reply> {
    const before = await eventsOf(shop)
    const answer = await shop.post(path, { body, status })
    expect(await eventsOf(shop)).toEqual(before)
    expect(await faultsIn(shop)).toEqual([])
    return answer
  }

  test('is told at once, of prices as of the rest', async () => {
    const body = {
      ...priced(
        [
          euros('1'),
          euros('1.999', { validFrom: '2026-02-01', validUntil: '2026-01-01' }),
          { currency: 'eur' },
        ],
        [euros('5', { compareAtAmount: '5', countries: ['FR', 'UK'], minQuantity: 0 }), 7],
        'none',
      ),
      title: null,
    }
    const found = [
      'variants[0].saleOffers[1].amount validation.amount',
      'variants[0].saleOffers[1].validUntil sale_offer.window_reversed',
      'variants[0].saleOffers[2].currency validation.currency',
      'variants[0].saleOffers[2].amount validation.required',
      'variants[1].saleOffers[0].countries[1] validation.country',
      'variants[1].saleOffers[0].minQuantity validation.too_small',
      'variants[1].saleOffers[0].compareAtAmount sale_offer.compare_at_not_above',
      'variants[1].saleOffers[1] validation.type',
      'variants[2].saleOffers validation.type',
      'title validation.required',
    ]
    expect(violationsOf(await refused('/api/products', body, 422)).toSorted()).toEqual(found.toSorted())
    const several = await refused('/api/products', [priced([euros('1')]), body], 422)
    expect(violationsOf(several).toSorted()).toEqual(found.map((each) => `[1].${each}`).toSorted())
  })

  test.each(['variant', 'product'])(
    'a %s in a price is ignored, since it is of its variant',
    async (name) => {
      const body = priced([euros('1', { [name]: '/api/products/1' })])
      const made = await shop.post('/api/products', { body, status: 201 })
      expect(made.headers.get('service-ignored-properties')).toBeNull()
      const [offer] = await offersOf(made.body)
      expect(offer).toMatchObject({ product: made.body['@id'], variant: made.body.variants[0]['@id'] })
    },
  )

  test('an unknown member of a price is refused under strict handling', async () => {
    const headers = { prefer: 'handling=strict' }
    const body = priced([euros('1', { colour: 'red' })])
    const answer = await shop.post('/api/products', { body, headers, status: 422 })
    expect(violationsOf(answer)).toEqual(['variants[0].saleOffers[0].colour validation.unknown_property'])
  })

  test('an external id that another offer has, or one of the same request, is a conflict', async () => {
    await shop.post('/api/products', { body: priced([euros('1', { externalId: 'taken' })]), status: 201 })
    const [taken, twice] = [euros('1', { externalId: 'taken' }), euros('1', { externalId: 'twice' })]
    const body = [
      priced([twice, euros('2')]),
      { ...priced([], [taken], [twice]), handle: 'held', title: 'Coat' },
    ]
    await shop.post('/api/products', { body: { title: 'Holder', handle: 'held' }, status: 201 })
    const answer = await refused('/api/products', body, 409)
    expect(violationsOf(answer)).toEqual([
      '[1].handle product.handle_taken',
      '[1].variants[1].saleOffers[0].externalId sale_offer.external_id_taken',
      '[1].variants[2].saleOffers[0].externalId sale_offer.external_id_taken',
    ])
  })

  test('of two at once with one external id, one is made', async () => {
    const body = priced([euros('1', { externalId: 'race' })])
    const send = (handle: string) => shop.post('/api/products', { body: { ...body, handle } })
    const answers = await Promise.all(['race-1', 'race-2', 'race-3'].map(send))
    expect(answers.map((each) => each.status).toSorted()).toEqual([201, 409, 409])
    expect(answers.find((each) => each.status === 409)?.body.slug).toBe('sale_offer.external_id_taken')
    expect(await faultsIn(shop)).toEqual([])
  })

  test('an archived product takes no prices', async () => {
    const body = { ...priced([], [euros('1')]), status: 'ARCHIVED' }
    const answer = await refused('/api/products', body, 409)
    expect(violationsOf(answer)).toEqual(['variants[1].saleOffers product.archived'])
  })

  test('one request takes as many prices as /api/sale_offers, and says where there are more', async () => {
    const many = (count: number) => Array.from({ length: count }, () => euros('1'))
    const one = await refused('/api/products', priced([], many(251)), 422)
    expect(violationsOf(one)).toEqual(['variants[1].saleOffers validation.too_many_items'])
    const spread = await refused('/api/products', [priced(many(100)), priced(many(150), many(1))], 422)
    expect(violationsOf(spread)).toEqual(['[1].variants[1].saleOffers validation.too_many_items'])
    const most = await shop.post('/api/products', { body: priced(many(100), many(150)), status: 201 })
    expect(tripsOf(most)).toBe('2')
    expect(await countsOf(most.body.id)).toEqual([100, 150])
  })
})

describe('who may', () => {
  const withPrices = priced([euros('1')])

  test('needs the scope of both, told together, where there are prices', async () => {
    const token = await shop.token({ scope: 'products:write' })
    const answer = await shop.post('/api/products', { body: withPrices, token, status: 403 })
    expect(answer.headers.get('www-authenticate')).toContain('scope="products:write sale_offers:write"')
    await shop.post('/api/products', { body: [{ title: 'Bare' }, withPrices], token, status: 403 })
    const other = await shop.token({ scope: 'sale_offers:write' })
    await shop.post('/api/products', { body: withPrices, token: other, status: 403 })
    const both = await shop.token({ scope: 'products:write sale_offers:write' })
    await shop.post('/api/products', { body: withPrices, token: both, status: 201 })
  })

  test.each([[undefined], [null], [[]]])(
    'needs products:write alone where they are %j',
    async (saleOffers) => {
      const token = await shop.token({ scope: 'products:write' })
      await shop.post('/api/products', { body: priced(saleOffers), token, status: 201 })
    },
  )

  test('needs the permission as well when it acts for a person', async () => {
    const scope = 'products:write sale_offers:write'
    const as = (...permissions: readonly string[]) => shop.token({ scope, sub: 'ada', permissions })
    const some = await as('identity:products:write')
    const answer = await shop.post('/api/products', { body: withPrices, token: some, status: 403 })
    expect(answer.text).toContain('identity:sale_offers:write')
    const every = await as('identity:products:write', 'identity:sale_offers:*')
    await shop.post('/api/products', { body: withPrices, token: every, status: 201 })
  })

  test('changes a product or a variant without it, since prices are not written there', async () => {
    const { body: made } = await shop.post('/api/products', { body: priced([]), status: 201 })
    const token = await shop.token({ scope: 'products:write products:read' })
    const saleOffers = [euros('1')]
    const product = await shop.patch(made['@id'], {
      body: { variants: [{ saleOffers }] },
      token,
      status: 200,
    })
    expect(product.headers.get('service-ignored-properties')).toBe('variants[0].saleOffers')
    const variant = await shop.patch(made.variants[0]['@id'], { body: { saleOffers }, token, status: 200 })
    expect(variant.headers.get('service-ignored-properties')).toBe('saleOffers')
  })
})

describe('after its creation', () => {
  let made: Product
  beforeAll(async () => {
    made = (await shop.post('/api/products', { body: priced([euros('1')]), status: 201 })).body
  })

  test('a product that is sent back whole stays as it is', async () => {
    const headers = { prefer: 'handling=strict' }
    for (const each of [made, ...made.variants]) {
      const back = await shop.patch(each['@id'], { body: each, headers, status: 200 })
      expect(back.headers.has('service-ignored-properties')).toBe(false)
      expect(back.body.version).toBe(1)
    }
  })

  test('prices are not written with a patch: they are named, or refused under strict handling', async () => {
    const [variant] = made.variants
    const saleOffers = [euros('2')]
    const patches: readonly (readonly [string, object, string])[] = [
      [made['@id'], { title: 'Shirt', variants: [{ ...variant, saleOffers }] }, 'variants[0].saleOffers'],
      [variant?.['@id'] ?? '', { saleOffers }, 'saleOffers'],
    ]
    const events = await eventsOf(shop)
    for (const [path, body, name] of patches) {
      const ignored = await shop.patch(path, { body, status: 200 })
      expect(ignored.headers.get('service-ignored-properties')).toBe(name)
      const strict = await shop.patch(path, { body, headers: { prefer: 'handling=strict' }, status: 422 })
      expect(violationsOf(strict)).toEqual([`${name} validation.unknown_property`])
    }
    expect(await eventsOf(shop)).toEqual(events)
    expect(await offersOf(made)).toHaveLength(1)
  })
})

describe('a variant', () => {
  const fresh = async () => {
    const values = ['0', '1', '2', '3'].map((title) => ({ title }))
    const body = { ...priced([]), options: [{ title: 'Size', values }] }
    return (await shop.post('/api/products', { body, status: 201 })).body as Product
  }
  const sized = (value: string, saleOffers: unknown) => ({
    optionValues: [{ option: 'Size', value }],
    saleOffers,
  })

  test('of a product that there is comes with its prices, told before it', async () => {
    const product = await fresh()
    const { length } = await eventsOf(shop)
    const body = [sized('1', [euros('1'), euros('2')]), sized('2', []), sized('3', [euros('3')])]
    const made = await shop.post(`${product['@id']}/variants`, { body, status: 201 })
    expect(tripsOf(made)).toBe('2')
    expect(made.text).not.toContain('saleOffers')
    expect((await eventsOf(shop)).slice(length).map((each) => each.topic)).toEqual([
      ...['sale_offer/created', 'sale_offer/created', 'variant/created'],
      'variant/created',
      ...['sale_offer/created', 'variant/created'],
      'product/updated',
    ])
    const [first, , third] = made.body.member
    expect((await offersOf(product)).map((each) => [each.amount, each.variant])).toEqual([
      ['1.00', first['@id']],
      ['2.00', first['@id']],
      ['3.00', third['@id']],
    ])
    expect(await countsOf(product.id)).toEqual([0, 2, 0, 1])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('is refused for its prices as a product is', async () => {
    const product = await fresh()
    const path = `${product['@id']}/variants`
    const token = await shop.token({ scope: 'products:write' })
    await shop.post(path, { body: sized('1', [euros('1')]), token, status: 403 })
    await shop.post(path, { body: sized('1', []), token, status: 201 })
    const wrong = await shop.post(path, { body: sized('2', [euros('x')]), status: 422 })
    expect(violationsOf(wrong)).toEqual(['saleOffers[0].amount validation.amount'])
    const many = Array.from({ length: 126 }, () => euros('1'))
    const more = await shop.post(path, { body: [sized('2', many), sized('3', many)], status: 422 })
    expect(violationsOf(more)).toEqual(['[1].saleOffers validation.too_many_items'])
    const twins = ['2', '3'].map((value) => sized(value, [euros('1', { externalId: 'two' })]))
    const taken = await shop.post(path, { body: twins, status: 409 })
    expect(violationsOf(taken)).toEqual(['[1].saleOffers[0].externalId sale_offer.external_id_taken'])
    expect(await offersOf(product)).toEqual([])
  })

  test('of two products at once with one external id of a price, one is made', async () => {
    const products = [await fresh(), await fresh(), await fresh()]
    const body = sized('1', [euros('1', { externalId: 'variants-race' })])
    const answers = await Promise.all(products.map((each) => shop.post(`${each['@id']}/variants`, { body })))
    expect(answers.map((each) => each.status).toSorted()).toEqual([201, 409, 409])
    expect(await faultsIn(shop)).toEqual([])
  })
})
