import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { databaseUrls } from '../../test/support/database.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { localSecretKeys } from '../env.ts'
import { withDatabase } from './cli/database.ts'
import { noProgress } from './cli/output.ts'
import { demoPictures, restoreDemo } from './demo.ts'
import type { DemoName } from './local-tenants.ts'
import { restoreCatalogue } from './transfer/restore.ts'
import { enterTenant } from './transfer/tables.ts'

const restore = ({ tenant }: Shop, name: DemoName) =>
  withDatabase(databaseUrls().ownerUrl, (client) =>
    restoreDemo(client, name, { tenantId: tenant.id, port: 4711 }),
  )

type Member = {
  readonly '@id': string
  readonly handle: string
  readonly title: string
  readonly status: string
  readonly fallbacks?: Readonly<Record<string, string>>
  readonly media: readonly { readonly url: string }[]
  readonly variants: readonly {
    readonly sku: string
    readonly barcode: string | null
    readonly resolvedPrice?: { readonly amount: string } | null
  }[]
}

const members = async ({ get }: Shop, path: string, locale?: string): Promise<Member[]> =>
  (await get(path, { status: 200, ...(locale !== undefined && { locale }) })).body.member

test.each([
  ['acme', ['en-US', 'fr-FR', 'de-DE', 'es-ES'], 'becher', 'Becher aus Steinzeug'],
  ['globex', ['fr-FR', 'en-US', 'de-DE', 'es-ES'], 'regenjacken', 'Regenjacke'],
] as const)(
  'the catalogue of %s has one of everything, in all its languages',
  async (name, locales, q, found) => {
    const shop = await openShop({ locales })
    expect(await restore(shop, name)).toBeGreaterThan(200)
    for (const path of [
      'categories',
      'collections',
      'sale_offers',
      'purchase_offers',
      'markets',
      'metaobjects',
    ])
      expect((await members(shop, `/api/${path}`)).length, path).toBeGreaterThan(1)
    expect(await members(shop, '/api/metaobject_definitions')).not.toEqual([])
    for (const collection of await members(shop, '/api/collections')) {
      const body = await shop.read(`/api/products?collection=${collection['@id']}`)
      expect(body.totalItems, collection.handle).toBeGreaterThan(0)
    }
    for (const locale of locales) {
      const products = await members(shop, '/api/products?itemsPerPage=100', locale)
      expect(products.length).toBeGreaterThanOrEqual(12)
      for (const { handle, fallbacks = {} } of products)
        expect(
          Object.keys(fallbacks).filter((property) => property !== 'title'),
          `${handle} ${locale}`,
        ).toEqual([])
    }
    const matches = await members(shop, `/api/products?q=${q}`, 'de-DE')
    expect(matches.map(({ title }) => title)).toContain(found)
  },
)

test.each(['acme', 'globex'] as const)(
  'the file of %s, which an earlier migration wrote, can be restored as it is',
  async (name) => {
    const file = join(import.meta.dirname, `demo/${name}.ndjson`)
    const { tenant } = JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '')
    const { host } = await openShop({ locales: tenant.locales })
    const restored = withDatabase(databaseUrls().ownerUrl, async (client) => {
      const surroundings = { client, secretKeys: localSecretKeys, progress: noProgress }
      return restoreCatalogue({ ...surroundings, tenant: await enterTenant(client, host) }, file)
    })
    expect(await restored).toMatchObject({ equal: true })
  },
)

test('the prices have examples of a sale that is over, one that is on, and one to come', async () => {
  const shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE', 'es-ES'] })
  await restore(shop, 'acme')
  const price = async (sku: string, at: string) => {
    const context = `resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${at}`
    const products = await members(shop, `/api/products?sku=${sku}&${context}`)
    return products.flatMap(({ variants }) => variants).find((variant) => variant.sku === sku)?.resolvedPrice
      ?.amount
  }
  const prices = [
    ['LAMP', '2026-01-10T00:00:00Z'],
    ['LAMP', '2026-03-01T00:00:00Z'],
    ['LAMP', '2026-12-01T00:00:00Z'],
    ['HOODIE-GREY-M', '2026-12-01T00:00:00Z'],
    ['HOODIE-GREY-M', '2030-01-10T00:00:00Z'],
  ] as const
  expect(await Promise.all(prices.map(([sku, at]) => price(sku, at)))).toEqual([
    '99.00',
    '129.00',
    '105.00',
    '69.00',
    '49.00',
  ])
})

test('every picture exists, and its URL has the port of the service', async () => {
  const shop = await openShop({ locales: ['fr-FR', 'en-US', 'de-DE', 'es-ES'] })
  await restore(shop, 'globex')
  const products = await members(shop, '/api/products?itemsPerPage=100')
  const urls = products.flatMap(({ media }) => media.map(({ url }) => url))
  expect(urls.length).toBeGreaterThan(10)
  for (const url of urls) {
    expect(url).toMatch(/^http:\/\/localhost:4711\/admin\/demo-/)
    expect(existsSync(join(demoPictures, url.split('/').at(-1) ?? '')), url).toBe(true)
  }
})

test('a tenant that was written to keeps its catalogue', async () => {
  const shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE', 'es-ES'] })
  await shop.create('/api/categories', { title: 'Mine' })
  expect(await restore(shop, 'acme')).toBe(0)
  expect(await members(shop, '/api/products')).toEqual([])
})

test('barcodes are valid', async () => {
  const shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE', 'es-ES'] })
  await restore(shop, 'acme')
  const products = await members(shop, '/api/products?itemsPerPage=100')
  const barcodes = products.flatMap(({ variants }) => variants.flatMap(({ barcode }) => barcode ?? []))
  expect(barcodes.length).toBeGreaterThan(0)
  for (const barcode of barcodes) expect(checkSum(barcode), barcode).toBe(0)
})

/** Zero for a valid GTIN: digits weighted 1 and 3 from the right (GS1 General Specifications §7.9). */
function checkSum(gtin: string): number {
  return (
    [...gtin].reverse().reduce((sum, digit, place) => sum + Number(digit) * (place % 2 === 0 ? 1 : 3), 0) % 10
  )
}
