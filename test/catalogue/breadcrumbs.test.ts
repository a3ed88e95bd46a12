/** `breadcrumbs=true`: the titles of categories and of those above them, on one product or category. */
import { beforeAll, expect, test } from 'vitest'
import { sentBy } from '../support/sent.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { openStorefront, send } from '../support/storefront.ts'

type Link = Record<string, unknown>

let shop: Shop
let women: Link
let shoes: Link
let sale: Link
let product: string

beforeAll(async () => {
  shop = await openShop()
  const create = async (title: string, handle: string, parent?: unknown): Promise<Link> => {
    const made = await shop.create('/api/categories', { title, handle, parent })
    return { '@id': made['@id'], '@type': 'Category', title, handle }
  }
  women = await create('For women', 'women')
  shoes = await create('Shoes', 'shoes', women['@id'])
  sale = await create('On sale', 'sale')
  const translations = { 'en-US': { title: 'For women' }, 'fr-FR': { title: 'Femmes' } }
  await shop.put(`${women['@id']}/translations`, { body: { translations }, status: 200 })
  const made = await shop.create('/api/products', {
    title: 'Boot',
    handle: 'boot',
    status: 'ACTIVE',
    channels: ['web'],
    categories: [shoes['@id'], sale['@id'], women['@id']],
    variants: [{ sku: 'boot' }],
  })
  product = made['@id']
})

const ofShoes = () => [women, shoes]
const addresses = [
  ['a product', () => product, () => [ofShoes(), [sale], [women]]],
  ['a product by its handle', () => '/api/products/by-handle/boot', () => [ofShoes(), [sale], [women]]],
  ['a category', () => String(shoes['@id']), ofShoes],
  ['a category by its path', () => '/api/categories/by-path/women/shoes', ofShoes],
] as const

test.each(addresses)('%s has them if they are requested, in one round trip', async (_, address, expected) => {
  const plain = await shop.get(address(), { status: 200 })
  expect((await shop.get(`${address()}?breadcrumbs=false`, { status: 200 })).text).toBe(plain.text)
  expect(plain.text).not.toContain('breadcrumbs')
  const path = `${address()}?breadcrumbs=true`
  const batches = await sentBy(() => shop.get(path, { status: 200 }))
  expect(batches.map((batch) => batch.length)).toEqual([1])
  const { breadcrumbs, ...rest } = await shop.read(path)
  expect([breadcrumbs, rest]).toEqual([expected(), plain.body])
  const selected = await shop.read(`${path}&properties[]=title`)
  expect(selected).not.toHaveProperty('breadcrumbs')
  const titles = await shop.get(`${path}&properties[breadcrumbs][]=title`, {
    headers: { prefer: 'handling=strict' },
    status: 200,
  })
  expect(titles.body.breadcrumbs.flat()).toEqual(
    expected()
      .flat()
      .map(({ handle, ...link }) => link),
  )
  await shop.request('HEAD', path, { status: 200 })
})

test('titles are in the language of the response, or name theirs', async () => {
  const path = '/api/categories/by-path/women/shoes?breadcrumbs=true'
  const { breadcrumbs } = await shop.read(path, { locale: 'fr-FR' })
  expect(breadcrumbs).toEqual([
    { ...women, title: 'Femmes' },
    { ...shoes, fallbacks: { title: 'en-US' } },
  ])
})

test.each(addresses)('%s is no longer 304 after an ancestor got another title', async (_, address) => {
  const path = `${address()}?breadcrumbs=true`
  const before = await shop.get(path, { status: 200 })
  const headers = { 'If-None-Match': before.headers.get('etag') }
  await shop.get(path, { headers, status: 304 })
  await shop.update(String(women['@id']), { title: 'Ladies' })
  const after = await shop.get(path, { headers, status: 200 })
  expect(JSON.stringify(after.body.breadcrumbs)).toContain('Ladies')
  expect(after.body.version).toBe(before.body.version)
  await shop.update(String(women['@id']), { title: women.title })
})

test('another market of the same response, and a move, show the present ones', async () => {
  await shop.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  const path = `${product}?breadcrumbs=true`
  const { breadcrumbs, variants } = await shop.read(`${path}&market=fr&explain=price`)
  expect([breadcrumbs[0], variants[0].resolvedPrice.candidates]).toEqual([ofShoes(), []])
  await shop.update(String(shoes['@id']), { parent: sale['@id'] })
  expect((await shop.read(path)).breadcrumbs[0]).toEqual([sale, shoes])
  await shop.update(String(shoes['@id']), { parent: women['@id'] })
})

test('a caller without categories:read has none, and a publishable key has them', async () => {
  const token = await shop.token({ scope: 'products:read' })
  const path = `${product}?breadcrumbs=true`
  expect((await shop.get(path, { token, status: 200 })).text).not.toContain('breadcrumbs')
  const storefront = await openStorefront(shop)
  for (const [, address, expected] of addresses) {
    const { status, body } = await send(shop, storefront, `${address()}?breadcrumbs=true`)
    expect([status, body.breadcrumbs]).toEqual([200, expected()])
  }
})

test('a document with them can be sent back', async () => {
  for (const iri of [product, String(shoes['@id'])]) {
    const { body, headers } = await shop.get(`${iri}?breadcrumbs=true`)
    const asked = {
      body,
      headers: { 'if-match': headers.get('etag'), prefer: 'handling=strict' },
      status: 200,
    }
    const reply = await shop.patch(iri, asked)
    expect([reply.body.version, reply.headers.get('service-ignored-properties')]).toEqual([
      body.version,
      null,
    ])
  }
})

test('is 422 with another value, and unknown to lists', async () => {
  for (const [, address] of addresses) {
    const { body } = await shop.get(`${address()}?breadcrumbs=yes`, { status: 422 })
    expect(body.violations[0].propertyPath).toBe('breadcrumbs')
  }
  for (const list of ['/api/products', '/api/categories'])
    await shop.get(`${list}?breadcrumbs=true`, { headers: { prefer: 'handling=strict' }, status: 422 })
})

test('of a product in 250 categories of ten levels, lists beyond 64 kB are empty', async () => {
  const at = await openShop()
  const title = 'é'.repeat(255)
  let parent: string | undefined
  for (let level = 0; level < 9; level += 1)
    parent = (await at.create('/api/categories', { title, parent }))['@id']
  const bodies = Array.from({ length: 250 }, () => ({ title, parent }))
  const { member } = await at.create('/api/categories', bodies)
  const categories = member.map((each: { '@id': string }) => each['@id'])
  const { '@id': wide } = await at.create('/api/products', { title: 'Wide', categories })
  const { breadcrumbs } = await at.read(`${wide}?breadcrumbs=true`)
  const lengths = breadcrumbs.map((list: unknown[]) => list.length)
  expect([lengths.length, lengths[0], lengths.at(-1)]).toEqual([250, 10, 0])
  expect(lengths.toSorted((a: number, b: number) => b - a)).toEqual(lengths)
  expect(Buffer.byteLength(JSON.stringify(breadcrumbs))).toBeLessThan(66_000)
})
