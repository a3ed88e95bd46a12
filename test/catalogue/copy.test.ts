/** A copy of the catalogue in SQLite with foreign keys, built from the events one by one. */
import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'
import { copyOf, type Document } from '../support/sqlite-copy.ts'

test('a copy with foreign keys applies the events of created resources one by one', async () => {
  const shop = await openShop()
  const create = async (path: string, body: object) =>
    (await shop.create(path, body)) as Document & { variants: Document[] }
  const parent = await create('/api/categories', { title: 'Clothing' })
  const category = await create('/api/categories', { title: 'Shirts', parent: parent['@id'] })
  const price = { currency: 'EUR', amount: '10.00' }
  const option = (title: string) => ({ title, values: [{ title: 'S' }, { title: 'M' }] })
  const valuesOf = (size: string, fit: string) => [
    { option: 'Size', value: size },
    { option: 'Fit', value: fit },
  ]
  const shirt = (title: string) => ({
    title,
    categories: [category['@id']],
    options: [option('Size'), option('Fit')],
    variants: [
      { optionValues: valuesOf('S', 'S'), saleOffers: [price, { ...price, channel: 'web' }] },
      { optionValues: valuesOf('M', 'S'), saleOffers: [price] },
    ],
  })
  const { body: bulk } = await shop.post('/api/products', { body: [shirt('Linen'), shirt('Wool')] })
  expect(bulk).toMatchObject({ member: [{ variantsTotal: 2 }, { variantsTotal: 2 }] })
  const product = await create('/api/products', shirt('Silk'))
  const added = { optionValues: valuesOf('S', 'M'), saleOffers: [price] }
  const variant = await create(`${product['@id']}/variants`, added)
  await create('/api/purchase_offers', {
    variant: variant['@id'],
    supplier: 'acme',
    cost: '4.00',
    currency: 'EUR',
  })
  await shop.update(product['@id'], { title: 'Silk shirt' })
  await shop.delete(product['@id'], { status: 204 })

  const rows = await copyOf(shop)
  const total = Object.entries(rows).map(([table, { length }]) => `${table} ${length}`)
  expect(total).toEqual([
    'category 2',
    'product 3',
    'product_option 6',
    'option_value 12',
    'variant 7',
    'sale_offer 10',
    'purchase_offer 1',
  ])
  const current = await shop.read(product['@id'])
  expect(rows.product).toContainEqual({ iri: product['@id'], version: current.version })
})

test('the document of a created product or option contains what its commit created after it', async () => {
  const shop = await openShop()
  const body = {
    title: 'Shirt',
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: ['S', 'M'].map((value) => ({ optionValues: [{ option: 'Size', value }] })),
  }
  await shop.create('/api/products', [body, body])
  const feed = await shop.read('/api/events')
  const events = feed.member as { topic: string; document: Record<string, unknown[]> }[]
  expect(events.map(({ topic }) => topic).slice(0, 7)).toEqual([
    'product/created',
    'product_option/created',
    'option_value/created',
    'option_value/created',
    'variant/created',
    'variant/created',
    'product/created',
  ])
  for (const { topic, document } of events) {
    if (topic === 'product/created')
      expect([document.options, document.variants].map((each) => each?.length)).toEqual([1, 2])
    if (topic === 'product_option/created') expect(document.values).toHaveLength(2)
    if (topic === 'variant/created') expect(document.optionValues).toHaveLength(1)
  }
})
