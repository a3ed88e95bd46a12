/** PATCH of a list: several merge patches in one commit, all or nothing. */
import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

const headers = { 'Content-Type': 'application/vnd.catalogue.batch+json' }
const sequence = async (shop: Shop) =>
  Number((await shop.get('/api/products')).headers.get('service-sequence'))

async function products(
  shop: Shop,
  count: number,
): Promise<{ '@id': string; version: number; title: string }[]> {
  const body = Array.from({ length: count }, (_, index) => ({ title: `P${index}`, handle: `p-${index}` }))
  return (await shop.create('/api/products', body)).member
}

async function pricedVariants(shop: Shop, count: number) {
  const values = Array.from({ length: count }, (_, index) => ({ title: `v${index}` }))
  const product = await shop.create('/api/products', {
    title: 'Shirt',
    options: [{ title: 'Size', values }],
    variants: values.map(({ title }, index) => ({
      optionValues: [{ option: 'Size', value: title }],
      sku: `S-${index}`,
      saleOffers: [{ amount: '10.00', currency: 'EUR' }],
    })),
  })
  const { member: variants } = await shop.read(`${product['@id']}/variants?itemsPerPage=250`)
  const { member: offers } = await shop.read('/api/sale_offers?itemsPerPage=250')
  return { product, variants, offers }
}

describe('a batch', () => {
  test('changes all products in one commit, in the order sent', async () => {
    const shop = await openShop()
    const [a, b, c] = await products(shop, 3)
    const body = [
      { '@id': c?.['@id'], title: 'C', tags: ['new'] },
      { '@id': a?.['@id'], version: 1, title: 'A' },
      { '@id': b?.['@id'], title: 'P1' },
    ]
    const reply = await shop.patch('/api/products', { body, headers, status: 200 })
    expect(reply.body).toMatchObject({ '@id': '/api/products', '@type': 'Collection', totalItems: 3 })
    expect(reply.body.member.map(({ title, version }: typeof reply.body) => [title, version])).toEqual([
      ['C', 2],
      ['A', 2],
      ['P1', 1],
    ])
    expect(await sequence(shop)).toBe(5)
    expect(await shop.read(a?.['@id'] ?? '')).toMatchObject({ title: 'A', version: 2 })
    const { member } = await shop.read('/api/events?after=3')
    expect(member.map(({ topic, resource }: typeof reply.body) => [topic, resource])).toEqual([
      ['product/updated', c?.['@id']],
      ['product/updated', a?.['@id']],
    ])
  })

  test('changes nothing if one element is rejected, and reports all rejected ones', async () => {
    const shop = await openShop()
    const [a, b, c] = await products(shop, 3)
    const body = [
      { '@id': a?.['@id'], title: 'A' },
      { '@id': b?.['@id'], title: '', vendor: 7 },
      { '@id': c?.['@id'], handle: 'Not a handle' },
    ]
    const reply = await shop.patch('/api/products', { body, headers, status: 422 })
    expect(reply.body.violations.map(({ propertyPath }: typeof reply.body) => propertyPath)).toEqual([
      '[1].title',
      '[1].vendor',
      '[2].handle',
    ])
    expect(reply.body.failures).toMatchObject([
      { index: 1, '@id': b?.['@id'], status: 422 },
      { index: 2, '@id': c?.['@id'], status: 422 },
    ])
    expect(await sequence(shop)).toBe(3)
    expect(await shop.read(a?.['@id'] ?? '')).toMatchObject({ title: 'P0', version: 1 })
  })

  test('compares the versions of its elements', async () => {
    const shop = await openShop()
    const [a, b] = await products(shop, 2)
    await shop.update(b?.['@id'] ?? '', { title: 'Changed by another' })
    const body = [
      { '@id': a?.['@id'], version: 1, title: 'A' },
      { '@id': b?.['@id'], version: 1, title: 'B' },
    ]
    const reply = await shop.patch('/api/products', { body, headers, status: 412 })
    expect(reply.body.failures).toMatchObject([
      { index: 1, '@id': b?.['@id'], slug: 'concurrency.version_mismatch', currentVersion: 2 },
    ])
    expect(await shop.read(a?.['@id'] ?? '')).toMatchObject({ title: 'P0', version: 1 })
  })

  test('rejects elements that name no resource of the list, a repeated one, and repeated names', async () => {
    const shop = await openShop()
    const [a, b] = await products(shop, 2)
    const rejected = async (body: unknown, status = 422) =>
      (await shop.patch('/api/products', { body, headers, status })).body
    const paths = (reply: { violations: { propertyPath: string }[] }) =>
      reply.violations.map(({ propertyPath }) => propertyPath)
    expect(paths(await rejected([{ title: 'A' }, { '@id': '/api/categories/x' }, 7, null]))).toEqual([
      '[0].@id',
      '[1].@id',
      '[2]',
      '[3]',
    ])
    expect(paths(await rejected([{ '@id': a?.['@id'] }, { '@id': a?.['@id'] }]))).toEqual(['[1].@id'])
    const same = [
      { '@id': a?.['@id'], handle: 'x' },
      { '@id': b?.['@id'], handle: 'x' },
    ]
    expect(paths(await rejected(same))).toEqual(['[1].handle'])
    expect(paths(await rejected([{ '@id': a?.['@id'], version: 'one' }]))).toEqual(['[0].version'])
    expect(paths(await rejected([]))).toEqual([''])
    expect(paths(await rejected({ '@id': a?.['@id'] }))).toEqual([''])
    expect(paths(await rejected([{ '@id': `/api/products/${crypto.randomUUID()}` }]))).toEqual(['[0].@id'])
    await rejected(
      Array.from({ length: 251 }, () => ({ '@id': a?.['@id'] })),
      422,
    )
    const mergePatch = { 'Content-Type': 'application/merge-patch+json' }
    await shop.patch('/api/products', { body: [], headers: mergePatch, status: 415 })
    await shop.patch('/api/products', { body: [], headers: { ...headers, 'If-Match': '*' }, status: 400 })
    expect(await sequence(shop)).toBe(2)
  })

  test('is performed once for an idempotency key', async () => {
    const shop = await openShop()
    const [a, b, c] = await products(shop, 3)
    const body = [
      { '@id': a?.['@id'], title: 'A' },
      { '@id': b?.['@id'], title: 'B' },
    ]
    const keyed = { ...headers, 'Idempotency-Key': 'batch' }
    const first = await shop.patch('/api/products', { body, headers: keyed, status: 200 })
    const again = await shop.patch('/api/products', { body, headers: keyed, status: 200 })
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await sequence(shop)).toBe(5)
    const others = [
      [{ '@id': a?.['@id'], title: 'Other' }, body[1]],
      [...body, { '@id': c?.['@id'], title: 'C' }],
      body.slice(0, 1),
      body.toReversed(),
    ]
    for (const other of others) {
      const reused = await shop.patch('/api/products', { body: other, headers: keyed, status: 422 })
      expect(reused.body.slug).toBe('idempotency.key_reused')
    }
    expect(await sequence(shop)).toBe(5)
  })

  test('changes 250 prices and nine variants of one product, whose version rises once', async () => {
    const shop = await openShop()
    const { product, variants, offers } = await pricedVariants(shop, 100)
    const prices = offers.map((offer: { '@id': string }, index: number) => ({
      '@id': offer['@id'],
      amount: `${index + 1}.50`,
    }))
    const reply = await shop.patch('/api/sale_offers', { body: prices, headers, status: 200 })
    expect(reply.body.member.map(({ amount }: typeof reply.body) => amount)).toEqual(
      prices.map(({ amount }: typeof reply.body) => amount),
    )
    const before = await shop.read(product['@id'])
    const codes = variants.slice(0, 9).map((variant: { '@id': string }, index: number) => ({
      '@id': variant['@id'],
      sku: `N-${index}`,
      position: 8 - index,
    }))
    await shop.patch(`${product['@id']}/variants`, { body: codes, headers, status: 200 })
    const after = await shop.read(product['@id'])
    expect(after.version).toBe(before.version + 1)
    const { member } = await shop.read(`${product['@id']}/variants?itemsPerPage=9`)
    expect(member.map(({ sku }: typeof reply.body) => sku)).toEqual(
      Array.from({ length: 9 }, (_, index) => `N-${8 - index}`),
    )
  })

  test('of several offers of one variant sets the prices that follow from all of them', async () => {
    const shop = await openShop()
    const market = { key: 'fr', name: 'France', channel: 'web', country: 'FR', currency: 'EUR' }
    await shop.create('/api/markets', market)
    await shop.rest()
    const { product, variants, offers } = await pricedVariants(shop, 5)
    const more = await shop.create(
      '/api/sale_offers',
      variants.map((variant: { '@id': string }) => ({
        variant: variant['@id'],
        amount: '9.00',
        currency: 'EUR',
        channel: 'web',
      })),
    )
    const body = [...offers, ...more.member].map((offer: { '@id': string }, index: number) => ({
      '@id': offer['@id'],
      ...(index < 5 ? { amount: `${index + 1}.00`, priority: 9 } : { amount: '8.00' }),
    }))
    await shop.patch('/api/sale_offers', { body, headers, status: 200 })
    const { member: priced } = await shop.read(`${product['@id']}/variants?market=fr`)
    const resolved = priced.map(({ resolvedPrice }: typeof priced) => resolvedPrice.amount).toSorted()
    const { member } = await shop.read('/api/products?market=fr&price[from]=0')
    expect(member[0].priceRange).toMatchObject({ from: resolved[0], until: resolved.at(-1) })
    await shop.patch('/api/sale_offers', {
      body: body.map(({ '@id': id }) => ({ '@id': id, status: 'ARCHIVED' })),
      headers,
      status: 200,
    })
    expect((await shop.read('/api/products?market=fr&hasPrice=false')).totalItems).toBe(1)
    expect((await shop.read('/api/sale_offers?itemsPerPage=0')).totalItems).toBe(0)
  })

  test('restores several variants of one product, after the active ones', async () => {
    const shop = await openShop()
    const { product, variants } = await pricedVariants(shop, 5)
    const path = `${product['@id']}/variants`
    const [first, , third] = variants
    for (const variant of [first, third]) await shop.delete(variant['@id'], { status: 204 })
    const body = [third, first].map(({ '@id': id }) => ({ '@id': id, status: 'ACTIVE' }))
    const reply = await shop.patch(path, { body, headers, status: 200 })
    expect(reply.body.member.map(({ position }: typeof reply.body) => position)).toEqual([3, 4])
    const { member } = await shop.read(`${path}?itemsPerPage=9`)
    expect(member.map(({ sku }: typeof reply.body) => sku)).toEqual(['S-1', 'S-3', 'S-4', 'S-2', 'S-0'])
  })

  test('that would make a circle of categories is rejected', async () => {
    const shop = await openShop()
    const a = await shop.create('/api/categories', { title: 'A' })
    const b = await shop.create('/api/categories', { title: 'B' })
    const body = [
      { '@id': a['@id'], parent: b['@id'] },
      { '@id': b['@id'], parent: a['@id'] },
    ]
    const reply = await shop.patch('/api/categories', { body, headers })
    expect(reply.status).toBeGreaterThanOrEqual(409)
    expect(reply.status).toBeLessThan(500)
    expect(await shop.read(a['@id'])).toMatchObject({ parent: null, version: 1 })
  })
})
