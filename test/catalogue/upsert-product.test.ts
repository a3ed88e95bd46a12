/** Upserts of whole products by the caller's external id. */
import { beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, faultsIn } from '../support/ledger.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const effectOf = ({ status, headers }: Reply) => [status, headers.get('service-changed')]
const upsert = (id: string, body: object, query = '', headers: Record<string, string> = {}) =>
  shop.patch(`/api/products/by-external-id/${encodeURIComponent(id)}${query}`, { body, headers })

const sequence = async () => Number((await shop.get('/api/categories')).headers.get('service-sequence'))

/** The topics of the events since a sequence, with their numbers. */
async function topicsSince(before: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const event of await eventsOf(shop))
    if (event.sequence > before) counts[event.topic] = (counts[event.topic] ?? 0) + 1
  return counts
}

const offersOf = async (product: string) =>
  (await shop.read(`/api/sale_offers?product=${product}&itemsPerPage=100&order[createdAt]=asc`)).member

const option = (title: string, ...values: string[]) => ({
  title,
  values: values.map((value) => ({ title: value })),
})
const red = [{ option: 'Colour', value: 'Red' }]
const blue = [{ option: 'Colour', value: 'Blue' }]

const shirt = () => ({
  title: 'Shirt',
  vendor: 'Acme',
  options: [option('Colour', 'Red', 'Blue')],
  variants: [
    {
      externalId: 'v1',
      sku: 'S1',
      optionValues: red,
      weight: { value: 1, unit: 'kg' },
      saleOffers: [
        { currency: 'EUR', amount: '10.00' },
        { currency: 'EUR', amount: '9.00', minQuantity: 5, externalId: 'o5' },
      ],
    },
    {
      sku: 'S2',
      optionValues: blue,
      saleOffers: [{ currency: 'USD', amount: '12.00', channel: 'web', countries: ['US', 'CA'] }],
    },
  ],
})

const unique = (() => {
  let count = 0
  return (body: ReturnType<typeof shirt>) => {
    count += 1
    const text = JSON.stringify(body).replace(/"(v1|S1|S2|o5)"/g, (_, name) => `"${name}-${count}"`)
    return JSON.parse(text) as ReturnType<typeof shirt>
  }
})()

describe('a whole product', () => {
  test('is created, then equal, then changed with one product/updated', async () => {
    const body = unique(shirt())
    const start = await sequence()
    const created = await upsert('erp/1 ü', body)
    expect(effectOf(created), created.text).toEqual([201, 'true'])
    expect(created.body).toMatchObject({ externalId: 'erp/1 ü', version: 1, variantsTotal: 2 })
    expect(created.headers.get('location')).toBe(created.body['@id'])
    expect(await topicsSince(start)).toEqual({
      'product/created': 1,
      'product_option/created': 1,
      'option_value/created': 2,
      'variant/created': 2,
      'sale_offer/created': 3,
    })

    const before = await sequence()
    const same = await upsert('erp/1 ü', body)
    expect(effectOf(same), same.text).toEqual([200, 'false'])
    expect(same.body).toEqual((await shop.get(created.body['@id'])).body)
    const { '@context': _, ...document } = same.body
    const whole = await upsert('erp/1 ü', document, '?missing=archive', { prefer: 'handling=strict' })
    expect(effectOf(whole), whole.text).toEqual([200, 'false'])
    expect(await sequence()).toBe(before)

    const [first, second] = body.variants
    const changed = await upsert('erp/1 ü', {
      vendor: 'Other',
      options: [option('Colour', 'Green'), option('Size')],
      variants: [
        {
          externalId: first!.externalId,
          weight: { value: 2 },
          saleOffers: [{ currency: 'EUR', amount: '11.00' }],
        },
        {
          sku: second!.sku,
          externalId: 'adopted',
          barcode: '4006381333931',
          saleOffers: [
            { currency: 'USD', channel: 'web', countries: ['CA', 'US'], amount: '13.00' },
            { currency: 'USD', amount: '1.00' },
          ],
        },
      ],
    })
    expect(effectOf(changed), changed.text).toEqual([200, 'true'])
    expect(await topicsSince(before)).toEqual({
      'option_value/created': 1,
      'product_option/created': 1,
      'variant/updated': 2,
      'sale_offer/updated': 2,
      'sale_offer/created': 1,
      'product/updated': 1,
    })
    const read = await shop.read(created.body['@id'])
    expect(read).toEqual(changed.body)
    expect(read).toMatchObject({
      vendor: 'Other',
      version: 2,
      options: [
        {
          title: 'Colour',
          version: 1,
          values: [{ title: 'Red' }, { title: 'Blue' }, { title: 'Green', position: 2 }],
        },
        { title: 'Size', position: 1 },
      ],
      variants: [
        { externalId: first!.externalId, sku: first!.sku, weight: { value: 2, unit: 'kg' }, version: 2 },
        { externalId: 'adopted', barcode: '4006381333931', version: 2 },
      ],
    })
    expect((await offersOf(read.id)).map((each: { amount: string }) => each.amount)).toEqual([
      '11.00',
      '9.00',
      '13.00',
      '1.00',
    ])
  })

  test('archives with missing=archive what the body does not name, and restores it', async () => {
    const body = unique(shirt())
    const { body: created } = await upsert('missing', body)
    const before = await sequence()
    const [first] = body.variants
    const onlyRed = {
      options: [option('Colour', 'Red')],
      variants: [{ ...first!, saleOffers: [first!.saleOffers[0]!] }],
    }
    const reduced = await upsert('missing', onlyRed, '?missing=archive')
    expect(effectOf(reduced), reduced.text).toEqual([200, 'true'])
    expect(await topicsSince(before)).toEqual({
      'variant/deleted': 1,
      'sale_offer/deleted': 1,
      'option_value/deleted': 1,
      'product/updated': 1,
    })
    expect(await shop.read(created['@id'])).toEqual(reduced.body)
    expect(reduced.body).toMatchObject({ variantsTotal: 1, options: [{ values: [{ title: 'Red' }] }] })
    expect(effectOf(await upsert('missing', onlyRed, '?missing=archive'))).toEqual([200, 'false'])

    const restored = await upsert('missing', body)
    expect(effectOf(restored), restored.text).toEqual([200, 'true'])
    expect(restored.body.variants.map(({ id }: { id: string }) => id)).toEqual(
      created.variants.map(({ id }: { id: string }) => id),
    )
    expect(await shop.read(created['@id'])).toEqual(restored.body)
    expect(effectOf(await upsert('missing', body))).toEqual([200, 'false'])
    const offers = await offersOf(created.id)
    expect(offers).toHaveLength(3)
  })

  test('keeps option values that variants use', async () => {
    const body = unique(shirt())
    await upsert('used', body)
    const reply = await upsert('used', { options: [option('Colour', 'Red')] }, '?missing=archive')
    expect(reply.body, reply.text).toMatchObject({ status: 409, slug: 'option_value.in_use' })
    const none = await upsert('used', { options: [] }, '?missing=archive')
    expect(none.body, none.text).toMatchObject({ status: 409, slug: 'product_option.in_use' })
    expect(effectOf(await upsert('used', { options: null }))).toEqual([200, 'false'])
  })

  test('is restored from the archive, the newest of several', async () => {
    const first = await upsert('twice', {
      title: 'First',
      variants: [{ sku: 'TW', saleOffers: [{ currency: 'EUR', amount: '1.00' }] }],
    })
    await shop.delete(first.body['@id'])
    const second = await shop.create('/api/products', {
      title: 'Second',
      externalId: 'twice',
      channels: ['web'],
      variants: [{ sku: 'TW' }],
    })
    await shop.delete(second['@id'])
    const kept = await upsert('twice', { status: 'ARCHIVED' })
    expect(effectOf(kept)).toEqual([200, 'false'])
    const body = {
      title: 'Third',
      variants: [{ sku: 'TW', saleOffers: [{ currency: 'EUR', amount: '2.00' }] }],
    }
    const restored = await upsert('twice', body)
    expect(effectOf(restored), restored.text).toEqual([200, 'true'])
    expect(restored.body).toMatchObject({
      '@id': second['@id'],
      title: 'Third',
      status: 'ACTIVE',
      channels: ['web'],
      version: 3,
    })
    expect(await shop.read(second['@id'])).toEqual(restored.body)
    expect(effectOf(await upsert('twice', body))).toEqual([200, 'false'])
    const archived = await upsert('twice', { status: 'ARCHIVED', variants: [{ sku: 'TW2' }] })
    expect(archived.body).toMatchObject({ status: 409 })
  })

  test('reports all violations at once, with their paths', async () => {
    const body = unique(shirt())
    await upsert('violations', body)
    const [first] = body.variants
    const rest = await upsert('violations', {
      handle: null,
      options: [{ title: 'Fabric', values: [{}] }],
      variants: [
        {
          externalId: first!.externalId,
          weight: { unit: 'stone' },
          saleOffers: [
            { externalId: 'new', amount: '1.00' },
            { currency: 'EUR', amount: '3.333' },
          ],
        },
        { sku: 'new', saleOffers: [{ currency: 'EUR' }] },
        { sku: 'pink', optionValues: [{ option: 'Colour', value: 'Pink' }] },
      ],
    })
    expect(
      rest.body.violations.map((each: { propertyPath: string }) => each.propertyPath).toSorted(),
    ).toEqual([
      'handle',
      'options[0].values[0].title',
      'variants[0].saleOffers[0].currency',
      'variants[0].saleOffers[1].amount',
      'variants[0].weight.unit',
      'variants[1].saleOffers[0].amount',
      'variants[2].optionValues[0]',
    ])
    const many = await upsert('violations', {
      variants: Array.from({ length: 1001 }, (_, index) => ({ sku: `m${index}` })),
    })
    expect(many.body.violations).toMatchObject([
      { propertyPath: 'variants', slug: 'validation.too_many_items' },
    ])
    expect(many.body.detail ?? many.text).toContain('bulk operation')
  })

  test('reports names of other rows and repeated rows', async () => {
    const body = unique(shirt())
    await upsert('names', body)
    await upsert('names-2', { title: 'Other', variants: [{ sku: 'taken' }] })
    const [first] = body.variants
    const conflict = async (more: object) => {
      const reply = await upsert('names', more)
      return [reply.status, reply.body.slug, reply.body.violations?.[0]?.propertyPath]
    }
    expect(await conflict({ variants: [{ externalId: first!.externalId, sku: 'taken' }] })).toEqual([
      409,
      'variant.sku_taken',
      'variants[0].sku',
    ])
    expect(await conflict({ variants: [{ externalId: 'other', optionValues: red }] })).toEqual([
      409,
      'variant.combination_exists',
      'variants[0].optionValues',
    ])
    expect(
      await conflict({
        options: [
          { externalId: 'a', title: 'Size' },
          { externalId: 'b', title: 'Size' },
        ],
      }),
    ).toEqual([409, 'product_option.title_taken', 'options[0].title'])
  })

  test('keeps the variants without a name of a product that gains an option', async () => {
    const sized = (size: string, ...more: object[]) => ({
      optionValues: [{ option: 'Size', value: size }, ...more],
    })
    const body = { title: 'Cup', options: [option('Size', 'S', 'M')], variants: [sized('S'), sized('M')] }
    const before = (await upsert('gains', body)).body.variants
    const colour = (value: string) => ({ option: 'Colour', value })
    const after = await upsert('gains', {
      options: [option('Colour', 'Red', 'Blue')],
      variants: [sized('M', colour('Red')), sized('S', colour('Blue')), sized('S', colour('Red'))],
    })
    const titles = after.body.variants.map(({ id, title }: { id: string; title: string }) => [id, title])
    expect(titles, after.text).toEqual([
      [before[0].id, 'S / Blue'],
      [before[1].id, 'M / Red'],
      [expect.any(String), 'S / Red'],
    ])
  })

  test('replays with an idempotency key', async () => {
    const body = unique(shirt())
    const headers = { 'idempotency-key': 'whole-product' }
    const first = await upsert('replayed', body, '', headers)
    const again = await upsert('replayed', body, '', headers)
    expect([again.status, again.text, again.headers.get('service-changed')]).toEqual([
      201,
      first.text,
      'true',
    ])
    expect((await upsert('replayed', { title: 'x' }, '', headers)).body.slug).toBe('idempotency.key_reused')
  })

  test('is created once by racing requests, and its rows too', async () => {
    const body = unique(shirt())
    const replies = await Promise.all(Array.from({ length: 6 }, () => upsert('raced', body)))
    expect(replies.map(effectOf).toSorted(), replies[0]!.text).toEqual([
      ...Array(5).fill([200, 'false']),
      [201, 'true'],
    ])
    const more = { variants: [{ ...body.variants[0]!, saleOffers: [{ currency: 'CHF', amount: '1.00' }] }] }
    const others = await Promise.all(Array.from({ length: 6 }, () => upsert('raced', more)))
    expect(others.map(effectOf).toSorted()).toEqual([...Array(5).fill([200, 'false']), [200, 'true']])
    expect(await offersOf(replies[0]!.body.id)).toHaveLength(4)
  })
})

test('needs the scope of sale offers for these alone', async () => {
  const token = await shop.token({ scope: 'products:write products:read' })
  const path = '/api/products/by-external-id/scoped'
  const body = { title: 'Scoped', variants: [{ sku: 'SC' }] }
  expect((await shop.patch(path, { body, token })).status).toBe(201)
  const priced = { variants: [{ sku: 'SC', saleOffers: [{ currency: 'EUR', amount: '1.00' }] }] }
  expect((await shop.patch(path, { body: priced, token })).status).toBe(403)
})

test('leaves the rows, events and totals of the tenant consistent', async () => {
  expect(await faultsIn(shop)).toEqual([])
})
