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
  return (await shop.create('/api/products', body)) as typeof product
}

const terms = (more: object = {}, of: Item = variant) => ({
  variant: of['@id'],
  supplier: 'acme',
  cost: '4.20',
  currency: 'EUR',
  ...more,
})

async function newOffer(more: object = {}, of?: Item): Promise<Item> {
  return (await shop.create('/api/purchase_offers', terms(more, of))) as Item
}

const violationsOf = ({ body }: { body: unknown }) =>
  (body as { violations: { propertyPath: string; slug: string }[] }).violations.map(
    ({ propertyPath, slug }) => `${propertyPath} ${slug}`,
  )

const idsOf = ({ body }: { body: unknown }) => (body as { member: Item[] }).member.map((item) => item.id)

const countsOf = async (id: string) =>
  (
    await owner.query(
      'select purchase_offer_count as purchases, sale_offer_count as sales from variants where id = $1',
      [id],
    )
  ).rows[0]

beforeAll(async () => {
  shop = await openShop()
  category = (await shop.create('/api/categories', { title: 'Hardware' })) as Item
  product = await newProduct('M4', { categories: [category['@id']] })
  variant = product.variants[0]!
})

describe('creating', () => {
  test('a variant has at most 1,000 purchase offers, of which its sale offers are none', async () => {
    const [full] = (await newProduct('full')).variants
    await shop.create('/api/sale_offers', { variant: full!['@id'], currency: 'EUR', amount: 1 })
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
    await shop.create('/api/sale_offers', sale)
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
    expect(await shop.read(at)).toMatchObject({ cost: secret, version: 3 })
  })

  test('a document that came without its cost keeps it when it is sent back', async () => {
    const token = await writer()
    const created = await shop.post('/api/purchase_offers', { token, body: terms({ cost: secret }) })
    const body = { ...created.body, leadTimeDays: 3 }
    await shop.update(created.body['@id'], body, { token })
    const stored = await shop.read(created.body['@id'])
    expect(stored).toMatchObject({ cost: secret, leadTimeDays: 3 })
  })

  test('an error does not contain the stored cost', async () => {
    const offer = await newOffer({ cost: secret })
    const body = { currency: 'JPY' }
    const refused = await shop.patch(offer['@id'], { token: await writer(), body, status: 422 })
    expect(violationsOf(refused)).toEqual(['cost validation.amount'])
    expect(refused.text).not.toContain(secret)
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
})
