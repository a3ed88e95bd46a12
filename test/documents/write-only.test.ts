/** Properties that can only be written: documented for bodies, and for no response. */
import { beforeAll, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { documentedVersions, published } from './published.ts'

const members = resources.flatMap(({ shape }) =>
  Object.entries(shape.properties).flatMap(([name, { writeOnly }]) =>
    writeOnly ? [[shape.type, name] as const] : [],
  ),
)

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

test('there is one', () => {
  expect(members).toEqual([['Variant', 'saleOffers']])
})

describe.each(documentedVersions)('in version %s', (version) => {
  test.each(members)('%s/%s is in bodies and not in documents', async (type, name) => {
    const { document } = await published(shop, version)
    const { schemas } = document.components
    expect(schemas[type].properties).not.toHaveProperty(name)
    expect(schemas[`${type}Patch`].properties).not.toHaveProperty(name)
    expect(schemas[`${type}Create`].properties[name]).toMatchObject({ writeOnly: true })
    const { supportedClass } = await shop.read('/api/docs.jsonld', { version })
    const own = supportedClass.find((each: { title: string }) => each.title === type)
    const property = own.supportedProperty.find((each: { title: string }) => each.title === name)
    expect(property).toMatchObject({ readable: false, writeable: true, writable: true, required: false })
  })

  test('the prices of a new variant are described as /api/sale_offers takes them, but for the variant', async () => {
    const { document, validator } = await published(shop, version)
    const { ProductCreate, VariantCreate, SaleOfferCreate } = document.components.schemas
    const { variant: _, ...alone } = SaleOfferCreate.properties
    for (const { saleOffers } of [
      VariantCreate.properties,
      ProductCreate.properties.variants.items.properties,
    ]) {
      expect(saleOffers).toMatchObject({ type: ['array', 'null'], maxItems: 250 })
      expect(saleOffers.items.properties).toEqual(alone)
      expect(saleOffers.items.required).toEqual(['currency', 'amount'])
    }
    const { value } = document.components.examples.createProductsRequest
    expect(value.variants[0].saleOffers).toEqual([{ currency: 'EUR', amount: '89.00' }])
    expect(validator('ProductCreate')(value)).toBe(true)
  })

  test('the operations say what scope prices take', async () => {
    const { paths } = (await published(shop, version)).document
    const said = (path: string, method: string) => paths[path][method].description
    expect(said('/api/products', 'post')).toContain(
      'Needs the scope `products:write`. With `variants`, `sale_offers:write` for their `saleOffers` as well.',
    )
    expect(said('/api/products/{productId}/variants', 'post')).toContain(
      'With `saleOffers`, `sale_offers:write` as well.',
    )
    expect(said('/api/products/{id}', 'patch')).not.toContain('saleOffers')
    expect(said('/api/products/{productId}/variants/{variantId}', 'patch')).not.toContain('saleOffers')
  })
})

test.each(['variants.saleOffers', 'variants.nothing'])(
  '%s can neither be expanded nor included',
  async (path) => {
    const product = await shop.create('/api/products', { title: 'Shirt' })
    await shop.get(`${product['@id']}?expand=${path}`, { status: 422 })
    const body = {
      topic: 'product/*',
      callbackUrl: 'https://hooks.test.com/a',
      includeFields: ['title', path],
    }
    const headers = { prefer: 'handling=strict' }
    const refused = await shop.post('/api/webhook_subscriptions', { body, headers, status: 422 })
    expect(refused.body.violations[0].propertyPath).toBe('includeFields[1]')
  },
)
