/** The header that names the next change of a price. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

let shop: Shop
let product: string
/** The first has a price that ends in March, the second one that begins in February, the third has none. */
let variants: string[]

const march = '2027-03-01T00:00:00.000000Z'
const february = '2027-02-01T00:00:00.000000Z'

beforeAll(async () => {
  shop = await openShop()
  const created = await shop.create('/api/products', {
    title: 'Mug',
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }, { title: 'L' }] }],
    variants: ['S', 'M', 'L'].map((value) => ({ optionValues: [{ option: 'Size', value }] })),
  })
  product = created['@id']
  variants = created.variants.map((variant: { '@id': string }) => variant['@id'])
  const terms = { currency: 'EUR', amount: '10.00' }
  await shop.create('/api/sale_offers', { ...terms, variant: variants[0], validUntil: march })
  await shop.create('/api/sale_offers', { ...terms, variant: variants[1], validFrom: february })
})

const context = (at: string) =>
  `resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${at}`

const untilOf = async (path: string, at: string, more = '') =>
  (await shop.get(`${path}?${context(at)}${more}`, { status: 200 })).headers.get('service-prices-until')

describe('Service-Prices-Until', () => {
  test('is the first change of a price in a list, also of a variant without a price yet', async () => {
    for (const path of ['/api/products', product, `${product}/variants`]) {
      expect(await untilOf(path, '2027-01-01T00:00:00Z')).toBe(february)
      expect(await untilOf(path, '2027-02-01T00:00:00Z')).toBe(march)
      expect(await untilOf(path, '2027-03-01T00:00:00Z')).toBeNull()
    }
  })

  test('of one variant is the change of its own price', async () => {
    const at = '2027-01-01T00:00:00Z'
    const all = await Promise.all(variants.map((variant) => untilOf(variant, at)))
    expect(all).toEqual([march, february, null])
    expect(await untilOf(variants[1]!, at, '&explain=price')).toBe(february)
  })

  test('is present if nextChangeAt is not selected, and absent if no price is', async () => {
    const at = '2027-01-01T00:00:00Z'
    const inProduct = '&properties[variants][resolvedPrice][]=amount'
    expect(await untilOf('/api/products', at, inProduct)).toBe(february)
    expect(await untilOf(product, at, inProduct)).toBe(february)
    expect(await untilOf(`${product}/variants`, at, '&properties[resolvedPrice][]=amount')).toBe(february)
    for (const path of ['/api/products', product, `${product}/variants`, variants[0]!])
      expect(await untilOf(path, at, '&properties[]=sku'), path).toBeNull()
    expect((await shop.get(product)).headers.get('service-prices-until')).toBeNull()
  })

  test('is also in a 304 and in the response of a cache', async () => {
    const path = `/api/products?${context('2027-01-01T00:00:00Z')}`
    const { headers } = await shop.get(path, { status: 200 })
    const again = await shop.get(path, { headers: { 'If-None-Match': headers.get('etag') }, status: 304 })
    expect(again.headers.get('service-prices-until')).toBe(february)
  })
})
