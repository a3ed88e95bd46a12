/** The client's verification of a copy, and the program that keeps one in SQLite. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Doorstep, openDoorstep } from '../support/doorstep.ts'

type Json = ReturnType<typeof JSON.parse>

const root = join(import.meta.dirname, '../..')
// The client has a compiler of its own.
const { copyDifferences, createCatalogueClient, sync, verify } = await import(
  /* @vite-ignore */ `${root}/src/client/index.ts`
)

let door: Doorstep
let token: string
let catalogue: Json
let variant: string
beforeAll(async () => {
  door = await openDoorstep()
  token = await door.shop.token()
  catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const { create } = door.shop
  const parent = (await create('/api/categories', { title: 'Clothing' }))['@id']
  await create('/api/categories', { title: 'Shirts', parent })
  await create('/api/collections', { title: 'Summer' })
  const titles = ['S', 'M', 'L'].map((title) => ({ title }))
  const product = await create('/api/products', {
    title: 'Shirt',
    options: [{ title: 'Size', values: titles }],
    variants: titles.map(({ title: value }) => ({ sku: value, optionValues: [{ option: 'Size', value }] })),
  })
  variant = product.variants[0]['@id']
  for (const amount of ['1.00', '2.00', '3.00'])
    await create('/api/sale_offers', { variant, currency: 'EUR', amount, channel: `c${amount}` })
  const { '@id': definition } = await create('/api/metaobject_definitions', { type: 'label' })
  await create('/api/metaobjects', { definition })
})
afterAll(() => door.close())

function openCopy() {
  const documents = new Map<string, Json>()
  let stored: number | null = null
  const repairs: (string | null)[] = []
  return {
    documents,
    repairs,
    lists: ['metaobjectDefinitions', 'metaobjects', 'categories', 'products', 'collections', 'saleOffers'],
    position: () => stored,
    store: (position: number) => {
      stored = position
    },
    clear: () => documents.clear(),
    apply({ resource, document }: Json) {
      repairs.push(document?.['@type'] ?? null)
      if (document === null) documents.delete(resource)
      else documents.set(resource, document)
    },
    *versions(type: string) {
      for (const [resource, document] of documents)
        if (document['@type'] === type) yield [resource, document.version]
    },
  }
}

test('a copy is verified, and each resource that differs is repaired', async () => {
  const copy = openCopy()
  await sync(catalogue, copy)
  expect(await verify(catalogue, copy)).toBe(0)
  const whole = new Map(copy.documents)
  const types = [...whole.values()].map((document) => document['@type'])
  expect(
    Object.fromEntries([...Map.groupBy(types, String)].map(([type, all]) => [type, all.length])),
  ).toEqual({
    MetaobjectDefinition: 1,
    Metaobject: 1,
    Category: 2,
    Product: 1,
    ProductOption: 1,
    OptionValue: 3,
    Variant: 3,
    ProductCollection: 1,
    SaleOffer: 3,
  })
  copy.repairs.length = 0
  // One resource of each type is missing, and another one is stale or surplus.
  const expected = new Map<string, number>()
  for (const [type, all] of Map.groupBy([...whole], ([, document]) => String(document['@type']))) {
    const [[missing] = [''], [stale, document] = ['']] = all
    copy.documents.delete(missing)
    if (stale) copy.documents.set(stale, { ...document, version: document.version + 1 })
    copy.documents.set(`${missing.slice(0, -1)}x`, { '@type': type, version: 1 })
    expected.set(type, stale ? 2 : 1)
  }
  const total = [...expected.values()].reduce((sum, count) => sum + count, 0) + expected.size
  expect(await verify(catalogue, copy)).toBe(total)
  for (const [type, count] of expected)
    expect([type, copy.repairs.filter((each) => each === type).length]).toEqual([type, count])
  expect([...copy.documents.keys()].sort()).toEqual([...whole.keys()].sort())
  for (const [resource, { version }] of whole) expect(copy.documents.get(resource).version).toBe(version)
  expect(await verify(catalogue, copy)).toBe(0)
})

test('a product that is restored returns with its options, values, variants and offers', async () => {
  const { shop } = door
  const [product = ''] = variant.split('/variants/')
  await shop.delete(product, { status: 204 })
  const copy = openCopy()
  await sync(catalogue, copy)
  expect([...copy.versions('Variant'), ...copy.versions('OptionValue')]).toEqual([])
  await shop.patch(product, { body: { status: 'ACTIVE' }, status: 200 })
  await sync(catalogue, copy)
  expect([[...copy.versions('Variant')].length, [...copy.versions('OptionValue')].length]).toEqual([3, 3])
  expect(await verify(catalogue, copy)).toBe(0)
})

test('a comparison finds the errors of copies that poll lists', async () => {
  const { create, read } = door.shop
  const made = async (title: string) => (await create('/api/categories', { title }))['@id']
  const rows = new Map<string, number>()
  const keep = (members: Json[]) => {
    for (const { '@id': resource, version } of members) rows.set(resource, version)
  }
  const differing = async () =>
    (await copyDifferences(catalogue, 'Category', rows)).map(({ resource }: Json) => resource).sort()
  keep((await read('/api/categories?itemsPerPage=100')).member)
  expect(await differing()).toEqual([])

  // A poll of changes lists no deletion.
  const deleted = await made('Deleted')
  keep((await read('/api/categories?itemsPerPage=100')).member)
  await door.shop.delete(deleted, { status: 204 })
  keep((await read('/api/categories?updatedAt[after]=2020-01-01&itemsPerPage=100')).member)
  expect(await differing()).toEqual([deleted])
  rows.delete(deleted)

  // Times that a copy rounds up: the poll that continues after the rounded time misses the others.
  const tied = (
    await create(
      '/api/categories',
      ['T1', 'T2', 'T3'].map((title) => ({ title })),
    )
  ).member
  keep(tied.slice(0, 1))
  const rounded = tied[2].updatedAt
  keep((await read(`/api/categories?updatedAt[after]=${rounded}`)).member)
  const missed = tied.slice(1).map((each: Json) => each['@id'])
  expect(await differing()).toEqual(missed.sort())
  keep(tied)

  // A resource that is created between two numbered pages moves the others, and one is deleted before its page.
  const before = rows.size
  const first = await read('/api/categories?itemsPerPage=3&page=1')
  const read1 = new Map(
    [...rows].filter(([resource]) => first.member.some((each: Json) => each['@id'] === resource)),
  )
  await door.shop.delete(first.member[0]['@id'], { status: 204 })
  for (let page = 2; ; page++) {
    const { member } = await read(`/api/categories?itemsPerPage=3&page=${page}`)
    for (const { '@id': resource, version } of member) read1.set(resource, version)
    if (member.length === 0) break
  }
  rows.clear()
  for (const [resource, version] of read1) rows.set(resource, version)
  // The deleted one is surplus, and the first of the second page was skipped.
  expect([rows.size, (await differing()).length]).toEqual([before - 1, 2])

  // An archived product leaves the list.
  const product = await create('/api/products', { title: 'Left' })
  await door.shop.delete(product['@id'], { status: 204 })
  const products: Json[] = (await read('/api/products')).member
  const copied = [...products.map((each) => [each['@id'], each.version]), [product['@id'], product.version]]
  expect(await copyDifferences(catalogue, 'Product', copied)).toEqual([
    { resource: product['@id'], version: null },
  ])
})

test('the example keeps a copy in SQLite, and repairs it', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'copy-'))
  const file = join(directory, 'catalogue.sqlite')
  const run = () =>
    promisify(execFile)(process.execPath, ['--no-warnings', join(root, 'examples/sqlite-copy/copy.ts')], {
      env: { ...process.env, SHOP: door.origin, TOKEN: token, FILE: file },
    })
  try {
    const { stdout, stderr } = await run()
    expect(stdout).toMatch(/^\d+ resources, 0 repaired, sequence \d+\n$/)
    expect(stderr).toContain('saleOffers             ██████████████████████████████ 3 of 3')
    const database = new DatabaseSync(file)
    database.exec(`delete from resource where type = 'Variant'`)
    database.exec(`update resource set version = 99 where type = 'SaleOffer'`)
    database.close()
    await door.shop.update(variant, { sku: 'Changed' })
    // Two variants, because the third one is in the feed. The change of a variant changes no offer.
    const again = await run()
    expect(again.stdout).toMatch(/, 5 repaired, /)
    expect((await run()).stdout).toMatch(/, 0 repaired, /)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
