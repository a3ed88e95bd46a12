/** A product's own writer chooses its collections, of those that are made by hand. */
import { expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

async function world() {
  const shop = await openShop()
  const made = shop.create
  const [summer, winter] = [
    await made('/api/collections', { title: 'Summer' }),
    await made('/api/collections', { title: 'Winter' }),
  ]
  const rule = { field: 'tag', operator: 'EQUALS', value: 'linen' }
  const linen = await made('/api/collections', { title: 'Linen', rules: { conditions: [rule] } })
  await shop.rest()
  const count = async ({ '@id': path }: { '@id': string }) => (await shop.read(path)).productsCount
  const counts = async () => [await count(summer), await count(winter), await count(linen)]
  const iris = [summer, winter, linen].map((each): string => each['@id'])
  return { shop, made, counts, summer: iris[0]!, winter: iris[1]!, linen: iris[2]! }
}

const trips = ({ headers }: Reply) => /db;dur=[\d.]+;desc="(\d+)"/.exec(headers.get('server-timing')!)?.[1]
const violationsOf = ({ body }: Reply) =>
  body.violations.map((each: { propertyPath: string; slug: string }) => [each.propertyPath, each.slug])

test('a patch replaces the MANUAL collections, in one event, and leaves those of rules', async () => {
  const { shop, made, counts, summer, winter, linen } = await world()
  const product = await made('/api/products', { title: 'Shirt', tags: ['linen'], collections: [summer] })
  const before = (await shop.read('/api/events')).member.length
  const reply = await shop.patch(product['@id'], { body: { collections: [winter] }, status: 200 })
  expect(reply.body.collections).toEqual([winter, linen].toSorted())
  expect([reply.body.version, trips(reply)]).toEqual([2, '2'])
  expect(await counts()).toEqual([0, 1, 1])
  const events = (await shop.read('/api/events')).member.slice(before)
  expect(events.map((each: { topic: string }) => each.topic)).toEqual(['product/updated'])
  expect(events[0].changes).toEqual([
    { path: 'collections', before: [summer, linen].toSorted(), after: [winter, linen].toSorted() },
  ])
  for (const collections of [[winter], [linen, winter], [winter, winter]]) {
    const same = await shop.update(product['@id'], { collections })
    expect(same.version).toBe(2)
  }
  const none = await shop.update(product['@id'], { collections: null })
  expect(none.collections).toEqual([linen])
  expect(await counts()).toEqual([0, 0, 1])
})

test('an unknown collection, and one by rules that does not hold the product, are 422 together', async () => {
  const { shop, made, counts, summer, linen } = await world()
  const unknown = '/api/collections/01900000-0000-7000-8000-000000000000'
  const { '@id': foreign } = (await (await openShop()).post('/api/collections', { body: { title: 'A' } }))
    .body
  const collections = [linen, unknown, summer, foreign]
  const expected = [
    ['collections[0]', 'collection.not_met'],
    ['collections[1]', 'validation.unknown_reference'],
    ['collections[3]', 'validation.unknown_reference'],
  ]
  const product = await made('/api/products', { title: 'Shirt' })
  expect(violationsOf(await shop.patch(product['@id'], { body: { collections }, status: 422 }))).toEqual(
    expected,
  )
  const post = { body: { title: 'Shirt', collections }, status: 422 }
  expect(violationsOf(await shop.post('/api/products', post))).toEqual(expected)
  const bulk = { body: [{ title: 'A' }, { title: 'B', collections: [linen] }], status: 422 }
  expect(violationsOf(await shop.post('/api/products', bulk))).toEqual([
    ['[1].collections[0]', 'collection.not_met'],
  ])
  expect(await counts()).toEqual([0, 0, 0])
})

test('a product is in at most 250 collections by hand, whichever way it gets there', async () => {
  const { shop, made, summer } = await world()
  const all: string[] = []
  for (let done = 0; done < 251; done += 1) {
    all.push((await made('/api/collections', { title: `C${done}` }))['@id'])
  }
  const product = await made('/api/products', { title: 'Shirt', collections: all.slice(0, 250) })
  expect(product.collections).toHaveLength(250)
  const body = { collections: all }
  const patch = await shop.patch(product['@id'], { body, status: 422 })
  expect(violationsOf(patch)).toEqual([['collections', 'collection.chosen_limit']])
  const post = await shop.post('/api/products', { body: { title: 'B', ...body }, status: 422 })
  expect(violationsOf(post)).toEqual([['collections', 'collection.chosen_limit']])
  const member = { body: { product: product['@id'] }, status: 422 }
  expect(violationsOf(await shop.post(`${summer}/products`, member))).toEqual([
    ['product', 'collection.chosen_limit'],
  ])
  await shop.create(`${all[0]}/products`, { product: product['@id'] })
}, 60_000)

test('an archived product retains its place in MANUAL collections, and is counted again when restored', async () => {
  const { shop, made, counts, summer, winter } = await world()
  const product = await made('/api/products', { title: 'Shirt', collections: [summer] })
  const down = { status: 'ARCHIVED', collections: [winter] }
  expect((await shop.update(product['@id'], down)).collections).toEqual([winter])
  expect(await counts()).toEqual([0, 0, 0])
  await shop.patch(product['@id'], { body: { collections: [summer] }, status: 409 })
  await shop.update(product['@id'], { status: 'DRAFT' })
  expect(await counts()).toEqual([0, 1, 0])
})

test('concurrent adds through both endpoints keep every product', async () => {
  const { shop, made, counts, summer } = await world()
  const products: string[] = []
  for (let done = 0; done < 8; done += 1) products.push((await made('/api/products', { title: 'P' }))['@id'])
  const replies = await Promise.all(
    products.flatMap((path) => [
      shop.patch(path, { body: { collections: [summer] } }),
      shop.post(`${summer}/products`, { body: { product: path } }),
    ]),
  )
  const refused = replies.filter(({ status, body }) => status >= 400 && body.slug !== 'concurrency.busy')
  expect(refused.map(({ text }) => text)).toEqual([])
  const body = await shop.read(`/api/products?collection=${summer}`)
  expect((await counts())[0]).toBe(body.totalItems)
  expect(body.totalItems).toBe(8)
})

const both = 'products:write collections:write'
const challenged = (reply: Reply) => /scope="([^"]*)"/.exec(reply.headers.get('www-authenticate') ?? '')?.[1]

/** Tokens that may write products, without and with the right to write collections. */
async function writers(shop: Shop) {
  return {
    products: await shop.token({ scope: 'products:read products:write' }),
    both: await shop.token({ scope: both }),
    person: await shop.token({ scope: both, sub: 'ann', permissions: ['identity:products:*'] }),
  }
}

test('a caller without the write scope of collections cannot add a product to a MANUAL one or remove it, and the error names both scopes', async () => {
  const { shop, made, counts, summer, winter, linen } = await world()
  const token = await writers(shop)
  const product = await made('/api/products', { title: 'Shirt', tags: ['linen'], collections: [summer] })
  const unknown = '/api/collections/01900000-0000-7000-8000-000000000000'
  const before = (await shop.read('/api/events')).member.length
  for (const collections of [[], null, [linen], [winter], [summer, winter], [summer, unknown]]) {
    const asked = { body: { title: 'Changed', collections }, status: 403 }
    const refused = await shop.patch(product['@id'], { ...asked, token: token.products })
    expect([refused.body.slug, challenged(refused), trips(refused)]).toEqual([
      'auth.insufficient_scope',
      both,
      '1',
    ])
    const person = await shop.patch(product['@id'], { ...asked, token: token.person })
    expect([person.body.slug, person.body.missingPermissions]).toEqual([
      'auth.permission_denied',
      ['identity:collections:write'],
    ])
  }
  for (const body of [
    { title: 'New', collections: [summer] },
    [{ title: 'New' }, { title: 'Newer', collections: [linen, winter] }],
  ]) {
    const refused = await shop.post('/api/products', { body, token: token.products, status: 403 })
    expect([refused.body.slug, challenged(refused)]).toEqual(['auth.insufficient_scope', both])
    const person = await shop.post('/api/products', { body, token: token.person, status: 403 })
    expect(person.body.missingPermissions).toEqual(['identity:collections:write'])
  }
  expect((await shop.read('/api/events')).member).toHaveLength(before)
  expect(await counts()).toEqual([1, 0, 1])
  await shop.update(product['@id'], { collections: [winter] }, { token: token.both })
  await shop.create('/api/products', [{ title: 'New', collections: [summer] }], { token: token.both })
  expect(await counts()).toEqual([1, 1, 1])
})

test('a caller who writes products can send its collections unchanged, with or without those of rules, or leave them out', async () => {
  const { shop, made, summer, winter, linen } = await world()
  const { products: token } = await writers(shop)
  const product = await made('/api/products', {
    title: 'Shirt',
    tags: ['linen'],
    collections: [winter, summer],
  })
  const body = await shop.read(product['@id'], { token })
  const written = [
    body,
    { ...body, title: 'Blouse' },
    { collections: [winter, summer], vendor: 'Acme' },
    { collections: [summer, winter, linen], tags: [] },
    { status: 'ARCHIVED', collections: [summer, winter] },
    { status: 'DRAFT' },
  ]
  for (const each of written) {
    const reply = await shop.update(product['@id'], each, { token })
    expect(reply.collections).toEqual(expect.arrayContaining([summer, winter]))
  }
  const copies = [{ title: 'A' }, { title: 'B', collections: [] }, { title: 'C', collections: null }]
  await shop.create('/api/products', copies, { token })
  const byRules = { title: 'D', tags: ['linen'], collections: [linen] }
  await shop.create('/api/products', byRules, { token })
})

test('who may not choose is refused before what the request has wrong otherwise, after the product itself is found', async () => {
  const { shop, made, summer, linen } = await world()
  const { products: token } = await writers(shop)
  const product = await made('/api/products', { title: 'Shirt' })
  const body = { collections: [linen, summer] }
  const headers = { 'If-Match': '"9"' }
  await shop.patch(product['@id'], { body, token, headers, status: 403 })
  await shop.delete(product['@id'], { token, status: 204 })
  await shop.patch(product['@id'], { body, token, status: 403 })
  await shop.patch(product['@id'], { body: { title: 'X', collections: [] }, token, status: 409 })
  await shop.patch(product['@id'].replace(/.{12}$/, '000000000000'), { body, token, status: 404 })
})
