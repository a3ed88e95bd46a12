import pg from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

type Item = Record<string, unknown> & { '@id': string; id: string; version: number }
type Product = Item & { variants: Item[] }

let shop: Shop
let category: Item
let product: Product
let variant: Item

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

describe('changing', () => {
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
})

describe('archiving', () => {
  test('the list is limited to offers that begin or cease to apply in a period', async () => {
    const { variants } = await newProduct(['DATED'])
    const [dated] = variants as [Item]
    const [january, february, march] = [
      '2030-01-01T00:00:00Z',
      '2030-02-01T00:00:00Z',
      '2030-03-01T00:00:00Z',
    ]
    const first = await newOffer({ validFrom: january, validUntil: february }, dated)
    const second = await newOffer({ validFrom: february, validUntil: march }, dated)
    await newOffer({}, dated)
    const listed = async (query: string) => {
      const list = await shop.read(`/api/sale_offers?variant=${dated['@id']}&order[createdAt]=asc&${query}`)
      return list.member.map((each: Item) => each['@id'])
    }
    expect(await listed(`validFrom[from]=${january}&validFrom[before]=${february}`)).toEqual([first['@id']])
    expect(await listed(`validFrom[after]=${january}`)).toEqual([second['@id']])
    expect(await listed(`validUntil[until]=${march}`)).toEqual([first['@id'], second['@id']])
    expect(await listed(`validUntil[after]=${march}`)).toEqual([])
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

  test('an archived offer that is sent back as it is stays so', async () => {
    const offer = await newOffer()
    await shop.delete(offer['@id'])
    const { body: archived } = await shop.get(offer['@id'])
    for (const body of [{}, archived, { status: 'ARCHIVED' }]) {
      expect(await shop.update(offer['@id'], body)).toEqual(archived)
    }
  })
})
