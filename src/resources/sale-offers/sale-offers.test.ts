import pg from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

type Item = Record<string, unknown> & { '@id': string; id: string; version: number }
type Product = Item & { variants: Item[] }

let shop: Shop
let category: Item
let product: Product
let variant: Item

const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

async function newProduct(skus: readonly string[], more: Record<string, unknown> = {}): Promise<Product> {
  const body = {
    title: `Mug ${skus.join()}`,
    status: 'ACTIVE',
    options: [{ title: 'Size', values: skus.map((title) => ({ title })) }],
    variants: skus.map((sku) => ({ sku, optionValues: [{ option: 'Size', value: sku }] })),
    ...more,
  }
  const { status, body: product, text } = await shop.post('/api/products', { body })
  expect(status, text).toBe(201)
  return product as Product
}

const offerOf = (of: Item, more: Record<string, unknown> = {}) => ({
  variant: of['@id'],
  currency: 'EUR',
  amount: '19.90',
  ...more,
})

async function newOffer(more: Record<string, unknown> = {}, of: Item = variant): Promise<Item> {
  const { status, body, text } = await shop.post('/api/sale_offers', { body: offerOf(of, more) })
  expect(status, text).toBe(201)
  return body as Item
}

const violationsOf = ({ body }: { body: unknown }) =>
  (body as { violations: { propertyPath: string; slug: string }[] }).violations.map(
    ({ propertyPath, slug }) => `${propertyPath} ${slug}`,
  )

const membersOf = ({ body }: { body: unknown }) => (body as { member: Item[] }).member
const idsOf = (answer: { body: unknown }) => membersOf(answer).map((member) => member.id)
const tripsOf = ({ headers }: { headers: Headers }) =>
  /db;.*desc="?(\d+)"?/.exec(headers.get('server-timing')!)?.[1]

/** The rows of a statement that runs as the owner, for data that no operation returns. */
async function stored<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: inject('ownerUrl') })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const topicsOf = async (id: string) =>
  (
    await stored<{ topic: string }>('select topic from events where resource_id = $1 order by sequence', id)
  ).map((event) => event.topic)

const countOf = async (id: string) =>
  (await stored<{ count: number }>('select sale_offer_count as count from variants where id = $1', id))[0]
    ?.count

const totalOf = async () =>
  ((await shop.get('/api/sale_offers?itemsPerPage=0')).body as { totalItems: number }).totalItems

beforeAll(async () => {
  shop = await openShop()
  category = (await shop.post('/api/categories', { body: { title: 'Kitchen' } })).body as Item
  product = await newProduct(['S', 'M'], { categories: [category['@id']] })
  variant = product.variants[0]!
})

describe('creating', () => {
  test('answers the whole offer with its standards, its state and the categories of its product', async () => {
    const answer = await shop.post('/api/sale_offers', { body: offerOf(variant, { amount: 19.9 }) })
    expect(answer.status).toBe(201)
    const offer = answer.body as Item
    expect(answer.headers.get('location')).toBe(`/api/sale_offers/${offer.id}`)
    expect(offer).toMatchObject({
      '@id': `/api/sale_offers/${offer.id}`,
      '@type': 'SaleOffer',
      variant: variant['@id'],
      product: product['@id'],
      channel: null,
      countries: [],
      currency: 'EUR',
      amount: '19.90',
      compareAtAmount: null,
      validFrom: null,
      validUntil: null,
      priority: 0,
      minQuantity: 1,
      taxIncluded: true,
      status: 'ACTIVE',
      state: 'LIVE',
      categories: [{ '@id': category['@id'], '@type': 'Category', title: 'Kitchen', children: [] }],
      externalId: null,
      version: 1,
    })
    expect(offer.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect((await shop.get(offer['@id'])).body).toEqual(offer)
    expect(await topicsOf(offer.id)).toEqual(['sale_offer/created'])
  })

  test.each([
    ['EUR', 19, '19.00'],
    ['JPY', '1990', '1990'],
    ['KWD', '1.5', '1.500'],
    ['EUR', '123456789012345.01', '123456789012345.01'],
    ['EUR', 0, '0.00'],
  ])('gives amounts the decimals of %s', async (currency, amount, expected) => {
    expect(await newOffer({ currency, amount })).toMatchObject({ currency, amount: expected })
  })

  test.each([
    [{ variant: null }, 'variant validation.required'],
    [{ currency: null }, 'currency validation.required'],
    [{ amount: null }, 'amount validation.required'],
    [{ currency: 'eur' }, 'currency validation.currency'],
    [{ currency: 'XXX' }, 'currency validation.currency'],
    [{ currency: 'JPY' }, 'amount validation.amount'],
    [{ amount: '1e3' }, 'amount validation.amount'],
    [{ compareAtAmount: '19.90' }, 'compareAtAmount sale_offer.compare_at_not_above'],
    [{ compareAtAmount: '9.95' }, 'compareAtAmount sale_offer.compare_at_not_above'],
    [{ countries: ['FR', 'UK'] }, 'countries[1] validation.country'],
    [{ channel: 'a b' }, 'channel validation.pattern'],
    [{ validFrom: 'now' }, 'validFrom validation.instant'],
    [{ validFrom: '2026-02-01', validUntil: '2026-02-01' }, 'validUntil sale_offer.window_reversed'],
    [{ priority: 1001 }, 'priority validation.too_big'],
    [{ minQuantity: 0 }, 'minQuantity validation.too_small'],
    [{ minQuantity: 1.5 }, 'minQuantity validation.not_integer'],
    [{ status: 'LIVE' }, 'status validation.choice'],
    [{ variant: '/api/variants/1' }, 'variant validation.invalid_iri'],
  ])('%j is refused', async (change, violation) => {
    const answer = await shop.post('/api/sale_offers', { body: { ...offerOf(variant), ...change } })
    expect(answer.status).toBe(422)
    expect(violationsOf(answer)).toEqual([violation])
  })

  test('a variant that does not exist, or not in that product, is an unknown reference', async () => {
    const [otherProduct, unknown] = [await newProduct(['other']), '01890000-0000-7000-8000-000000000000']
    for (const iri of [
      `${product['@id']}/variants/${unknown}`,
      `${otherProduct['@id']}/variants/${variant.id}`,
    ]) {
      const answer = await shop.post('/api/sale_offers', { body: { ...offerOf(variant), variant: iri } })
      expect(answer.status).toBe(422)
      expect(violationsOf(answer)).toEqual(['variant validation.unknown_reference'])
    }
  })

  test('an archived variant or product takes no offers', async () => {
    const old = await newProduct(['old-1', 'old-2'])
    expect((await shop.delete(old.variants[0]!['@id'])).status).toBe(204)
    const forVariant = await shop.post('/api/sale_offers', { body: offerOf(old.variants[0]!) })
    expect(forVariant).toMatchObject({ status: 409, body: { slug: 'variant.archived' } })
    expect((await shop.delete(old['@id'])).status).toBe(204)
    const forProduct = await shop.post('/api/sale_offers', { body: offerOf(old.variants[1]!) })
    expect(forProduct).toMatchObject({ status: 409, body: { slug: 'product.archived' } })
  })

  test('a variant that is archived while an offer for it is made takes none', async () => {
    const [doomed] = (await newProduct(['doomed'])).variants
    const client = new pg.Client({ connectionString: inject('ownerUrl') })
    await client.connect()
    try {
      await client.query('begin')
      await client.query("update variants set status = 'ARCHIVED', position = null where id = $1", [
        doomed!.id,
      ])
      const answer = shop.post('/api/sale_offers', { body: offerOf(doomed!) })
      await new Promise((done) => setTimeout(done, 300))
      await client.query('commit')
      expect(await answer).toMatchObject({ status: 409, body: { slug: 'variant.archived' } })
      expect(await countOf(doomed!.id)).toBe(0)
    } finally {
      await client.end()
    }
  })

  test('an external id is taken until its offer is archived', async () => {
    const offer = await newOffer({ externalId: 'erp-1' })
    const again = () => shop.post('/api/sale_offers', { body: offerOf(variant, { externalId: 'erp-1' }) })
    expect(await again()).toMatchObject({ status: 409, body: { slug: 'sale_offer.external_id_taken' } })
    await shop.delete(offer['@id'])
    expect((await again()).status).toBe(201)
    const restored = await shop.patch(offer['@id'], { body: { status: 'ACTIVE' } })
    expect(restored).toMatchObject({ status: 409, body: { slug: 'sale_offer.external_id_taken' } })
  })

  test('of two at once with one external id, one is made', async () => {
    const body = offerOf(variant, { externalId: 'race' })
    const answers = await Promise.all([1, 2, 3, 4].map(() => shop.post('/api/sale_offers', { body })))
    expect(answers.map((reply) => reply.status).sort()).toEqual([201, 409, 409, 409])
  })

  test('an array is made whole, one event a row', async () => {
    const before = await totalOf()
    const body = product.variants.flatMap((variant) => [
      offerOf(variant),
      offerOf(variant, { channel: 'web' }),
    ])
    const answer = await shop.post('/api/sale_offers', { body })
    expect(answer.status).toBe(201)
    expect(tripsOf(answer)).toBe('2')
    const members = membersOf(answer)
    expect(members.map((offer) => [offer.variant, offer.channel, offer.version])).toEqual(
      body.map((offer) => [offer.variant, 'channel' in offer ? 'web' : null, 1]),
    )
    expect(new Set(members.map((offer) => offer.updatedAt)).size).toBe(4)
    expect(await totalOf()).toBe(before + 4)
    expect(await topicsOf(members[3]!.id)).toEqual(['sale_offer/created'])
  })

  test.each([
    ['abc', '', ['amount validation.malformed_amount', 'compareAtAmount validation.malformed_amount']],
    [-1, '1e3', ['amount validation.malformed_amount', 'compareAtAmount validation.malformed_amount']],
    [
      1e15,
      12.345678901,
      ['amount validation.malformed_amount', 'compareAtAmount validation.malformed_amount'],
    ],
    ['1.2345', '9'.repeat(16), ['compareAtAmount validation.malformed_amount']],
    ['20.5', '20.4999', ['compareAtAmount sale_offer.compare_at_not_above']],
    [19, '19.9000', []],
  ])('amounts %j and %j are judged without a currency, too', async (amount, compareAtAmount, expected) => {
    const post = (currency: unknown) =>
      shop.post('/api/sale_offers', {
        body: [offerOf(variant), offerOf(variant, { amount, compareAtAmount, currency })],
        status: 422,
      })
    const violations = expected.map((violation) => `[1].${violation}`)
    const sorted = async (currency: unknown) => violationsOf(await post(currency)).toSorted()
    expect(await sorted('XXX')).toEqual([...violations, '[1].currency validation.currency'].toSorted())
    expect(await sorted(undefined)).toEqual([...violations, '[1].currency validation.required'].toSorted())
    const offer = await newOffer()
    const body = { amount, compareAtAmount, priority: 1001 }
    const patched = await shop.patch(offer['@id'], { body, status: 422 })
    expect(violationsOf(patched).toSorted()).toEqual([...expected, 'priority validation.too_big'].toSorted())
  })

  test('an array is made not at all when one of it is wrong, and says which', async () => {
    const before = await totalOf()
    const body = [
      offerOf(variant),
      offerOf(variant, { amount: '1.001' }),
      offerOf(variant, { compareAtAmount: '1' }),
    ]
    const answer = await shop.post('/api/sale_offers', { body })
    expect(answer.status).toBe(422)
    expect(violationsOf(answer)).toEqual([
      '[1].amount validation.amount',
      '[2].compareAtAmount sale_offer.compare_at_not_above',
    ])
    const twice = await shop.post('/api/sale_offers', {
      body: [offerOf(variant, { externalId: 'twice' }), offerOf(variant, { externalId: 'twice' })],
    })
    expect(twice).toMatchObject({ status: 409, body: { slug: 'sale_offer.external_id_taken' } })
    expect(await totalOf()).toBe(before)
  })

  test('a variant has at most 1,000 offers, also when they come at once', async () => {
    const [full] = (await newProduct(['full'])).variants
    const one = await newOffer({}, full)
    await stored('update variants set sale_offer_count = 997 where id = $1', full!.id)
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => shop.post('/api/sale_offers', { body: offerOf(full!) })),
    )
    expect(answers.map((reply) => reply.status).sort()).toEqual([201, 201, 201, 422, 422])
    const refused = answers.find((reply) => reply.status === 422)!
    expect(violationsOf(refused)).toEqual(['variant sale_offer.limit'])
    expect(await countOf(full!.id)).toBe(1000)
    await shop.delete(one['@id'])
    await newOffer({}, full)
    const restored = await shop.patch(one['@id'], { body: { status: 'ACTIVE' } })
    expect(restored).toMatchObject({ status: 422, body: { slug: 'sale_offer.limit' } })
  })

  test('of two archived offers restored at once where one has room, one is', async () => {
    const [tight] = (await newProduct(['tight'])).variants
    const archived = [await newOffer({}, tight), await newOffer({}, tight)]
    for (const offer of archived) await shop.delete(offer['@id'])
    await stored('update variants set sale_offer_count = 999 where id = $1', tight!.id)
    const body = { status: 'ACTIVE' }
    const answers = await Promise.all(archived.map((offer) => shop.patch(offer['@id'], { body })))
    expect(answers.map((reply) => reply.status).sort()).toEqual([200, 422])
    expect(violationsOf(answers.find((reply) => reply.status === 422)!)).toEqual(['status sale_offer.limit'])
  })
})

describe('categories', () => {
  test('are in the language of the request', async () => {
    await shop.patch(category['@id'], { body: { title: 'Cuisine' }, locale: 'fr-FR' })
    const offer = await newOffer()
    const french = { categories: [{ title: 'Cuisine' }] }
    expect((await shop.get(offer['@id'], { locale: 'fr-FR' })).body).toMatchObject(french)
    const body = { priority: 1 }
    expect((await shop.patch(offer['@id'], { body, locale: 'fr-FR' })).body).toMatchObject(french)
    expect((await shop.get(offer['@id'])).body).toMatchObject({ categories: [{ title: 'Kitchen' }] })
  })
})

describe('changing', () => {
  test('a patch changes what it names, bumps the version and records what changed', async () => {
    const offer = await newOffer({ compareAtAmount: '25', channel: 'web' })
    const answer = await shop.patch(offer['@id'], {
      body: { amount: 18, channel: null, countries: ['FR', 'FR'] },
    })
    expect(answer.status).toBe(200)
    expect(tripsOf(answer)).toBe('2')
    const changed = answer.body as Item
    expect(changed).toEqual({
      ...offer,
      amount: '18.00',
      channel: null,
      countries: ['FR'],
      version: 2,
      updatedAt: changed.updatedAt,
    })
    expect((changed.updatedAt as string) > (offer.updatedAt as string)).toBe(true)
    expect((await shop.get(offer['@id'])).body).toEqual(changed)
    const [, event] = await stored<{ topic: string; changes: unknown }>(
      'select topic, changes from events where resource_id = $1 order by sequence',
      offer.id,
    )
    expect(event).toEqual({
      topic: 'sale_offer/updated',
      changes: [
        { path: 'channel', before: 'web', after: null },
        { path: 'countries', before: [], after: ['FR'] },
        { path: 'amount', before: '19.90', after: '18.00' },
      ],
    })
  })

  test.each([
    [{}],
    [{ amount: 19.9, priority: null, countries: [], status: 'ACTIVE', categories: [], product: 'x' }],
  ])('%j changes nothing, so nothing is bumped or recorded', async (body) => {
    const offer = await newOffer()
    const answer = await shop.patch(offer['@id'], { body })
    expect(answer).toMatchObject({ status: 200, body: offer })
    expect(tripsOf(answer)).toBe('1')
    expect(await topicsOf(offer.id)).toEqual(['sale_offer/created'])
  })

  test('the same variant may be sent back, another one not', async () => {
    const offer = await newOffer()
    expect((await shop.patch(offer['@id'], { body: { variant: offer.variant } })).status).toBe(200)
    const object = { variant: { '@id': offer.variant }, priority: 3 }
    expect((await shop.patch(offer['@id'], { body: object })).body).toMatchObject({ priority: 3, version: 2 })
    const answer = await shop.patch(offer['@id'], { body: { variant: product.variants[1]!['@id'] } })
    expect(answer.status).toBe(422)
    expect(violationsOf(answer)).toEqual(['variant sale_offer.variant_immutable'])
  })

  test('rules between properties hold for the merged offer', async () => {
    const offer = await newOffer({ compareAtAmount: '25', validFrom: '2026-01-01', validUntil: '2026-02-01' })
    const body = { currency: 'JPY', validFrom: '2026-03-01' }
    expect(violationsOf(await shop.patch(offer['@id'], { body }))).toEqual([
      'amount validation.amount',
      'compareAtAmount validation.amount',
      'validUntil sale_offer.window_reversed',
    ])
    expect(violationsOf(await shop.patch(offer['@id'], { body: { amount: 25 } }))).toEqual([
      'compareAtAmount sale_offer.compare_at_not_above',
    ])
    const dinars = await shop.patch(offer['@id'], { body: { currency: 'BHD' } })
    expect(dinars.body).toMatchObject({ amount: '19.900', compareAtAmount: '25.000' })
    expect(violationsOf(await shop.patch(offer['@id'], { body: { currency: null } }))).toEqual([
      'currency validation.required',
    ])
  })

  test('writers of one offer that race all get through', async () => {
    const offer = await newOffer()
    const answers = await Promise.all(
      [1, 2, 3].map((priority) => shop.patch(offer['@id'], { body: { priority } })),
    )
    expect(answers.map((reply) => reply.status)).toEqual([200, 200, 200])
    expect((await shop.get(offer['@id'])).body).toMatchObject({ version: 4 })
  })
})

describe('archiving', () => {
  test('deleting archives once, however often', async () => {
    const offer = await newOffer()
    const [total, count] = [await totalOf(), await countOf(variant.id)]
    for (const _ of [1, 2]) expect((await shop.delete(offer['@id'])).status).toBe(204)
    expect(await topicsOf(offer.id)).toEqual(['sale_offer/created', 'sale_offer/deleted'])
    expect(await totalOf()).toBe(total - 1)
    expect(await countOf(variant.id)).toBe(count! - 1)
    expect((await shop.get(offer['@id'])).body).toMatchObject({
      status: 'ARCHIVED',
      state: 'INACTIVE',
      version: 2,
    })
  })

  test('a patch of the status archives and restores', async () => {
    const offer = await newOffer()
    const [total, count] = [await totalOf(), await countOf(variant.id)]
    const archived = await shop.patch(offer['@id'], { body: { status: 'ARCHIVED' } })
    expect(archived).toMatchObject({ status: 200, body: { status: 'ARCHIVED', version: 2 } })
    expect(await totalOf()).toBe(total - 1)
    const again = await shop.patch(offer['@id'], { body: { status: 'ARCHIVED' } })
    expect(again).toMatchObject({ status: 200, body: { version: 2 } })
    const restored = await shop.patch(offer['@id'], { body: { status: 'DRAFT', priority: 5 } })
    expect(restored).toMatchObject({ status: 200, body: { status: 'DRAFT', priority: 5, version: 3 } })
    expect([await totalOf(), await countOf(variant.id)]).toEqual([total, count])
    expect(await topicsOf(offer.id)).toEqual([
      'sale_offer/created',
      'sale_offer/deleted',
      'sale_offer/updated',
    ])
  })

  test.each([[{ priority: 9 }], [{ status: 'ARCHIVED', priority: 9 }]])(
    'an archived offer refuses %j',
    async (body) => {
      const offer = await newOffer()
      await shop.delete(offer['@id'])
      expect(await shop.patch(offer['@id'], { body })).toMatchObject({
        status: 409,
        body: { slug: 'sale_offer.archived' },
      })
    },
  )

  test('an archived offer that is sent back as it is stays so', async () => {
    const offer = await newOffer()
    await shop.delete(offer['@id'])
    const { body: archived } = await shop.get(offer['@id'])
    for (const body of [{}, archived, { status: 'ARCHIVED' }]) {
      expect((await shop.patch(offer['@id'], { body, status: 200 })).body).toEqual(archived)
    }
  })

  test('an offer of an archived variant can be archived but not restored', async () => {
    const [only] = (await newProduct(['gone'])).variants
    const offer = await newOffer({}, only)
    await shop.delete(only!['@id'])
    expect((await shop.delete(offer['@id'])).status).toBe(204)
    expect(await shop.patch(offer['@id'], { body: { status: 'ACTIVE' } })).toMatchObject({
      status: 409,
      body: { slug: 'variant.archived' },
    })
  })
})

describe('listing', () => {
  let of: Product
  let offers: Record<'draft' | 'coming' | 'open' | 'live' | 'over' | 'archived', Item>
  const list = (query: string) => shop.get(`/api/sale_offers?product=${of.id}&${query}`)

  beforeAll(async () => {
    of = await newProduct(['list-1', 'list-2'], { categories: [category['@id']] })
    const [first, second] = of.variants
    offers = {
      draft: await newOffer({ status: 'DRAFT', currency: 'USD', externalId: 'draft-1' }, first),
      coming: await newOffer({ validFrom: until(1), countries: ['FR', 'DE'] }, first),
      open: await newOffer({ validFrom: until(-1) }, second),
      live: await newOffer({ validFrom: until(-1), validUntil: until(1), channel: 'web' }, first),
      over: await newOffer({ validUntil: until(-1) }, second),
      archived: await newOffer({ channel: 'web' }, second),
    }
    await shop.delete(offers.archived['@id'])
  })

  test('newest first, without the archived, in one trip, with totals and the sequence of the tenant', async () => {
    const answer = await list('')
    expect(answer.status).toBe(200)
    expect(tripsOf(answer)).toBe('1')
    const { over, live, open, coming, draft } = offers
    expect(idsOf(answer)).toEqual([over.id, live.id, open.id, coming.id, draft.id])
    expect(answer.body).toMatchObject({ totalItems: 5 })
    expect({ '@context': '/api/contexts/SaleOffer', ...membersOf(answer)[1] }).toEqual(live)
    const [clock] = await stored<{ sequence: string }>(
      'select sequence from tenant_clock where tenant_id = $1',
      shop.tenant.id,
    )
    expect(answer.headers.get('service-sequence')).toBe(clock!.sequence)
  })

  test.each([
    ['state=INACTIVE', ['draft']],
    ['state=SCHEDULED', ['coming']],
    ['state=LIVE', ['live', 'open']],
    ['state=EXPIRED', ['over']],
    ['state=INACTIVE&status=ARCHIVED', ['archived']],
    ['status=ARCHIVED', ['archived']],
    ['status=DRAFT', ['draft']],
    ['channel=web', ['live']],
    ['country=fr', ['coming']],
    ['currency=USD', ['draft']],
    ['externalId=draft-1', ['draft']],
    ['order[createdAt]=asc', ['draft', 'coming', 'open', 'live', 'over']],
    ['updatedAt[after]=2020-01-01', ['draft', 'coming', 'open', 'live', 'over', 'archived']],
    ['createdAt[after]=2099-01-01', []],
  ] as const)('%s', async (query, names) => {
    const answer = await list(query)
    expect(answer.status).toBe(200)
    expect(idsOf(answer)).toEqual(names.map((name) => offers[name].id))
    const states = membersOf(answer).map((offer) => offer.state)
    if (query.startsWith('state=')) expect(new Set(states)).toEqual(new Set([query.slice(6).split('&')[0]]))
  })

  test.each([
    ['variant=1', 'variant validation.invalid_iri'],
    ['product=/api/categories/01890000-0000-7000-8000-000000000000', 'product validation.invalid_iri'],
    ['country=%C3%9F', 'country validation.country'],
    ['currency=euro', 'currency validation.currency'],
    ['state=live', 'state validation.choice'],
  ])('%s is refused', async (query, violation) => {
    const answer = await shop.get(`/api/sale_offers?${query}`)
    expect(answer.status).toBe(422)
    expect(violationsOf(answer)).toEqual([violation])
  })
})

describe('resolved prices', () => {
  const question = (country = 'FR', at = new Date().toISOString()) =>
    `resolveContext[channel]=web&resolveContext[country]=${country}&resolveContext[at]=${at}`
  const priceOf = ({ body }: { body: unknown }, index = 0) => (body as Product).variants[index]!.resolvedPrice

  test('are those of the offers that apply, by variant, null where none does, absent when not asked for', async () => {
    const priced = await newProduct(['priced', 'unpriced'])
    const [first] = priced.variants
    const [end, start] = [until(3), until(5)].map((instant) => instant.replace('Z', '000Z'))
    const best = await newOffer({ amount: '9', channel: 'web', countries: ['FR'], validUntil: end }, first)
    await newOffer({ amount: '12', validFrom: start }, first)
    const foremost = { amount: '1', priority: 9 }
    await newOffer({ ...foremost, channel: 'shop' }, first)
    await newOffer({ ...foremost, countries: ['DE'] }, first)
    await newOffer({ ...foremost, status: 'DRAFT' }, first)
    await newOffer({ ...foremost, validUntil: until(-1) }, first)
    const pack = await newOffer({ amount: '7.5', minQuantity: 10 }, first)
    const at = new Date().toISOString().replace('Z', '000Z')
    const answer = await shop.get(`${priced['@id']}?${question('fr', at)}`)
    expect(answer.status).toBe(200)
    expect(priceOf(answer)).toEqual({
      '@type': 'ResolvedPrice',
      amount: '9.00',
      currency: 'EUR',
      compareAtAmount: null,
      taxIncluded: true,
      saleOffer: best['@id'],
      channel: 'web',
      country: 'FR',
      at,
      validFrom: null,
      validUntil: end,
      nextChangeAt: end,
      quantityBreaks: [{ minQuantity: 10, amount: '7.50', saleOffer: pack['@id'] }],
    })
    expect(priceOf(answer, 1)).toBeNull()
    expect((await shop.get(priced['@id'])).body).not.toHaveProperty('variants[0].resolvedPrice')
    const later = await shop.get(`${priced['@id']}?${question('FR', until(6))}`)
    expect(priceOf(later)).toMatchObject({ amount: '12.00' })
  })

  describe('with explain=price', () => {
    const explained = (more = '') => `${question()}&explain=price${more}`
    let priced: Product
    let offers: Record<'won' | 'lost' | 'shop' | 'german' | 'later' | 'many' | 'draft', { '@id': string }>
    beforeAll(async () => {
      priced = await newProduct(['explained', 'shop only', 'bare'])
      const [first, second] = priced.variants
      offers = {
        won: await newOffer({ amount: '9', channel: 'web', priority: 1 }, first),
        lost: await newOffer({ amount: '12', channel: 'web' }, first),
        shop: await newOffer({ amount: '1', channel: 'shop' }, first),
        german: await newOffer({ amount: '1', countries: ['DE'] }, first),
        later: await newOffer({ amount: '1', validFrom: until(1) }, first),
        many: await newOffer({ amount: '7', minQuantity: 10 }, first),
        draft: await newOffer({ amount: '1', status: 'DRAFT' }, first),
      }
      const archived = await newOffer({ amount: '1' }, first)
      await shop.delete(archived['@id'], { status: 204 })
      await newOffer({ amount: '5', channel: 'web', validFrom: until(2).replace('Z', '000Z') }, second)
    })
    const outcomes = (price: { candidates: { saleOffer: string; outcome: string; decidedBy: string }[] }) =>
      Object.fromEntries(
        price.candidates.map((candidate) => [
          candidate.saleOffer,
          `${candidate.outcome} ${candidate.decidedBy}`,
        ]),
      )
    const expected = () => ({
      [offers.won['@id']]: 'won null',
      [offers.lost['@id']]: 'lost priority',
      [offers.shop['@id']]: 'filtered channel',
      [offers.german['@id']]: 'filtered country',
      [offers.later['@id']]: 'filtered window',
      [offers.many['@id']]: 'filtered minQuantity',
      [offers.draft['@id']]: 'filtered status',
    })

    test('explain why each offer won or not, on a product and a variant', async () => {
      const [first] = priced.variants
      const [plain, item, variant] = await Promise.all(
        [
          `${priced['@id']}?${question()}`,
          `${priced['@id']}?${explained()}`,
          `${first!['@id']}?${explained()}`,
        ].map((path) => shop.get(path, { status: 200 })),
      )
      for (const { resolvedPrice: price } of [item!.body.variants[0], variant!.body]) {
        expect(outcomes(price)).toEqual(expected())
        const { candidates, warnings, at: _, ...rest } = price
        expect(warnings).toEqual([])
        expect(candidates[0].saleOffer).toBe(offers.won['@id'])
        const { at: __, ...same } = plain!.body.variants[0].resolvedPrice
        expect(rest).toEqual(same)
        expect(price.quantityBreaks).toEqual([
          { minQuantity: 10, amount: '7.00', saleOffer: offers.many['@id'] },
        ])
      }
      for (const reply of [item, variant]) {
        expect(reply!.headers.get('server-timing')).toContain('desc="1"')
      }
    })

    test('are rejected with lists, and the violation names the request for an item', async () => {
      const lists = {
        '/api/products': '/api/products/{id}',
        [`${priced['@id']}/variants`]: '/api/products/{productId}/variants/{variantId}',
      }
      for (const [list, item] of Object.entries(lists)) {
        for (const query of [explained(), 'explain=price', 'explain=']) {
          const { body } = await shop.get(`${list}?${query}`, { status: 422 })
          expect(body.violations).toMatchObject([
            {
              propertyPath: 'explain',
              code: 'PRI-1009',
              message: expect.stringContaining(`${item}?explain=price`),
            },
          ])
        }
      }
    })

    test('without an applicable offer have no amount, and the time of the next one', async () => {
      const { body } = await shop.get(`${priced['@id']}?${explained()}`, { status: 200 })
      const [, second, third] = body.variants.map(
        (variant: { resolvedPrice: object }) => variant.resolvedPrice,
      )
      expect(second).toEqual({
        '@type': 'ResolvedPrice',
        channel: 'web',
        country: 'FR',
        at: second.at,
        nextChangeAt: expect.stringMatching(/Z$/),
        quantityBreaks: [],
        candidates: [{ saleOffer: expect.any(String), outcome: 'filtered', decidedBy: 'window' }],
        warnings: [],
      })
      expect(third).toMatchObject({ nextChangeAt: null, candidates: [] })
      expect(third).not.toHaveProperty('amount')
    })

    test('need a question, and the right to see offers', async () => {
      const incomplete = await shop.get(`${priced['@id']}?explain=price`)
      expect(incomplete.status).toBe(422)
      expect(violationsOf(incomplete)).toHaveLength(3)
      for (const wrong of ['', 'Price', 'all', 'price,price']) {
        const reply = await shop.get(`${priced['@id']}?${question()}&explain=${wrong}`)
        expect(reply.status, wrong).toBe(422)
        expect(reply.body.violations).toMatchObject([{ propertyPath: 'explain' }])
      }
      const token = await shop.token({ scope: 'products:read' })
      await shop.get(`${priced['@id']}?${question()}`, { token, status: 200 })
      for (const path of [priced['@id'], priced.variants[0]!['@id']]) {
        const refused = await shop.get(`${path}?${explained()}`, { token })
        expect(refused.status).toBe(403)
        expect(refused.body.slug).toBe('auth.insufficient_scope')
        expect(refused.headers.get('www-authenticate')).toContain('scope="products:read sale_offers:read"')
      }
      const person = await shop.token({ sub: 'someone', permissions: ['identity:products:read'] })
      const denied = await shop.get(`${priced['@id']}?${explained()}`, { token: person, status: 403 })
      expect(denied.body.missingPermissions).toEqual(['identity:sale_offers:read'])
      const stranger = await shop.token({ sub: 'someone' })
      const all = await shop.get(`${priced['@id']}?${explained()}`, { token: stranger, status: 403 })
      expect(all.body.missingPermissions).toEqual(['identity:products:read', 'identity:sale_offers:read'])
    })
  })

  test.each([
    [
      'resolveContext[channel]=web',
      [
        'resolveContext[country] pricing.resolve_context_incomplete',
        'resolveContext[at] pricing.resolve_context_incomplete',
      ],
    ],
    [question('FR', '2026-10-01T12:00:00%2B02:00'), ['resolveContext[at] pricing.at_not_utc']],
    [question('FR', '2026-10-01'), ['resolveContext[at] pricing.at_not_utc']],
    [question('%C3%9F'), ['resolveContext[country] validation.country']],
    [question('UK'), ['resolveContext[country] validation.country']],
  ])('%s is refused', async (query, violations) => {
    const answer = await shop.get(`${product['@id']}?${query}`)
    expect(answer.status).toBe(422)
    expect(violationsOf(answer)).toEqual(violations)
  })
})
