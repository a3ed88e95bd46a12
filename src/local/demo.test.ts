import { afterEach, beforeEach, expect, test } from 'vitest'
import { acme } from './demo/acme.ts'
import { globex } from './demo/globex.ts'
import { type DemoCategory, english } from './demo/model.ts'
import { variantsOf } from './demo/variants.ts'
import { seedDemo } from './demo.ts'
import { startFakeCatalogue } from './fake-catalogue.ts'

let service: Awaited<ReturnType<typeof startFakeCatalogue>>

beforeEach(async () => {
  service = await startFakeCatalogue({ locales: ['fr-FR', 'en-US'] })
})

afterEach(() => service.close())

const seed = (host: string) =>
  seedDemo({ port: service.port, host, token: 'good', now: new Date('2026-03-10T15:00:00Z') })

test.each(['acme.localhost', 'globex.localhost'])(
  '%s is seeded in both languages, and once only',
  async (host) => {
    const first = await seed(host)
    expect(first.products).toBeGreaterThanOrEqual(12)
    expect(first.offers).toBeGreaterThan(60)
    expect(service.products).toHaveLength(first.products)
    expect(service.offers).toHaveLength(first.offers)
    for (const { title } of [...service.products, ...service.categories])
      expect(Object.keys(title as object)).toContain('en-US')
    const french = service.products.filter(({ title }) => 'fr-FR' in (title as object))
    expect(french).toHaveLength(first.products)

    service.takeWrites()
    expect(await seed(host)).toEqual({ products: 0, offers: 0 })
    expect(service.takeWrites()).toEqual([])
  },
)

test('a French text that somebody wrote is not overwritten', async () => {
  await seed('acme.localhost')
  service.products[0]!.title = { 'en-US': 'Organic cotton T-shirt', 'fr-FR': 'Mon T-shirt' }
  await seed('acme.localhost')
  expect(service.products[0]!.title).toMatchObject({ 'fr-FR': 'Mon T-shirt' })
})

test('windows count from the midnight before seeding', async () => {
  await seed('acme.localhost')
  const sale = service.offers.find(({ externalId }) => externalId === 'demo:LAMP:black-week')
  expect(sale).toMatchObject({
    validFrom: '2026-03-08T00:00:00.000Z',
    validUntil: '2026-03-15T00:00:00.000Z',
  })
})

test('a refusal of the service says what was refused', async () => {
  service.troubles.push({ status: 200, body: { member: [] } })
  service.troubles.push({
    status: 422,
    body: { message: 'Not valid.', violations: [{ propertyPath: '[2].title', message: 'Too long.' }] },
  })
  await expect(seed('acme.localhost')).rejects.toThrow(
    /\/api\/categories \(422\): Not valid\.\s+\[2\]\.title: Too long\./,
  )
})

test('an unknown host has no demo', async () => {
  await expect(seed('initech.localhost')).rejects.toThrow('only for acme, globex')
})

const levels = (categories: DemoCategory[]): number =>
  categories.length === 0 ? 0 : 1 + Math.max(...categories.map(({ children = [] }) => levels(children)))
const handles = (categories: DemoCategory[]): string[] =>
  categories.flatMap(({ handle, children = [] }) => [handle, ...handles(children)])

test.each([
  ['acme', acme],
  ['globex', globex],
])('the data of %s keeps the rules of the service', (_, { categories, products }) => {
  expect(levels(categories)).toBe(3)
  const known = handles(categories)
  const skus = products.flatMap((product) => variantsOf(product).map(({ sku }) => sku))
  expect(new Set(skus).size).toBe(skus.length)
  expect(new Set(known).size).toBe(known.length)
  expect(new Set(products.map(({ handle }) => handle)).size).toBe(products.length)
  for (const product of products) {
    expect(product.handle).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    for (const category of product.categories) expect(known, product.handle).toContain(category)
    const names = product.offers.map(({ name }) => name)
    expect(new Set(names).size, product.handle).toBe(names.length)
    for (const { amount, compareAt, only = {}, name } of product.offers) {
      if (compareAt) expect(Number(compareAt), `${product.handle} ${name}`).toBeGreaterThan(Number(amount))
      for (const [option, value] of Object.entries(only)) {
        const values = product.options?.find(({ title }) => english(title) === option)?.values ?? []
        expect(values.map(english), `${product.handle} ${name}`).toContain(value)
      }
    }
    if (product.barcode) expect(checkSum(product.barcode), product.handle).toBe(0)
  }
})

/** Zero for a valid GTIN: digits weighted 1 and 3 from the right (GS1 General Specifications §7.9). */
function checkSum(gtin: string): number {
  return (
    [...gtin].reverse().reduce((sum, digit, place) => sum + Number(digit) * (place % 2 === 0 ? 1 : 3), 0) % 10
  )
}
