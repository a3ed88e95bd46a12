import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

const owner = new pg.Client(inject('ownerUrl'))
beforeAll(() => owner.connect())
afterAll(() => owner.end())

type Item = Record<string, unknown> & { '@id': string; id: string; version: number }

let shop: Shop
let category: Item
let product: Item & { variants: Item[] }
let variant: Item

async function newProduct(sku: string, more: object = {}): Promise<typeof product> {
  const body = { title: `Bolt ${sku}`, variants: [{ sku }], ...more }
  return (await shop.post('/api/products', { body, status: 201 })).body as typeof product
}

const terms = (more: object = {}, of: Item = variant) => ({
  variant: of['@id'],
  supplier: 'acme',
  cost: '4.20',
  currency: 'EUR',
  ...more,
})

async function newOffer(more: object = {}, of?: Item): Promise<Item> {
  return (await shop.post('/api/purchase_offers', { body: terms(more, of), status: 201 })).body as Item
}

const violationsOf = ({ body }: { body: unknown }) =>
  (body as { violations: { propertyPath: string; slug: string }[] }).violations.map(
    ({ propertyPath, slug }) => `${propertyPath} ${slug}`,
  )

const idsOf = ({ body }: { body: unknown }) => (body as { member: Item[] }).member.map((item) => item.id)

const totalOf = async () =>
  (await shop.get('/api/purchase_offers?itemsPerPage=0', { status: 200 })).body.totalItems as number

const eventsOf = async (id: string) =>
  (await owner.query('select topic, changes from events where resource_id = $1 order by sequence', [id]))
    .rows as { topic: string; changes: { path: string; before: unknown; after: unknown }[] }[]

const countsOf = async (id: string) =>
  (
    await owner.query(
      'select purchase_offer_count as purchases, sale_offer_count as sales from variants where id = $1',
      [id],
    )
  ).rows[0]

beforeAll(async () => {
  shop = await openShop()
  category = (await shop.post('/api/categories', { body: { title: 'Hardware' }, status: 201 })).body as Item
  product = await newProduct('M4', { categories: [category['@id']] })
  variant = product.variants[0]!
})

describe('creating', () => {
  test('answers the whole offer with its standards, its state and the categories of its product', async () => {
    const body = terms({ cost: 4.2 })
    const answer = await shop.post('/api/purchase_offers', { body, status: 201 })
    const offer = answer.body as Item
    const at = `/api/purchase_offers/${offer.id}`
    expect(answer.headers.get('location')).toBe(at)
    expect(offer).toEqual({
      '@context': '/api/contexts/PurchaseOffer',
      '@id': at,
      '@type': 'PurchaseOffer',
      id: offer.id,
      variant: variant['@id'],
      product: product['@id'],
      supplier: 'acme',
      supplierSku: null,
      cost: '4.20',
      currency: 'EUR',
      minQuantity: 1,
      quantityIncrement: 1,
      leadTimeDays: null,
      validFrom: null,
      validUntil: null,
      preferred: false,
      status: 'ACTIVE',
      state: 'LIVE',
      categories: [expect.objectContaining({ '@id': category['@id'], title: 'Hardware', children: [] })],
      externalId: null,
      version: 1,
      createdAt: offer.createdAt,
      updatedAt: offer.createdAt,
    })
    expect((await shop.get(at, { status: 200 })).body).toEqual(offer)
    expect((await eventsOf(offer.id)).map(({ topic }) => topic)).toEqual(['purchase_offer/created'])
  })

  test.each([
    [{ variant: null }, 'variant validation.required'],
    [{ supplier: null }, 'supplier validation.required'],
    [{ cost: null }, 'cost validation.required'],
    [{ currency: null }, 'currency validation.required'],
    [{ supplier: 'a b' }, 'supplier validation.pattern'],
    [{ supplierSku: '' }, 'supplierSku validation.blank'],
    [{ supplierSku: 'x'.repeat(256) }, 'supplierSku validation.too_long'],
    [{ cost: '4.205' }, 'cost validation.amount'],
    [{ cost: -1 }, 'cost validation.amount'],
    [{ cost: '1e3' }, 'cost validation.amount'],
    [{ currency: 'JPY' }, 'cost validation.amount'],
    [{ currency: 'XXX' }, 'currency validation.currency'],
    [{ minQuantity: 0 }, 'minQuantity validation.too_small'],
    [{ quantityIncrement: 0 }, 'quantityIncrement validation.too_small'],
    [{ quantityIncrement: 1.5 }, 'quantityIncrement validation.not_integer'],
    [{ leadTimeDays: -1 }, 'leadTimeDays validation.too_small'],
    [{ preferred: 'yes' }, 'preferred validation.type'],
    [{ status: 'LIVE' }, 'status validation.choice'],
    [{ validFrom: '2026-02-01', validUntil: '2026-02-01' }, 'validUntil purchase_offer.window_reversed'],
  ])('%j is refused', async (change, violation) => {
    const answer = await shop.post('/api/purchase_offers', { body: terms(change), status: 422 })
    expect(violationsOf(answer)).toEqual([violation])
  })

  test.each(['abc', -1, 12.345678901, '1.23456', '9'.repeat(16)])(
    'the cost %j is refused without a currency, too',
    async (cost) => {
      for (const [currency, fault] of [
        ['XXX', 'currency validation.currency'],
        [undefined, 'currency validation.required'],
      ]) {
        const answer = await shop.post('/api/purchase_offers', {
          body: terms({ cost, currency }),
          status: 422,
        })
        expect(violationsOf(answer).toSorted()).toEqual(['cost validation.malformed_amount', fault])
      }
    },
  )

  test('an archived product takes no offers', async () => {
    const old = await newProduct('old')
    await shop.delete(old['@id'], { status: 204 })
    const answer = await shop.post('/api/purchase_offers', { body: terms({}, old.variants[0]), status: 409 })
    expect(answer.body.slug).toBe('product.archived')
  })

  test('an array is made whole, or not at all and says what was wrong', async () => {
    const before = await totalOf()
    const wrong = [terms(), terms({ cost: '1.001' }), terms({ supplier: '', validFrom: '2026-02' })]
    const refused = await shop.post('/api/purchase_offers', { body: wrong, status: 422 })
    expect(violationsOf(refused)).toEqual([
      '[1].cost validation.amount',
      '[2].supplier validation.pattern',
      '[2].validFrom validation.instant',
    ])
    const unfit = [terms(), terms({ cost: '1.001' }), terms({ currency: 'JPY' })]
    expect(violationsOf(await shop.post('/api/purchase_offers', { body: unfit, status: 422 }))).toEqual([
      '[1].cost validation.amount',
      '[2].cost validation.amount',
    ])
    expect(await totalOf()).toBe(before)
    const body = [terms({ supplier: 'a' }), terms({ supplier: 'b' })]
    const created = await shop.post('/api/purchase_offers', { body, status: 201 })
    expect((created.body.member as Item[]).map((offer) => offer.supplier)).toEqual(['a', 'b'])
    expect(await totalOf()).toBe(before + 2)
    const many = Array.from({ length: 251 }, () => terms())
    await shop.post('/api/purchase_offers', { body: many, status: 422 })
  })

  test('a variant has at most 1,000 purchase offers, of which its sale offers are none', async () => {
    const [full] = (await newProduct('full')).variants
    await shop.post('/api/sale_offers', {
      body: { variant: full!['@id'], currency: 'EUR', amount: 1 },
      status: 201,
    })
    const offer = await newOffer({}, full)
    expect(await countsOf(full!.id)).toEqual({ purchases: 1, sales: 1 })
    await owner.query('update variants set purchase_offer_count = 998 where id = $1', [full!.id])
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => shop.post('/api/purchase_offers', { body: terms({}, full) })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
    expect(violationsOf(answers.find(({ status }) => status === 422)!)).toEqual([
      'variant purchase_offer.limit',
    ])
    await shop.delete(offer['@id'], { status: 204 })
    expect(await countsOf(full!.id)).toEqual({ purchases: 999, sales: 1 })
  })

  test('an external id is taken among purchase offers alone, until its offer is archived', async () => {
    const sale = { variant: variant['@id'], currency: 'EUR', amount: 1, externalId: 'erp-1' }
    await shop.post('/api/sale_offers', { body: sale, status: 201 })
    const offer = await newOffer({ externalId: 'erp-1' })
    const again = { body: terms({ externalId: 'erp-1' }) }
    const conflict = await shop.post('/api/purchase_offers', { ...again, status: 409 })
    expect(conflict.body.slug).toBe('purchase_offer.external_id_taken')
    await shop.delete(offer['@id'], { status: 204 })
    await shop.post('/api/purchase_offers', { ...again, status: 201 })
    const restored = await shop.patch(offer['@id'], { body: { status: 'ACTIVE' }, status: 409 })
    expect(restored.body.slug).toBe('purchase_offer.external_id_taken')
  })
})

describe('changing', () => {
  test('a patch changes what it names, in two trips, and records what changed', async () => {
    const offer = await newOffer({ leadTimeDays: 5 })
    const answer = await shop.patch(offer['@id'], { body: { cost: 5, leadTimeDays: null }, status: 200 })
    expect(answer.headers.get('server-timing')).toMatch(/db;.*desc="2"/)
    const { updatedAt } = answer.body
    expect(answer.body).toEqual({ ...offer, cost: '5.00', leadTimeDays: null, version: 2, updatedAt })
    expect((await eventsOf(offer.id))[1]).toEqual({
      topic: 'purchase_offer/updated',
      changes: [
        { path: 'cost', before: '4.20', after: '5.00' },
        { path: 'leadTimeDays', before: 5, after: null },
      ],
    })
  })

  test('its variant stays, and its terms must fit each other', async () => {
    const [offer, otherProduct] = [await newOffer(), await newProduct('other')]
    const body = {
      variant: otherProduct.variants[0]!['@id'],
      currency: 'JPY',
      validFrom: '2030',
      validUntil: null,
    }
    expect(violationsOf(await shop.patch(offer['@id'], { body, status: 422 }))).toEqual([
      'validFrom validation.instant',
    ])
    const fit = { ...body, validFrom: '2030-01-01', validUntil: '2029-01-01' }
    expect(violationsOf(await shop.patch(offer['@id'], { body: fit, status: 422 }))).toEqual([
      'variant purchase_offer.variant_immutable',
      'cost validation.amount',
      'validUntil purchase_offer.window_reversed',
    ])
  })
})

describe('archiving', () => {
  test('deleting archives once, however often, and only a status restores', async () => {
    const offer = await newOffer()
    const total = await totalOf()
    for (const _ of [1, 2]) await shop.delete(offer['@id'], { status: 204 })
    expect(await totalOf()).toBe(total - 1)
    const archived = await shop.get(offer['@id'], { status: 200 })
    expect(archived.body).toMatchObject({ status: 'ARCHIVED', state: 'INACTIVE', version: 2 })
    const refused = await shop.patch(offer['@id'], { body: { preferred: true }, status: 409 })
    expect(refused.body.slug).toBe('purchase_offer.archived')
    await shop.patch(offer['@id'], { body: { status: 'ACTIVE', preferred: true }, status: 200 })
    expect(await totalOf()).toBe(total)
    expect((await eventsOf(offer.id)).map(({ topic }) => topic)).toEqual([
      'purchase_offer/created',
      'purchase_offer/deleted',
      'purchase_offer/updated',
    ])
  })
})

describe('listing', () => {
  const of: { product?: typeof product; ids: Record<string, string> } = { ids: {} }
  const list = (query: string) =>
    shop.get(`/api/purchase_offers?product=${of.product!.id}&${query}`, { status: 200 })

  beforeAll(async () => {
    of.product = await newProduct('listed')
    const [only] = of.product.variants
    for (const [name, more] of Object.entries({
      draft: { status: 'DRAFT', currency: 'USD', externalId: 'list-1' },
      coming: { validFrom: '2099-01-01' },
      live: { supplier: 'bolts.inc' },
      over: { validUntil: '2020-01-01' },
      archived: { supplier: 'bolts.inc' },
    })) {
      of.ids[name] = (await newOffer(more, only)).id
    }
    await shop.delete(`/api/purchase_offers/${of.ids.archived}`, { status: 204 })
  })

  test.each([
    ['', ['over', 'live', 'coming', 'draft']],
    ['supplier=bolts.inc', ['live']],
    ['supplier=bolts.inc&status=ARCHIVED', ['archived']],
    ['supplier=bolts.inc&updatedAt[after]=2020-01-01', ['live', 'archived']],
    ['supplier=BOLTS.INC', []],
    ['currency=USD', ['draft']],
    ['status=DRAFT', ['draft']],
    ['state=INACTIVE', ['draft']],
    ['state=SCHEDULED', ['coming']],
    ['state=LIVE', ['live']],
    ['state=EXPIRED', ['over']],
    ['externalId=list-1', ['draft']],
    ['createdAt[before]=2020-01-01', []],
    ['order[createdAt]=asc', ['draft', 'coming', 'live', 'over']],
  ])('%s finds %j, in one trip', async (query, names) => {
    const answer = await list(query)
    expect(idsOf(answer)).toEqual(names.map((name) => of.ids[name]))
    expect(answer.body.totalItems).toBe(names.length)
    expect(answer.headers.get('server-timing')).toMatch(/db;.*desc="1"/)
    expect(answer.headers.get('service-sequence')).toMatch(/^\d+$/)
  })

  test.each([
    ['supplier=a%20b', 'supplier validation.pattern'],
    ['variant=1', 'variant validation.invalid_iri'],
    ['state=live', 'state validation.choice'],
  ])('%s is refused', async (query, violation) => {
    const answer = await shop.get(`/api/purchase_offers?${query}`, { status: 422 })
    expect(violationsOf(answer)).toEqual([violation])
  })
})

describe('costs', () => {
  const writer = () => shop.token({ scope: 'purchase_offers:write categories:read' })
  const secret = '71.93'

  test('a writer who may not read gets what it wrote without the cost, also when it asks for it', async () => {
    const token = await writer()
    const { cost: _, ...visible } = await newOffer({ cost: secret })
    const created = await shop.post('/api/purchase_offers', {
      token,
      body: terms({ cost: secret }),
      status: 201,
    })
    expect(Object.keys(created.body).sort()).toEqual(Object.keys(visible).sort())
    const body = [terms({ cost: secret }), terms({ cost: secret })]
    const several = await shop.post('/api/purchase_offers', { token, body, status: 201 })
    const at = created.body['@id'] as string
    const changed = await shop.patch(`${at}?properties[]=cost`, {
      token,
      body: { preferred: true },
      status: 200,
    })
    const old = await shop.patch(at, {
      token,
      body: { preferred: false },
      version: '2026-01',
      status: 200,
    })
    for (const { text } of [created, several, changed, old]) {
      expect(text).not.toContain('"cost"')
      expect(text).not.toContain(secret)
    }
    await shop.get(at, { token, status: 403 })
    await shop.get('/api/purchase_offers', { token, status: 403 })
    expect((await shop.get(at, { status: 200 })).body).toMatchObject({ cost: secret, version: 3 })
  })

  test('a document that came without its cost keeps it when it is sent back', async () => {
    const token = await writer()
    const created = await shop.post('/api/purchase_offers', { token, body: terms({ cost: secret }) })
    const body = { ...created.body, leadTimeDays: 3 }
    await shop.patch(created.body['@id'], { token, body, status: 200 })
    const stored = await shop.get(created.body['@id'], { status: 200 })
    expect(stored.body).toMatchObject({ cost: secret, leadTimeDays: 3 })
  })

  test('an error does not contain the stored cost', async () => {
    const offer = await newOffer({ cost: secret })
    const body = { currency: 'JPY' }
    const refused = await shop.patch(offer['@id'], { token: await writer(), body, status: 422 })
    expect(violationsOf(refused)).toEqual(['cost validation.amount'])
    expect(refused.text).not.toContain(secret)
  })

  test('a person with the scope but not the permission to read does not see it', async () => {
    const permissions = ['identity:purchase_offers:write']
    const token = await shop.token({ sub: 'buyer', permissions })
    const body = terms({ cost: secret })
    const created = await shop.post('/api/purchase_offers', { token, body, status: 201 })
    expect(created.text).not.toContain(secret)
    const more = await shop.token({ sub: 'buyer', permissions: ['identity:purchase_offers:*'] })
    expect((await shop.get(created.body['@id'], { token: more, status: 200 })).body.cost).toBe(secret)
  })

  test('a reply sent again shows as little, and no more to those who may not read it', async () => {
    const [token, headers] = [await writer(), { 'Idempotency-Key': 'cost-key-1' }]
    const send = () =>
      shop.post('/api/purchase_offers', { token, headers, body: terms({ cost: secret }), status: 201 })
    const [first, second] = [await send(), await send()]
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(second.body).toEqual(first.body)
    expect(second.text).not.toContain(secret)
  })

  test('the change feed hides it from callers who may only follow changes', async () => {
    const offer = await newOffer({ cost: secret })
    await shop.patch(offer['@id'], { body: { cost: '71.94' }, status: 200 })
    const token = await shop.token({ scope: 'events:read' })
    const feed = await shop.get('/api/events?topic=purchase_offer/*', { token, status: 200 })
    expect(feed.body.member).not.toEqual([])
    expect(feed.text).not.toMatch(/"cost"|71\.9[34]/)
  })
})
