import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

/** Counts the products that match unsaved rules: the same number that the collection would contain. */

type Condition = readonly [field: string, operator: string, value: string]

const rulesOf = (match: 'ALL' | 'ANY', ...conditions: readonly Condition[]) => ({
  match,
  conditions: conditions.map(([field, operator, value]) => ({ field, operator, value })),
})

async function open() {
  const shop = await openShop()
  const hats = (await shop.create('/api/categories', { title: 'Hats' }))['@id']
  const product = (title: string, properties: object = {}) => ({ title, ...properties })
  await shop.create('/api/products', [
    product('Straw hat', {
      tags: ['Summer', 'straw'],
      categories: [hats],
      channels: ['web'],
      status: 'ACTIVE',
    }),
    product('STRAW bag', { tags: ['summer'], vendor: 'Café Noir', productType: 'Bag' }),
    product('Wool cap', { vendor: 'CAFE\u0301 NOIR', categories: [hats], channels: ['web', 'pos'] }),
    product('ΟΔΟΣ İstanbul', { tags: ['100%', 'a_b'], productType: 'ΣΟΦΟΣ' }),
    product('Gone', { tags: ['summer'] }),
  ])
  const unpublished = (await shop.read('/api/products?q=gone')).member[0]
  await shop.delete(unpublished['@id'], { status: 204 })
  return { shop, hats }
}

const count = async (shop: Shop, rules: object) =>
  (await shop.post('/api/collections/count', { body: { rules }, status: 200 })).body

describe('rules that are not saved', () => {
  test('find as many products as the collection that is made of them', async () => {
    const { shop, hats } = await open()
    const cases: readonly (readonly [number, ReturnType<typeof rulesOf>])[] = [
      [2, rulesOf('ALL', ['title', 'CONTAINS', 'straw'])],
      [1, rulesOf('ALL', ['title', 'STARTS_WITH', 'οδος'])],
      [1, rulesOf('ALL', ['title', 'ENDS_WITH', 'İSTANBUL'])],
      [1, rulesOf('ALL', ['title', 'EQUALS', 'wool CAP'])],
      [2, rulesOf('ALL', ['title', 'NOT_CONTAINS', 'straw'])],
      [2, rulesOf('ALL', ['tag', 'EQUALS', 'SUMMER'])],
      [2, rulesOf('ALL', ['tag', 'NOT_EQUALS', 'summer'])],
      [1, rulesOf('ALL', ['tag', 'EQUALS', '100%'])],
      [2, rulesOf('ALL', ['vendor', 'EQUALS', 'café noir'])],
      [2, rulesOf('ALL', ['vendor', 'NOT_EQUALS', 'Café Noir'])],
      [2, rulesOf('ALL', ['vendor', 'NOT_CONTAINS', 'noir'])],
      [1, rulesOf('ALL', ['productType', 'EQUALS', 'σοφος'])],
      [0, rulesOf('ALL', ['title', 'CONTAINS', '%'])],
      [2, rulesOf('ALL', ['category', 'EQUALS', hats])],
      [2, rulesOf('ALL', ['category', 'NOT_EQUALS', hats])],
      [1, rulesOf('ALL', ['channel', 'EQUALS', 'pos'])],
      [2, rulesOf('ALL', ['channel', 'NOT_EQUALS', 'web'])],
      [1, rulesOf('ALL', ['status', 'EQUALS', 'ACTIVE'])],
      [4, rulesOf('ALL', ['createdAt', 'AFTER', '2020-01-01T00:00:00Z'])],
      [0, rulesOf('ALL', ['createdAt', 'BEFORE', '2020-01-01T00:00:00Z'])],
      [1, rulesOf('ALL', ['tag', 'EQUALS', 'summer'], ['category', 'EQUALS', hats])],
      [3, rulesOf('ANY', ['tag', 'EQUALS', 'summer'], ['category', 'EQUALS', hats])],
    ]
    for (const [expected, rules] of cases) {
      const counted = await count(shop, rules)
      const collection = await shop.create('/api/collections', { title: 'Counted', rules })
      await shop.rest()
      const { productsCount } = await shop.read(collection['@id'])
      expect([rules.conditions, counted.productsCount, counted.atLeast, productsCount]).toEqual([
        rules.conditions,
        expected,
        expected,
        expected,
      ])
    }
  })

  test('take the scopes of both, and see no other tenant', async () => {
    const { shop } = await open()
    const body = { rules: rulesOf('ALL', ['title', 'CONTAINS', 'a']) }
    for (const scope of ['collections:read', 'products:read', 'collections:write products:read']) {
      await shop.post('/api/collections/count', { body, token: await shop.token({ scope }), status: 403 })
    }
    const token = await shop.token({ scope: 'collections:read products:read' })
    await shop.post('/api/collections/count', { body, token, status: 200 })
    expect((await count(await openShop(), body.rules)).productsCount).toBe(0)
  })
})
