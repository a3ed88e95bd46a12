/** Whatever is wrong with a body of a megabyte, its refusal is small, and says how much is wrong; counting ends at 1,000. */
import { beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const times = <Each>(count: number, each: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, index) => each(index))
const named = (count: number, value: unknown) =>
  Object.fromEntries(times(count, (index) => [`k${index}`, value]))
const iri = '/api/categories/01900000-0000-7000-8000-000000000000'

const product = '/api/products'

const bodies: readonly [string, string, unknown, number][] = [
  [
    'variants of many products',
    product,
    times(40, () => ({ title: 'A', variants: times(2500, () => ({ sku: 1 })) })),
    1000,
  ],
  [
    'elements in elements',
    product,
    { title: 'A', variants: times(2000, () => ({ media: times(250, () => 0) })) },
    1000,
  ],
  ['too many variants', product, { title: 'A', variants: times(90_000, () => ({ sku: 1 })) }, 1],
  ['too many tags, and a handle', product, { title: 'A', tags: times(200_000, () => 0), handle: '-' }, 2],
  ['too many categories', product, { title: 'A', categories: times(60_000, () => ({ children: [0] })) }, 1],
  [
    'children of a category',
    product,
    { title: 'A', categories: [{ '@id': iri, children: times(400_000, () => 0) }] },
    1,
  ],
  [
    'options and values',
    product,
    times(40, () => ({ title: 'A', options: times(10, () => ({ values: times(250, () => ({})) })) })),
    1000,
  ],
  ['fields by key', product, { title: 'A', fields: named(42_000, { value: {} }) }, 1000],
  ['fields in a list', product, { title: 'A', fields: times(90_000, () => ({})) }, 1],
  [
    'fields in variants',
    product,
    times(50, () => ({ title: 'A', variants: times(80, () => ({ fields: times(50, () => 0) })) })),
    1000,
  ],
  ['children', '/api/categories', { title: 'A', children: times(9000, () => 0) }, 1000],
  ['countries', '/api/sale_offers', times(250, () => ({ countries: times(249, () => 'ZZ') })), 1000],
  ['conditions', '/api/collections', { title: 'A', rules: { conditions: times(90_000, () => ({})) } }, 1],
  [
    'field definitions',
    '/api/metaobject_definitions',
    { type: 'a', fieldDefinitions: times(90_000, () => ({})) },
    1,
  ],
  [
    'rules of fields',
    '/api/metaobject_definitions',
    {
      type: 'a',
      fieldDefinitions: times(100, () => ({
        key: 'a',
        type: `/api/metafield_definition_types/json`,
        validations: times(5000, () => 0),
      })),
    },
    100,
  ],
  [
    'metaobject fields',
    '/api/metaobjects',
    { definition: iri.replace('categories', 'metaobject_definitions'), fields: named(42_000, {}) },
    1000,
  ],
  [
    'paths',
    '/api/webhook_subscriptions',
    { topic: '*', callbackUrl: 'https://a.example/', includeFields: times(90_000, () => 0) },
    1,
  ],
]

test.for(bodies)('%s', async ([, path, body, total]) => {
  const { body: problem, text } = await shop.post(path, { body, status: 422 })
  expect(problem.violationsTotal).toBe(total)
  expect(problem.violations).toHaveLength(Math.min(total, 100))
  expect(text.length).toBeLessThan(50_000)
})

test('names as long as a body are not repeated for all that is below them', async () => {
  const made = await shop.create(product, { title: 'A' })
  const locale = 'l'.repeat(500_000)
  const { body, text } = await shop.put(`${made['@id']}/translations`, {
    body: { translations: { [locale]: named(40_000, 1) } },
    headers: { Prefer: 'handling=strict' },
    status: 422,
  })
  expect([body.violationsTotal, body.violations.length]).toEqual([1000, 100])
  expect(text.length).toBeLessThan(150_000)
})

test('unknown members are counted under strict handling, and ignored without it', async () => {
  const body = { title: 'A', ...named(60_000, 1) }
  await shop.create(product, body)
  const refused = await shop.post(product, { body, headers: { Prefer: 'handling=strict' }, status: 422 })
  expect([refused.body.violationsTotal, refused.body.violations.length]).toEqual([1000, 100])
})

test('fewer than a thousand violations are counted exactly, and a hundred are listed', async () => {
  const variants = times(250, () => ({ sku: 1, barcode: 2 }))
  const { body } = await shop.post(product, { body: { title: 7, variants }, status: 422 })
  expect([body.violationsTotal, body.violations.length]).toEqual([501, 100])
  const one = await shop.post(product, { body: { title: 7 }, status: 422 })
  expect([one.body.violationsTotal, one.body.violations.length]).toEqual([1, 1])
})
