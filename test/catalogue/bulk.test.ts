/** Arrays in a POST: all or nothing, with violations that name the row. */
import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

const sequence = async (shop: Shop) =>
  Number((await shop.get('/api/products')).headers.get('service-sequence'))

async function shirt(shop: Shop, count: number) {
  const values = Array.from({ length: count }, (_, index) => ({ title: `v${index}` }))
  const body = { title: 'Shirt', options: [{ title: 'Size', values }] }
  const product = await shop.create('/api/products', body)
  const variants = values.map(({ title }) => ({ optionValues: [{ option: 'Size', value: title }] }))
  return { product, path: `${product['@id']}/variants`, variants }
}

describe('products', () => {
  test('fifty at once are a collection in the order sent, one event each', async () => {
    const shop = await openShop()
    const body = Array.from({ length: 50 }, (_, index) => ({ title: `P${index}` }))
    const reply = await shop.create('/api/products', body)
    expect(reply).toMatchObject({ '@id': '/api/products', '@type': 'Collection', totalItems: 50 })
    expect(reply).not.toHaveProperty('view')
    expect(reply.member.map((each: { title: string }) => each.title)).toEqual(body.map(({ title }) => title))
    expect(await sequence(shop)).toBe(50)
    expect((await shop.get(reply.member[49]['@id'])).body).toMatchObject({ title: 'P49', version: 1 })
    const times = reply.member.map((each: { updatedAt: string }) => each.updatedAt)
    expect(new Set(times).size).toBe(50)
  })

  test('fifty-one are 422 and none is made', async () => {
    const shop = await openShop()
    const body = Array.from({ length: 51 }, (_, index) => ({ title: `P${index}` }))
    await shop.post('/api/products', { body, status: 422 })
    expect(await sequence(shop)).toBe(0)
  })

  test('one bad row makes none, and every violation names its row', async () => {
    const shop = await openShop()
    const body = [
      { title: 'A' },
      { title: '', vendor: 7 },
      { title: 'C' },
      { title: 'D', options: [{ title: 'O', values: [{}] }] },
      7,
      null,
    ]
    const reply = await shop.post('/api/products', { body, status: 422 })
    expect(reply.body.violations.map((each: { propertyPath: string }) => each.propertyPath)).toEqual([
      '[1].title',
      '[1].vendor',
      '[3].options[0].values[0].title',
      '[4]',
      '[5]',
    ])
    expect(await sequence(shop)).toBe(0)
  })

  test('rows that conflict with each other or with stored ones are 409 and none is created', async () => {
    const shop = await openShop()
    await shop.create('/api/products', { title: 'There', handle: 'there', externalId: 'e' })
    for (const [body, path] of [
      [
        [
          { title: 'A', handle: 'a' },
          { title: 'B', handle: 'a' },
        ],
        '[1].handle',
      ],
      [[{ title: 'A' }, { title: 'B', handle: 'there' }], '[1].handle'],
      [
        [
          { title: 'A', externalId: 'x' },
          { title: 'B', externalId: 'x' },
        ],
        '[1].externalId',
      ],
      [[{ title: 'A' }, { title: 'B', externalId: 'e' }], '[1].externalId'],
      [
        [
          { title: 'A', variants: [{ sku: 's' }] },
          { title: 'B', variants: [{ sku: 's' }] },
        ],
        '[1].variants[0].sku',
      ],
    ] as const) {
      const reply = await shop.post('/api/products', { body, status: 409 })
      expect(reply.body.violations.map((each: { propertyPath: string }) => each.propertyPath)).toEqual([path])
    }
    expect(await sequence(shop)).toBe(1)
  })

  test('equal titles get handles of their own', async () => {
    const shop = await openShop()
    const body = await shop.create('/api/products', Array(4).fill({ title: 'Mug' }))
    expect(body.member.map((each: { handle: string }) => each.handle)).toEqual([
      'mug',
      'mug-2',
      'mug-3',
      'mug-4',
    ])
  })

  test('an empty array is 422, one of one is a collection of one', async () => {
    const shop = await openShop()
    await shop.post('/api/products', { body: [], status: 422 })
    const body = await shop.create('/api/products', [{ title: 'A' }])
    expect(body).toMatchObject({ '@type': 'Collection', totalItems: 1, member: [{ title: 'A' }] })
  })

  test('ignored members are named with their row', async () => {
    const shop = await openShop()
    const reply = await shop.post('/api/products', {
      body: [{ title: 'A' }, { title: 'B', foo: 1 }],
      status: 201,
    })
    expect(reply.headers.get('service-ignored-properties')).toBe('[1].foo')
  })

  test('sent again under its key makes nothing more', async () => {
    const shop = await openShop()
    const asked = { body: [{ title: 'A' }, { title: 'B' }], headers: { 'Idempotency-Key': 'k' }, status: 201 }
    const first = await shop.post('/api/products', asked)
    const second = await shop.post('/api/products', asked)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await sequence(shop)).toBe(2)
  })
})

describe('variants', () => {
  test('two hundred and fifty at once, one product/updated', async () => {
    const shop = await openShop()
    const { product, path, variants } = await shirt(shop, 250)
    const before = await sequence(shop)
    const body = await shop.create(path, variants)
    expect(body.totalItems).toBe(250)
    expect(body.member[249]).toMatchObject({ title: 'v249', position: 249, version: 1 })
    expect(await sequence(shop)).toBe(before + 251)
    expect((await shop.get(product['@id'])).body).toMatchObject({ version: 2, variantsTotal: 250 })
    await shop.post(path, { body: Array(251).fill({}), status: 422 })
  })

  test('one bad row makes none', async () => {
    const shop = await openShop()
    const { product, path, variants } = await shirt(shop, 3)
    for (const [wrong, status, expected] of [
      [{ optionValues: [] }, 422, '[1].optionValues'],
      [{ ...variants[1], barcode: '96385075' }, 422, '[1].barcode'],
      [variants[0], 409, '[1].optionValues'],
    ] as const) {
      const reply = await shop.post(path, { body: [variants[0], wrong, variants[2]], status })
      expect(reply.body.violations.map((each: { propertyPath: string }) => each.propertyPath)).toEqual([
        expected,
      ])
    }
    expect((await shop.get(product['@id'])).body).toMatchObject({ version: 1, variantsTotal: 0 })
  })

  test('a row that collides with a variant that is there is 409 and none is made', async () => {
    const shop = await openShop()
    const { product, path, variants } = await shirt(shop, 3)
    await shop.create(path, variants[2])
    const reply = await shop.post(path, { body: variants, status: 409 })
    expect(reply.body.slug).toBe('variant.combination_exists')
    expect((await shop.get(product['@id'])).body.variantsTotal).toBe(1)
  })

  test('positions among the rows have no gaps', async () => {
    const shop = await openShop()
    const { product, path, variants } = await shirt(shop, 4)
    await shop.create(path, variants[0])
    const rows = [{ ...variants[1], position: 0 }, variants[2], { ...variants[3], position: 1 }]
    await shop.create(path, rows)
    const { body } = await shop.get(product['@id'])
    expect(
      body.variants.map((each: { title: string; position: number }) => [each.title, each.position]),
    ).toEqual([
      ['v1', 0],
      ['v3', 1],
      ['v0', 2],
      ['v2', 3],
    ])
  })
})

test('options, values and patches take no array', async () => {
  const shop = await openShop()
  const { product } = await shirt(shop, 1)
  for (const [method, path, body] of [
    ['POST', `${product['@id']}/product_options`, [{ title: 'A' }]],
    ['POST', '/api/option_values', [{ option: product.options[0]['@id'], title: 'A' }]],
    ['PATCH', product['@id'], [{ title: 'A' }]],
  ] as const) {
    const headers = {
      'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    }
    const reply = await shop.request(method, path, { body, headers })
    expect([path, reply.status]).toEqual([path, 422])
  }
  expect((await shop.get(product['@id'])).body).toEqual(product)
})
