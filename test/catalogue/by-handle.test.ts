/** Products by the handle of their address: their present handle, or one that they had earlier. */
import { describe, expect, test } from 'vitest'
import { sentBy } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const addressOf = (handle: string) => `/api/products/by-handle/${handle}`

async function create(shop: Shop, handle: string, more: object = {}): Promise<string> {
  return (await shop.create('/api/products', { title: handle, handle, ...more }))['@id']
}

const rename = (shop: Shop, product: string, handle: string) => shop.update(product, { handle })

/** The product that a handle leads to, and its present handle by the header; the slug of the problem if no product has it. */
async function find(
  shop: Shop,
  handle: string,
): Promise<readonly [product: string, location: string | null]> {
  const { status, headers, body } = await shop.get(addressOf(handle))
  const location = headers.get('content-location')
  return status === 200 ? [body['@id'], location] : [body.slug, location]
}

const none = ['product.not_found', null]

describe('a product by its handle', () => {
  test('is the document, the headers and the entity tag of the product by its id', async () => {
    const shop = await openShop()
    const product = await create(shop, 'mug', { variants: [{ sku: 'mug' }] })
    const varying = /^(content-location|x-request-id|server-timing|ratelimit)$/
    const headersOf = ({ headers }: Reply) => [...headers].filter(([name]) => !varying.test(name))
    for (const query of ['', '?expand=children', '?properties[]=title&properties[variants][]=sku']) {
      const byId = await shop.get(product + query, { status: 200 })
      const byHandle = await shop.get(addressOf('mug') + query, { status: 200 })
      expect([byHandle.text, headersOf(byHandle)]).toEqual([byId.text, headersOf(byId)])
      expect(byId.headers.get('content-location')).toBeNull()
      expect(byHandle.headers.get('content-location')).toBe(addressOf('mug'))
    }
  })

  test('has prices by the parameters of the read by id', async () => {
    const shop = await openShop()
    const saleOffers = [{ currency: 'EUR', amount: '4.90', channel: 'web' }]
    await rename(shop, await create(shop, 'mug', { variants: [{ saleOffers }] }), 'cup')
    const context = 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now'
    for (const handle of ['cup', 'mug']) {
      const { headers, body } = await shop.get(`${addressOf(handle)}?${context}&expand=priorPrice`, {
        status: 200,
      })
      expect(body.variants[0].resolvedPrice).toMatchObject({ amount: '4.90', currency: 'EUR' })
      expect(headers.get('service-priced-at')).not.toBeNull()
    }
    const reply = await shop.get(`${addressOf('cup')}?resolveContext[channel]=web`, { status: 422 })
    expect(reply.body.violations.length).toBeGreaterThan(0)
  })

  test('is read in one round trip, and again after one look at the clock', async () => {
    const shop = await openShop()
    await rename(shop, await create(shop, 'mug'), 'cup')
    for (const path of [addressOf('mug'), addressOf('mug'), addressOf('none')])
      expect((await sentBy(() => shop.get(path))).map((batch) => batch.length)).toEqual([1])
  })

  test('is 304 for its entity tag, by the present and a former handle', async () => {
    const shop = await openShop()
    await rename(shop, await create(shop, 'mug'), 'cup')
    const etag = (await shop.get(addressOf('cup'))).headers.get('etag')
    for (const handle of ['cup', 'mug']) {
      const reply = await shop.get(addressOf(handle), { headers: { 'If-None-Match': etag }, status: 304 })
      expect([reply.text, reply.headers.get('content-location')]).toEqual(['', addressOf('cup')])
    }
  })

  test.each(['2026-01', '2026-04'])('has the same header in version %s', async (version) => {
    const shop = await openShop()
    const product = await create(shop, 'mug')
    await rename(shop, product, 'cup')
    const byId = await shop.get(product, { version })
    const reply = await shop.get(addressOf('mug'), { version, status: 200 })
    expect([reply.text, reply.headers.get('content-location')]).toEqual([byId.text, addressOf('cup')])
  })

  test('needs the scope products:read', async () => {
    const shop = await openShop()
    await create(shop, 'mug')
    const token = await shop.token({ scope: 'categories:read' })
    await shop.get(addressOf('mug'), { token, status: 403 })
    await shop.get(addressOf('mug'), { token: null, status: 401 })
  })

  test.each(['variants', 'translations', 'product-options', 'audit-trail', 'by-handle'])(
    'may have the handle %s',
    async (handle) => {
      const shop = await openShop()
      expect(await find(shop, handle)).toEqual(none)
      const product = await create(shop, handle)
      expect(await find(shop, handle)).toEqual([product, addressOf(handle)])
    },
  )
})

describe('a former handle', () => {
  test('leads to the product, also after three renames', async () => {
    const shop = await openShop()
    const product = await create(shop, 'a')
    for (const handle of ['b', 'c', 'd']) await rename(shop, product, handle)
    for (const handle of ['a', 'b', 'c', 'd'])
      expect(await find(shop, handle)).toEqual([product, addressOf('d')])
  })

  test('leads to the product of today in a response that was cached before the rename', async () => {
    const shop = await openShop()
    const product = await create(shop, 'a')
    expect(await find(shop, 'a')).toEqual([product, addressOf('a')])
    expect(await find(shop, 'b')).toEqual(none)
    await rename(shop, product, 'b')
    expect(await find(shop, 'a')).toEqual([product, addressOf('b')])
    expect(await find(shop, 'b')).toEqual([product, addressOf('b')])
  })

  test('that the product takes back is its handle again', async () => {
    const shop = await openShop()
    const [product, other] = [await create(shop, 'a'), await create(shop, 'x')]
    await rename(shop, product, 'b')
    await rename(shop, product, 'a')
    for (const handle of ['a', 'b']) expect(await find(shop, handle)).toEqual([product, addressOf('a')])
    await rename(shop, product, 'c')
    await rename(shop, other, 'a')
    await rename(shop, other, 'y')
    expect(await find(shop, 'a')).toEqual([other, addressOf('y')])
  })

  test('belongs to a product that has it now, and returns to the one that gave it up last', async () => {
    const shop = await openShop()
    const [first, second] = [await create(shop, 'a'), await create(shop, 'x')]
    await rename(shop, first, 'b')
    await rename(shop, second, 'a')
    expect(await find(shop, 'a')).toEqual([second, addressOf('a')])
    await rename(shop, second, 'y')
    expect(await find(shop, 'a')).toEqual([second, addressOf('y')])
    await shop.delete(second, { status: 204 })
    expect(await find(shop, 'a')).toEqual([first, addressOf('b')])
  })

  test('that two products have swapped leads to the one that has it', async () => {
    const shop = await openShop()
    const [a, b] = [await create(shop, 'a'), await create(shop, 'b')]
    await rename(shop, a, 'between')
    await rename(shop, b, 'a')
    await rename(shop, a, 'b')
    expect(await find(shop, 'a')).toEqual([b, addressOf('a')])
    expect(await find(shop, 'b')).toEqual([a, addressOf('b')])
    expect(await find(shop, 'between')).toEqual([a, addressOf('b')])
  })

  test('leads to no archived product, and to the restored one', async () => {
    const shop = await openShop()
    const product = await create(shop, 'a')
    await rename(shop, product, 'b')
    await shop.delete(product, { status: 204 })
    for (const handle of ['a', 'b']) expect(await find(shop, handle)).toEqual(none)
    await shop.update(product, { status: 'ACTIVE' })
    for (const handle of ['a', 'b']) expect(await find(shop, handle)).toEqual([product, addressOf('b')])
  })

  test('of a product that is restored with another handle was given up when it was archived', async () => {
    const shop = await openShop()
    const product = await create(shop, 'a')
    await shop.delete(product, { status: 204 })
    const later = await create(shop, 'a')
    await rename(shop, later, 'c')
    await shop.update(product, { status: 'ACTIVE', handle: 'b' })
    expect(await find(shop, 'a')).toEqual([later, addressOf('c')])
    await shop.delete(later, { status: 204 })
    expect(await find(shop, 'a')).toEqual([product, addressOf('b')])
  })

  test('stays with the last 20 of a product', async () => {
    const shop = await openShop()
    const product = await create(shop, 'h-0')
    for (let n = 1; n <= 22; n += 1) await rename(shop, product, `h-${n}`)
    for (const handle of ['h-0', 'h-1']) expect(await find(shop, handle)).toEqual(none)
    // A handle that it takes back is no former one.
    await rename(shop, product, 'h-21')
    for (const handle of ['h-2', 'h-22'])
      expect(await find(shop, handle)).toEqual([product, addressOf('h-21')])
  })

  test('of another tenant leads nowhere', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    const product = await create(shop, 'a')
    await rename(shop, product, 'b')
    for (const handle of ['a', 'b']) expect(await find(other, handle)).toEqual(none)
    const own = await create(other, 'a')
    await rename(other, own, 'b')
    expect(await find(other, 'a')).toEqual([own, addressOf('b')])
    expect(await find(shop, 'a')).toEqual([product, addressOf('b')])
  })

  test('finds the product for a model', async () => {
    const shop = await openShop()
    const product = await create(shop, 'a')
    await rename(shop, product, 'b')
    const params = { name: 'get_product', arguments: { handle: 'a' } }
    const { body } = await shop.post('/mcp/catalogue', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers: { 'content-type': 'application/json' },
    })
    expect(body.result.structuredContent).toMatchObject({ '@id': product, handle: 'b' })
  })
})

describe('a handle that no product has', () => {
  test('is 404, and the problem explains which products are found', async () => {
    const shop = await openShop()
    const { body } = await shop.get(addressOf('none'), { status: 404 })
    expect(body.slug).toBe('product.not_found')
    expect(body.detail).toContain('No product of this tenant has this handle or had it earlier.')
  })

  test.each([
    ['upper case', 'Mug'],
    ['an encoded letter that is another', '%6Eug'],
    ['an encoded slash', 'mug%2Fmug'],
    ['an encoded quote', "mug'%20or%20'1'='1"],
    ['a hyphen at the end', 'mug-'],
    ['a space', '%20mug'],
    ['a letter outside of ASCII', 'm%C3%BCg'],
    ['300 characters', 'm'.repeat(300)],
    ['U+0000', 'mug%00'],
    ['half of a character', '%C3'],
    ['a wildcard', '%25'],
  ])('is 404 with %s', async (_, handle) => {
    const shop = await openShop()
    await create(shop, 'mug')
    const { body } = await shop.get(addressOf(handle), { status: 404 })
    expect(body.slug).toBe('product.not_found')
  })

  test('may be percent-encoded', async () => {
    const shop = await openShop()
    expect(await find(shop, 'none')).toEqual(none)
    const product = await create(shop, 'mug')
    expect(await find(shop, '%6Dug')).toEqual([product, addressOf('mug')])
  })

  test('is 404 with a slash, and without a handle', async () => {
    const shop = await openShop()
    await create(shop, 'mug')
    await shop.get(addressOf('mug/cup'), { status: 404 })
    await shop.get('/api/products/by-handle', { status: 404 })
    await shop.get('/api/products/by-handle/', { status: 404 })
  })
})

test('a write that does not change the handle records none', async () => {
  const shop = await openShop()
  const product = await create(shop, 'a')
  await shop.update(product, { title: 'B', handle: 'a' })
  await shop.update(product, { vendor: 'Acme' })
  const other = await create(shop, 'x')
  await shop.delete(product, { status: 204 })
  await rename(shop, other, 'a')
  await rename(shop, other, 'y')
  expect(await find(shop, 'a')).toEqual([other, addressOf('y')])
  await shop.update(product, { status: 'ACTIVE' })
  expect(await find(shop, 'a')).toEqual([product, addressOf('a')])
})
