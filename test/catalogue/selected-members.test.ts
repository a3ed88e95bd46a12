/** A list of products with `properties[]` builds only the selected members; the response is the whole list, reduced. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { isJsonArray, isJsonObject, type Json } from '../../src/core/json.ts'
import { select, selectionOf } from '../../src/core/select.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
  const category = await shop.post('/api/categories', { body: { title: 'Light' }, status: 201 })
  await shop.post('/api/products', {
    body: {
      title: 'Lamp',
      description: 'It gives light.',
      status: 'ACTIVE',
      tags: ['new'],
      categories: [category.body['@id']],
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
      variants: ['S', 'M'].map((value) => ({
        sku: `LAMP-${value}`,
        optionValues: [{ option: 'Size', value }],
        saleOffers: [{ currency: 'EUR', amount: '5.00', compareAtAmount: '6.00' }],
      })),
    },
    status: 201,
  })
  const { body } = await shop.post('/api/products', { body: { title: 'Bare' }, status: 201 })
  await shop.patch(body['@id'], { body: { title: 'Nu' }, locale: 'fr-FR', status: 200 })
})

/** The paths of all members of a document, at every depth. */
function pathsIn(value: Json): string[][] {
  if (isJsonArray(value)) return value.flatMap(pathsIn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...pathsIn(member).map((path) => [name, ...path]),
  ])
}

const parameterOf = (path: readonly string[]) => {
  const [last = ''] = path.slice(-1)
  return `properties${path
    .slice(0, -1)
    .map((name) => `[${name}]`)
    .join('')}[]=${encodeURIComponent(last)}`
}

const priced =
  'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'

test.each([
  ['2026-01', 'en-US', ''],
  ['2026-10', 'en-US', priced],
  ['2026-04', 'fr-FR', priced],
  ['unstable', 'fr-FR', ''],
])('any selection reduces the list: %s, %s, %s', async (version, locale, query) => {
  const read = async (more: readonly string[]) =>
    (await shop.get(`/api/products?${[query, ...more].join('&')}`, { version, locale, status: 200 })).body
      .member
  const whole: Json[] = await read([])
  const paths = [...new Map(pathsIn(whole).map((path) => [path.join('.'), path])).values()]
  expect(paths.length).toBeGreaterThan(50)
  const path = fc.constantFrom(...paths)
  const anyPath = fc
    .tuple(path, fc.nat(3))
    .map(([names, place]) => names.map((name, index) => (index === place && index > 0 ? '*' : name)))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 4, arbitrary: path }, anyPath), { minLength: 1, maxLength: 6 }),
      async (chosen) => {
        const selection = selectionOf(chosen)
        const expected = whole.map((document) =>
          isJsonObject(document) ? select(document, selection) : document,
        )
        expect(await read(chosen.map(parameterOf))).toEqual(expected)
      },
    ),
    { seed: 1, numRuns: 60 },
  )
})
