/** Products and variants that are created with their prices, in one request. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, faultsIn, owner } from '../../../test/support/ledger.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Item = Readonly<Record<string, unknown>> & { readonly '@id': string; readonly id: string }
type Product = Item & { readonly variants: readonly Item[] }

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

test('the product of the guide has euros, dollars in the United States, and a lower price from December', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/3-prices.md'), 'utf8')
  const [, text = ''] = /```json\n(\{\s+"title"[^`]+)```/.exec(guide) ?? []
  const { body } = await shop.post('/api/products', { body: JSON.parse(text), status: 201 })
  const priceIn = async (country: string, at: string) => {
    const context = `resolveContext[channel]=web&resolveContext[country]=${country}&resolveContext[at]=${at}`
    const { variants } = (await shop.get(`${body['@id']}?${context}`, { status: 200 })).body
    return `${variants[0].resolvedPrice.amount} ${variants[0].resolvedPrice.currency}`
  }
  const [before, after] = ['2026-11-30T23:59:59Z', '2026-12-01T00:00:00Z']
  expect(await priceIn('FR', before)).toBe('89.00 EUR')
  expect(await priceIn('US', before)).toBe('99.00 USD')
  expect(await priceIn('FR', after)).toBe('79.00 EUR')
  expect(await priceIn('US', after)).toBe('99.00 USD')
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
  (await shop.read(`/api/sale_offers?product=${of['@id']}&order[createdAt]=asc${query}`)).member

const violationsOf = ({ body }: Reply) =>
  body.violations.map(
    (violation: { propertyPath: string; slug: string }) => `${violation.propertyPath} ${violation.slug}`,
  )

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
  test('is created with prices in two database calls, and the prices equal those of /api/sale_offers', async () => {
    const category = await shop.create('/api/categories', { title: 'Wear' })
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
    const response = await shop.post('/api/products', { body, status: 201 })
    expect(tripsOf(response)).toBe('2')
    expect(response.headers.get('service-ignored-properties')).toBeNull()
    expect((await shop.get(response.body['@id'])).body).toEqual(response.body)
    expect(response.text).not.toContain('saleOffers')

    const product: Product = response.body
    const offers = await offersOf(product)
    const [variant] = product.variants
    const separateOffers = []
    for (const offer of [euros('19.9'), { ...sale, externalId: 'erp-2' }]) {
      const body = { ...offer, variant: variant?.['@id'] }
      separateOffers.push(await shop.create('/api/sale_offers', body))
    }
    expect(offers.map(unstamped)).toEqual(
      separateOffers
        .map(({ '@context': _, warnings, ...offer }) => unstamped(offer))
        .map((offer) => ({
          ...offer,
          externalId: offer.externalId === null ? null : 'erp-1',
        })),
    )
    const saleIri = offers[1]?.['@id'] ?? ''
    expect(await shop.read(saleIri)).toMatchObject({
      '@id': saleIri,
      amount: '17.90',
      version: 1,
    })
    expect(await countsOf(product.id)).toEqual([4, 0])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('has events in the order product, options, variants, each before its prices', async () => {
    const newShop = await openShop()
    const body = priced([euros('1', { externalId: 'a' }), euros('2')], [], [euros('3')])
    await newShop.create('/api/products', body)
    const events = await eventsOf(newShop)
    expect(events.map((event) => event.topic)).toEqual([
      'product/created',
      ...['product_option/created', 'option_value/created', 'option_value/created', 'option_value/created'],
      ...['variant/created', 'sale_offer/created', 'sale_offer/created'],
      'variant/created',
      ...['variant/created', 'sale_offer/created'],
    ])
    const { member } = await newShop.read('/api/events?itemsPerPage=100')
    const offerEvents = member.filter((event: { topic: string }) => event.topic === 'sale_offer/created')
    for (const { document } of offerEvents) {
      const { '@context': _, ...currentDocument } = await newShop.read(document['@id'])
      const { '@context': __, ...eventDocument } = document
      expect(eventDocument).toEqual(currentDocument)
    }
    expect(offerEvents[0].changes).toContainEqual({ path: 'amount', before: null, after: '1.00' })
    expect(offerEvents[0].changes).toContainEqual({
      path: 'variant',
      before: null,
      after: offerEvents[0].document.variant,
    })
    expect(
      JSON.stringify(member.filter((event: { topic: string }) => event.topic === 'variant/created')),
    ).not.toContain('saleOffers')
    expect(await faultsIn(newShop)).toEqual([])
  })

  test('accepts archived prices, which are not counted and reserve no external id', async () => {
    const twins = ['ARCHIVED', 'ACTIVE'].map((status) => euros('1', { status, externalId: 'twin' }))
    const response = await shop.create('/api/products', priced(twins))
    expect(await countsOf(response.id)).toEqual([1])
    expect(await offersOf(response, '&status=ARCHIVED')).toHaveLength(1)
    expect(await faultsIn(shop)).toEqual([])
  })
})

describe('an invalid price', () => {
  /** Sends an invalid body, and expects that it creates no events. */
  async function sendInvalid(path: string, body: unknown, status: number): Promise<Reply> {
    const before = await eventsOf(shop)
    const answer = await shop.post(path, { body, status })
    expect(await eventsOf(shop)).toEqual(before)
    expect(await faultsIn(shop)).toEqual([])
    return answer
  }

  test('is reported together with all other violations', async () => {
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
    const violations = [
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
    expect(violationsOf(await sendInvalid('/api/products', body, 422)).toSorted()).toEqual(
      violations.toSorted(),
    )
    const several = await sendInvalid('/api/products', [priced([euros('1')]), body], 422)
    expect(violationsOf(several).toSorted()).toEqual(
      violations.map((violation) => `[1].${violation}`).toSorted(),
    )
  })

  test.each(['variant', 'product'])('with a %s is created without that property', async (name) => {
    const body = priced([euros('1', { [name]: '/api/products/1' })])
    const response = await shop.post('/api/products', { body, status: 201 })
    expect(response.headers.get('service-ignored-properties')).toBeNull()
    const [offer] = await offersOf(response.body)
    expect(offer).toMatchObject({
      product: response.body['@id'],
      variant: response.body.variants[0]['@id'],
    })
  })

  test('with an external id of another price, or of the same request, is a conflict', async () => {
    await shop.create('/api/products', priced([euros('1', { externalId: 'taken' })]))
    const [takenOffer, repeatedOffer] = [
      euros('1', { externalId: 'taken' }),
      euros('1', { externalId: 'twice' }),
    ]
    const body = [
      priced([repeatedOffer, euros('2')]),
      { ...priced([], [takenOffer], [repeatedOffer]), handle: 'held', title: 'Coat' },
    ]
    await shop.create('/api/products', { title: 'Holder', handle: 'held' })
    const answer = await sendInvalid('/api/products', body, 409)
    expect(violationsOf(answer)).toEqual([
      '[1].handle product.handle_taken',
      '[1].variants[1].saleOffers[0].externalId sale_offer.external_id_taken',
      '[1].variants[2].saleOffers[0].externalId sale_offer.external_id_taken',
    ])
  })

  test('with the external id of a concurrent request is a conflict', async () => {
    const body = priced([euros('1', { externalId: 'race' })])
    const send = (handle: string) => shop.post('/api/products', { body: { ...body, handle } })
    const answers = await Promise.all(['race-1', 'race-2', 'race-3'].map(send))
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409])
    expect(answers.find((answer) => answer.status === 409)?.body.slug).toBe('sale_offer.external_id_taken')
    expect(await faultsIn(shop)).toEqual([])
  })

  test('of an archived product is a conflict', async () => {
    const body = { ...priced([], [euros('1')]), status: 'ARCHIVED' }
    const answer = await sendInvalid('/api/products', body, 409)
    expect(violationsOf(answer)).toEqual(['variants[1].saleOffers product.archived'])
  })

  test('beyond the limit of /api/sale_offers is reported with its path', async () => {
    const many = (count: number) => Array.from({ length: count }, () => euros('1'))
    const singleProduct = await sendInvalid('/api/products', priced([], many(251)), 422)
    expect(violationsOf(singleProduct)).toEqual(['variants[1].saleOffers validation.too_many_items'])
    const bulk = await sendInvalid('/api/products', [priced(many(100)), priced(many(150), many(1))], 422)
    expect(violationsOf(bulk)).toEqual(['[1].variants[1].saleOffers validation.too_many_items'])
    const maximum = await shop.post('/api/products', { body: priced(many(100), many(150)), status: 201 })
    expect(tripsOf(maximum)).toBe('2')
    expect(await countsOf(maximum.body.id)).toEqual([100, 150])
  })
})

describe('authorization', () => {
  const withPrices = priced([euros('1')])

  test('requires the scopes of products and of prices, and a 403 names both', async () => {
    const token = await shop.token({ scope: 'products:write' })
    const answer = await shop.post('/api/products', { body: withPrices, token, status: 403 })
    expect(answer.headers.get('www-authenticate')).toContain('scope="products:write sale_offers:write"')
    await shop.post('/api/products', { body: [{ title: 'Bare' }, withPrices], token, status: 403 })
    const offersToken = await shop.token({ scope: 'sale_offers:write' })
    await shop.post('/api/products', { body: withPrices, token: offersToken, status: 403 })
    const bothToken = await shop.token({ scope: 'products:write sale_offers:write' })
    await shop.create('/api/products', withPrices, { token: bothToken })
  })

  test.each([[undefined], [null], [[]]])(
    'requires only products:write if saleOffers is %j',
    async (saleOffers) => {
      const token = await shop.token({ scope: 'products:write' })
      await shop.create('/api/products', priced(saleOffers), { token })
    },
  )

  test('requires also the permissions of a user', async () => {
    const scope = 'products:write sale_offers:write'
    const as = (...permissions: readonly string[]) => shop.token({ scope, sub: 'ada', permissions })
    const productsToken = await as('identity:products:write')
    const answer = await shop.post('/api/products', { body: withPrices, token: productsToken, status: 403 })
    expect(answer.text).toContain('identity:sale_offers:write')
    const allToken = await as('identity:products:write', 'identity:sale_offers:*')
    await shop.create('/api/products', withPrices, { token: allToken })
  })

  test('requires only products:write to change a product or variant, which ignores prices', async () => {
    const created = await shop.create('/api/products', priced([]))
    const token = await shop.token({ scope: 'products:write products:read' })
    const saleOffers = [euros('1')]
    const product = await shop.patch(created['@id'], {
      body: { variants: [{ saleOffers }] },
      token,
      status: 200,
    })
    expect(product.headers.get('service-ignored-properties')).toBe('variants[0].saleOffers')
    const variant = await shop.patch(created.variants[0]['@id'], { body: { saleOffers }, token, status: 200 })
    expect(variant.headers.get('service-ignored-properties')).toBe('saleOffers')
  })
})

describe('after its creation', () => {
  let product: Product
  beforeAll(async () => {
    product = await shop.create('/api/products', priced([euros('1')]))
  })

  test('a patch reports prices as ignored, or rejects them under strict handling', async () => {
    const [variant] = product.variants
    const saleOffers = [euros('2')]
    const patches: readonly (readonly [string, object, string])[] = [
      [product['@id'], { title: 'Shirt', variants: [{ ...variant, saleOffers }] }, 'variants[0].saleOffers'],
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
    expect(await offersOf(product)).toHaveLength(1)
  })
})

describe('a variant', () => {
  const fresh = async () => {
    const values = ['0', '1', '2', '3'].map((title) => ({ title }))
    const body = { ...priced([]), options: [{ title: 'Size', values }] }
    return (await shop.create('/api/products', body)) as Product
  }
  const sized = (value: string, saleOffers: unknown) => ({
    optionValues: [{ option: 'Size', value }],
    saleOffers,
  })

  test('of an existing product is created with prices, whose events follow it', async () => {
    const product = await fresh()
    const { length } = await eventsOf(shop)
    const body = [sized('1', [euros('1'), euros('2')]), sized('2', []), sized('3', [euros('3')])]
    const response = await shop.post(`${product['@id']}/variants`, { body, status: 201 })
    expect(tripsOf(response)).toBe('2')
    expect(response.text).not.toContain('saleOffers')
    expect((await eventsOf(shop)).slice(length).map((event) => event.topic)).toEqual([
      ...['variant/created', 'sale_offer/created', 'sale_offer/created'],
      'variant/created',
      ...['variant/created', 'sale_offer/created'],
      'product/updated',
    ])
    const [first, , third] = response.body.member
    expect((await offersOf(product)).map((offer) => [offer.amount, offer.variant])).toEqual([
      ['1.00', first['@id']],
      ['2.00', first['@id']],
      ['3.00', third['@id']],
    ])
    expect(await countsOf(product.id)).toEqual([0, 2, 0, 1])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('has the same violations as a new product', async () => {
    const product = await fresh()
    const path = `${product['@id']}/variants`
    const token = await shop.token({ scope: 'products:write' })
    await shop.post(path, { body: sized('1', [euros('1')]), token, status: 403 })
    await shop.create(path, sized('1', []), { token })
    const wrong = await shop.post(path, { body: sized('2', [euros('x')]), status: 422 })
    expect(violationsOf(wrong)).toEqual(['saleOffers[0].amount validation.amount'])
    const many = Array.from({ length: 126 }, () => euros('1'))
    const more = await shop.post(path, { body: [sized('2', many), sized('3', many)], status: 422 })
    expect(violationsOf(more)).toEqual(['[1].saleOffers validation.too_many_items'])
    const twins = ['2', '3'].map((value) => sized(value, [euros('1', { externalId: 'two' })]))
    const conflict = await shop.post(path, { body: twins, status: 409 })
    expect(violationsOf(conflict)).toEqual(['[1].saleOffers[0].externalId sale_offer.external_id_taken'])
    expect(await offersOf(product)).toEqual([])
  })
})
