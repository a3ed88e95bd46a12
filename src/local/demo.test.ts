import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDoorstep } from '../../test/support/doorstep.ts'
import { acme } from './demo/acme.ts'
import { globex } from './demo/globex.ts'
import { type DemoCategory, demoLocales, english, type Text, textIn } from './demo/model.ts'
import { variantsOf } from './demo/variants.ts'
import { seedDemo } from './demo.ts'
import { startFakeCatalogue } from './fake-catalogue.ts'

let service: Awaited<ReturnType<typeof startFakeCatalogue>>

beforeEach(async () => {
  service = await startFakeCatalogue({ locales: ['fr-FR', 'en-US', 'de-DE', 'es-ES'] })
})

afterEach(() => service.close())

const seed = (host: string) =>
  seedDemo({
    port: service.port,
    host,
    token: 'good',
    timeZone: 'Europe/Paris',
    now: new Date('2026-03-10T15:00:00Z'),
  })

test.each(['acme.localhost', 'globex.localhost'])(
  '%s is seeded in all languages, and once only',
  async (host) => {
    const first = await seed(host)
    expect(first.products).toBeGreaterThanOrEqual(12)
    expect(first.offers).toBeGreaterThan(60)
    expect(service.products).toHaveLength(first.products)
    expect(service.offers).toHaveLength(first.offers)
    for (const { title } of [...service.products, ...service.categories])
      expect(Object.keys(title as object)).toContain('en-US')
    for (const { title, description } of service.products) {
      expect(Object.keys(description as object)).toEqual(demoLocales)
      expect(Object.keys(title as object)).toEqual(expect.arrayContaining(['en-US', 'fr-FR']))
    }

    service.takeWrites()
    expect(await seed(host)).toEqual({ products: 0, offers: 0 })
    expect(service.takeWrites()).toEqual([])
  },
)

test('products come with their prices, and those of products that were there are added', async () => {
  const posts = () => service.takeWrites().flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
  const { offers } = await seed('acme.localhost')
  expect(posts()).not.toContain('/api/sale_offers')
  const { variant, externalId } = service.offers[0]!
  service.offers.splice(0, 1)
  expect(await seed('acme.localhost')).toEqual({ products: 0, offers: 1 })
  expect(posts()).toEqual(['/api/sale_offers'])
  expect(service.offers.at(-1)).toMatchObject({ variant, externalId })
  expect(service.offers).toHaveLength(offers)
})

test('a text that somebody wrote is not overwritten, and what is missing beside it is added', async () => {
  await seed('acme.localhost')
  service.products[0]!.title = { 'en-US': 'My T-shirt', 'fr-FR': 'Mon T-shirt' }
  await seed('acme.localhost')
  expect(service.products[0]!.title).toEqual({
    'en-US': 'My T-shirt',
    'fr-FR': 'Mon T-shirt',
    'de-DE': 'T-Shirt aus Bio-Baumwolle',
    'es-ES': 'Camiseta de algodón ecológico',
  })
})

test('texts in another language stay, and one that was taken away does not come back', async () => {
  await seed('acme.localhost')
  const [shirt] = service.products
  Object.assign(shirt!, { title: { 'en-US': 'T-shirt', 'it-IT': 'Maglietta' }, description: {} })
  await seed('acme.localhost')
  expect(Object.keys(shirt!.title as object).toSorted()).toEqual([
    'de-DE',
    'en-US',
    'es-ES',
    'fr-FR',
    'it-IT',
  ])
  expect(shirt!.description).toEqual({})
})

const everyText = (node: unknown): Text[] => {
  if (Array.isArray(node)) return node.flatMap(everyText)
  if (typeof node !== 'object' || node === null) return []
  return 'en' in node ? [node as Text] : Object.values(node).flatMap(everyText)
}

test.each([
  ['acme', acme],
  ['globex', globex],
])('the texts of %s are there in every language, none of them twice in one list of values', (_, demo) => {
  for (const text of everyText(demo)) {
    for (const locale of demoLocales) expect(textIn(text, locale).trim(), textIn(text, 'en-US')).not.toBe('')
  }
  for (const { options = [], handle } of demo.products) {
    for (const locale of demoLocales) {
      const titles = options.map(({ title }) => textIn(title, locale))
      expect(new Set(titles).size, `${handle} ${locale}`).toBe(titles.length)
      for (const { values } of options) {
        const known = values.map((value) => textIn(value, locale))
        expect(new Set(known).size, `${handle} ${locale}`).toBe(known.length)
      }
    }
  }
})

test.each([
  ['acme', ['en-US', 'fr-FR', 'de-DE', 'es-ES'], 'becher', 'Becher aus Steinzeug'],
  ['globex', ['fr-FR', 'en-US', 'de-DE', 'es-ES'], 'regenjacken', 'Regenjacke'],
] as const)(
  'the service takes the demo of %s and reads and finds it in every language',
  async (name, locales, q, found) => {
    const { shop, origin, close } = await openDoorstep(
      {},
      { host: `${name}.${randomUUID().slice(0, 8)}.test`, locales },
    )
    try {
      const options = {
        port: Number(new URL(origin).port),
        host: shop.host,
        token: await shop.token(),
        timeZone: 'Europe/Paris',
      }
      const { products } = await seedDemo(options)
      for (const locale of locales) {
        const { body } = await shop.get('/api/products?itemsPerPage=100', { locale, status: 200 })
        expect(body.member).toHaveLength(products)
        const fellBack = (each: { fallbacks?: Record<string, string> }) => Object.keys(each.fallbacks ?? {})
        for (const each of body.member)
          expect(fellBack(each).filter((field) => field !== 'title')).toEqual([])
      }
      const { body } = await shop.get(`/api/products?q=${q}`, { locale: 'de-DE', status: 200 })
      expect(body.member.map((each: { title: string }) => each.title)).toContain(found)
      const before = (await shop.get('/api/events?itemsPerPage=0', { status: 200 })).headers.get(
        'service-sequence',
      )
      expect(await seedDemo(options)).toEqual({ products: 0, offers: 0 })
      const after = (await shop.get('/api/events?itemsPerPage=0', { status: 200 })).headers.get(
        'service-sequence',
      )
      expect(after).toBe(before)
    } finally {
      await close()
    }
  },
  60_000,
)

test('windows count from the shop’s midnight before seeding', async () => {
  await seed('acme.localhost')
  const sale = service.offers.find(({ externalId }) => externalId === 'demo:LAMP:black-week')
  expect(sale).toMatchObject({
    validFrom: '2026-03-07T23:00:00.000Z',
    validUntil: '2026-03-14T23:00:00.000Z',
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
