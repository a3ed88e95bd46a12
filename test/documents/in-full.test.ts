/** A product with everything that can be on it: it fits its schema, and JSON-LD loses nothing of it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { differingVersions } from '../support/differing-versions.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { thereAndBack, withoutNulls } from './linked-data.ts'
import { operations, type Published, published } from './published.ts'

const question =
  'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-10-01T00:00:00Z'
const operation = (name: string) => operations.find((each) => each.name === name)!

let shop: Shop
let product: { '@id': string; variants: { '@id': string }[] }
beforeAll(async () => {
  shop = await openShop()
  const made = shop.create
  const type = '/api/metafield_definition_types/'
  const fieldDefinitions = [{ key: 'title', type: `${type}single_line_text_field`, translatable: true }]
  const definition = await made('/api/metaobject_definitions', {
    type: 'fabric',
    fieldDefinitions,
    displayNameField: 'title',
  })
  const cotton = await made('/api/metaobjects', {
    definition: definition['@id'],
    status: 'ACTIVE',
    fields: { title: 'Cotton' },
  })
  const leaf = await made('/api/categories', { title: 'T-shirts' })
  const branch = await made('/api/categories', { title: 'Shirts', children: [leaf['@id']] })
  const root = await made('/api/categories', { title: 'Clothes', children: [branch['@id']] })
  const fields = [
    { key: 'fabric', value: cotton['@id'], type: `${type}metaobject_reference` },
    { key: 'washing', value: '30 °C' },
  ]
  product = await made('/api/products', {
    title: 'Shirt',
    description: '<p>Soft.</p>',
    status: 'ACTIVE',
    channels: ['web', 'store'],
    tags: ['soft'],
    vendor: 'Acme',
    externalId: 'erp-1',
    media: [{ url: 'https://www.example.com/shirt.jpg', alt: 'A shirt' }],
    seo: { title: 'Shirt' },
    fields,
    categories: [root['@id'], leaf['@id']],
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [
      {
        optionValues: [{ option: 'Size', value: 'S' }],
        sku: 'S',
        weight: { value: 0.2, unit: 'kg' },
        fields,
      },
      { optionValues: [{ option: 'Size', value: 'M' }], media: [{ url: 'https://www.example.com/m.jpg' }] },
    ],
  })
  const [variant, archived] = product.variants
  const offer = { variant: variant!['@id'], currency: 'EUR', validFrom: '2026-01-01T00:00:00Z' }
  await made('/api/sale_offers', [
    { ...offer, amount: '19.90', compareAtAmount: '24.90', countries: ['FR'], channel: 'web' },
    { ...offer, amount: '17.90', minQuantity: 10 },
  ])
  const collection = {
    title: 'Soft',
    rules: { match: 'ANY', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'soft' }] },
  }
  await made('/api/collections', { ...collection, type: 'RULE_BASED' })
  await shop.delete(archived!['@id'], { status: 204 })
})

describe.each(differingVersions)('in version %s', (version) => {
  let documents: Published
  beforeAll(async () => {
    documents = await published(shop, version)
  })
  const children = version < '2026-07' ? 'childrens' : 'children'
  const expand = `expand=${children}.${children}`

  test.each([
    ['listProducts', () => `/api/products?${question}&${expand}`],
    ['getProduct', () => `${product['@id']}?${question}&explain=price`],
    ['getProduct', () => `${product['@id']}?properties[]=title&properties[variants][]=sku`],
    ['listVariants', () => `${product['@id']}/variants?status=ARCHIVED`],
    ['getVariant', () => `${product.variants[0]!['@id']}?${question}&${expand}`],
    ['listCategories', () => `/api/categories?${expand}`],
    ['listSaleOffers', () => `/api/sale_offers?${expand}`],
    ['listCollections', () => '/api/collections'],
    ['listMetaobjects', () => '/api/metaobjects'],
    ['listEvents', () => '/api/events?itemsPerPage=100'],
  ])('%s (%#)', async (name, path) => {
    const reply = await shop.get(path(), { version, locale: 'fr-FR', status: 200 })
    expect(documents.faults(operation(name), reply).join('\n')).toBe('')
    const { compacted } = await thereAndBack(shop, path(), reply.body)
    expect(withoutNulls(compacted)).toEqual(withoutNulls(reply.body))
  })

  test('resources that were created together are a list', async () => {
    const body = [{ title: `A ${version}` }, { title: `B ${version}` }]
    const reply = await shop.post('/api/products', { body, version, status: 201 })
    expect(documents.faults(operation('createProducts'), reply).join('\n')).toBe('')
  })

  test('a conflict, a stale version, a used key and several violations at once are errors as described', async () => {
    const key = { headers: { 'idempotency-key': `key-${version}` }, version }
    await shop.post('/api/products', { ...key, body: { title: `K ${version}` }, status: 201 })
    const replies = [
      await shop.post('/api/products', { ...key, body: { title: 'Another' }, status: 422 }),
      await shop.post('/api/products', {
        version,
        body: [{ title: '' }, { title: 7, status: 'SOLD' }],
        status: 422,
      }),
      await shop.post('/api/products', { version, body: { title: 'A', externalId: 'erp-1' }, status: 409 }),
    ]
    for (const reply of replies) {
      expect(documents.faults(operation('createProducts'), reply).join('\n')).toBe('')
    }
    const stale = { body: { vendor: 'B' }, version, headers: { 'if-match': '"99.x"' }, status: 412 }
    const reply = await shop.patch(product['@id'], stale)
    expect(documents.faults(operation('patchProduct'), reply).join('\n')).toBe('')
  })
})
