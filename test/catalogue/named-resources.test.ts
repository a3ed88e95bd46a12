/** Lists of named resources: `id[]`, `handle[]`, `sku[]`, `externalId[]`, `barcode[]`. */
import { beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

type Item = Record<string, unknown> & { '@id': string; id: string; handle: string; variants: Item[] }

let shop: Shop
let products: Item[]
beforeAll(async () => {
  shop = await openShop()
  products = []
  for (const title of ['A', 'B', 'C', 'D'])
    products.push(
      (await shop.create('/api/products', {
        title,
        vendor: title === 'D' ? 'Other' : 'Acme',
        externalId: `erp"${title}`,
        options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
        variants: ['S', 'M'].map((size) => ({
          sku: `${title}-${size}`,
          externalId: `${title}, ${size}`,
          barcode: size === 'S' ? 'shared' : null,
          optionValues: [{ option: 'Size', value: size }],
        })),
      })) as Item,
    )
})

const query = (name: string, values: readonly string[]) =>
  values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')

async function named(path: string, name: string, values: readonly string[], more = '') {
  const body = await shop.read(`${path}?${query(name, values)}${more}`)
  const { member, missing, totalItems, view } = body
  return { titles: member.map(({ title }: Item) => title), missing, totalItems, view }
}

test.each([
  ['handle[]', ['c', 'nothing', 'a', 'c'], ['C', 'A'], ['nothing']],
  ['externalId[]', ['erp"D', 'erp"B', '{}'], ['D', 'B'], ['{}']],
  ['sku[]', ['B-M', 'A-S', 'B-S', 'a-s'], ['B', 'A'], ['a-s']],
])('%s lists products in the order of their names', async (name, values, titles, missing) => {
  const page = await named('/api/products', name, values, '&itemsPerPage=1')
  expect(page).toMatchObject({ titles, missing, totalItems: titles.length })
  expect(page.view).not.toHaveProperty('next')
})

test('a barcode lists each product that has it', async () => {
  expect(await named('/api/products', 'barcode[]', ['other', 'shared'])).toMatchObject({
    totalItems: 4,
    missing: ['other'],
  })
})

test('ids that are unknown or malformed are missing', async () => {
  const [a, b] = products.map(({ id }) => id)
  const values = [String(b), 'shirt', String(a), '019aa000-0000-7000-8000-000000000001']
  expect(await named('/api/products', 'id[]', values)).toMatchObject({
    titles: ['B', 'A'],
    missing: ['shirt', '019aa000-0000-7000-8000-000000000001'],
    totalItems: 2,
  })
})

test('filters apply, and hidden names are missing', async () => {
  const filtered = await named('/api/products', 'handle[]', ['d', 'c'], '&vendor=Acme&properties[]=title')
  expect(filtered).toMatchObject({ titles: ['C'], missing: ['d'] })
  const searched = await named('/api/products', 'handle[]', ['b', 'a'], '&q=a')
  expect(searched).toMatchObject({ titles: ['A'], missing: ['b'] })
  const faceted = await shop.read(
    '/api/products?handle[]=d&handle[]=none&facets[]=vendor&resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now',
  )
  expect(faceted).toMatchObject({ missing: ['none'], facets: [{ values: [{ value: 'Other', count: 1 }] }] })
  const archived = (await shop.create('/api/products', { title: 'Old', variants: [{}] })) as Item
  await shop.delete(archived['@id'], { status: 204 })
  expect(await named('/api/products', 'handle[]', ['old', 'a'])).toMatchObject({ missing: ['old'] })
  expect(await named('/api/products', 'id[]', [archived.id])).toMatchObject({ titles: ['Old'], missing: [] })
})

test('variants, categories, collections, metaobjects and offers have the same parameters', async () => {
  const [product] = products
  const variants = `${product?.['@id']}/variants`
  expect(await named(variants, 'sku[]', ['A-M', 'A-S', 'B-S'])).toMatchObject({
    titles: ['M', 'S'],
    missing: ['B-S'],
  })
  expect(await named(variants, 'externalId[]', ['A, M'])).toMatchObject({ titles: ['M'], missing: [] })
  for (const path of ['/api/categories', '/api/collections']) {
    for (const title of ['X', 'Y', 'Z']) await shop.create(path, { title, externalId: title })
    expect(await named(path, 'handle[]', ['z', 'w', 'x'])).toMatchObject({
      titles: ['Z', 'X'],
      missing: ['w'],
    })
    expect(await named(path, 'externalId[]', ['Y', 'Z'])).toMatchObject({ titles: ['Y', 'Z'] })
  }
  const { '@id': definition } = await shop.create('/api/metaobject_definitions', { type: 'label' })
  for (const [handle, status] of Object.entries({ l: 'DRAFT', m: 'ACTIVE' }))
    await shop.create('/api/metaobjects', { definition, handle, status })
  const token = await shop.token({ scope: 'metaobjects:read' })
  const published = (await shop.get('/api/metaobjects?handle[]=m&handle[]=l', { token })).body
  expect(published).toMatchObject({ member: [{ handle: 'm' }], missing: ['l'] })
  const variant = product?.variants[0]?.['@id']
  for (const externalId of ['1', '2'])
    await shop.create('/api/sale_offers', {
      variant,
      currency: 'EUR',
      amount: '1.00',
      externalId,
      channel: externalId,
    })
  const offers = await shop.read('/api/sale_offers?externalId[]=2&externalId[]=3&externalId[]=1')
  expect(offers).toMatchObject({ member: [{ externalId: '2' }, { externalId: '1' }], missing: ['3'] })
})

test('a second parameter of names is 422', async () => {
  const { body } = await shop.get('/api/products?sku[]=A-S&handle[]=a', { status: 422 })
  expect(body.violations).toMatchObject([{ propertyPath: 'handle[]', code: 'VAL-1084' }])
})

test('an order replaces that of the names', async () => {
  const titles = async (order: string) => {
    const { member, missing } = await shop.read(`/api/products?handle[]=b&handle[]=none&handle[]=a&${order}`)
    expect(missing).toEqual(['none'])
    return member.map(({ title }: { title: string }) => title)
  }
  const named = await titles('')
  expect(named).toHaveLength(2)
  expect(await titles('order[title]=asc')).toEqual(named.toSorted())
  expect(await titles('order[title]=desc')).toEqual(named.toSorted().toReversed())
})

test('an export has the names in their order, and the missing ones in its last line', async () => {
  const { text } = await shop.get('/api/products?handle[]=c&handle[]=none&handle[]=a', {
    headers: { accept: 'application/x-ndjson' },
    status: 200,
  })
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([{ title: 'C' }, { title: 'A' }, { '@type': 'End', missing: ['none'] }])
})

test('an unchanged list of names is 304', async () => {
  const path = '/api/products?sku[]=A-S&sku[]=none'
  const { headers } = await shop.get(path)
  await shop.get(path, { headers: { 'if-none-match': String(headers.get('etag')) }, status: 304 })
})
