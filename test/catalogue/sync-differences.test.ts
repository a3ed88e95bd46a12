/** `POST /api/sync/differences`, with the client that compares a copy by it. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import vectors from '../../examples/sqlite-copy/vectors.json' with { type: 'json' }
import { connected, databaseUrls } from '../support/database.ts'
import { openShop, type Shop } from '../support/shop.ts'

type Row = readonly [resource: string, version: number]

// The client has a compiler of its own.
type Difference = { readonly resource: string; readonly version: number | null }
const { copyDifferences } = await import(
  /* @vite-ignore */ `${import.meta.dirname}/../../src/client/verify.ts`
)

let shop: Shop
let products: Row[]
let variants: Row[]
beforeAll(async () => {
  shop = await openShop()
  ;[products, variants] = [[], []]
  for (let n = 0; n < 6; n++) {
    const bodies = Array.from({ length: 50 }, (_, i) => ({
      title: `${n}.${i}`,
      variants: [{ sku: `${n}.${i}` }],
    }))
    for (const { '@id': iri, version, variants: own } of (await shop.create('/api/products', bodies))
      .member) {
      products.push([iri, version])
      variants.push([own[0]['@id'], own[0].version])
    }
  }
})

let requests = 0
const catalogue = {
  async POST(path: string, { body }: { body: object }) {
    requests++
    return { data: (await shop.post(path, { body, status: 200 })).body }
  },
}

async function differences(type: string, rows: readonly Row[]) {
  requests = 0
  const found: Difference[] = await copyDifferences(catalogue, type, rows)
  return Object.fromEntries(found.map(({ resource, version }) => [resource, version]))
}

const compare = async (type: string, sums: object, asked = {}) =>
  (await shop.post('/api/sync/differences', { body: { type, sums }, status: 200, ...asked })).body

test('the hashes are those of the published vectors', async () => {
  const given = JSON.stringify(vectors.resources)
  const { rows } = await connected(databaseUrls().appUrl, (client) =>
    client.query(
      `select id, version, lpad(to_hex(sync_range(id)), 8, '0') as hash, sync_value(id, version)::float8 as value
         from json_to_recordset($1) as given(id uuid, version int)`,
      [given],
    ),
  )
  expect(rows).toEqual(vectors.resources)
  const sum = vectors.resources.reduce((sum, { value }) => (sum + value) % 2 ** 48, 0)
  expect(vectors.sums['']).toEqual([vectors.resources.length, sum])
})

test('an equal copy needs one request', async () => {
  expect(await differences('Product', products)).toEqual({})
  expect([requests, await differences('Variant', variants)]).toEqual([1, {}])
  const { sequence, ranges, ...body } = await compare('SaleOffer', { '': [0, 0] })
  expect([sequence > 0, ranges]).toEqual([true, []])
  expect(body).toMatchObject({ '@type': 'SyncDifferences', type: 'SaleOffer' })
})

/** Numbers that a seed determines. */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const copies = Number(process.env.COPIES ?? 60)
test(`the differences of ${copies} random copies are found`, { timeout: 3_600_000 }, async () => {
  for (let seed = 1; seed <= copies; seed++) {
    const random = randomOf(seed)
    const rows = seed % 2 ? products : variants
    const copy = [...rows]
    const expected: Record<string, number | null> = {}
    const most = [1, 3, 20, 300][random(4)] ?? 1
    for (let n = random(most + 1); n > 0; n--) {
      const index = random(copy.length)
      const [resource = '', version = 0] = copy[index] ?? []
      if (resource === '' || resource in expected) continue
      const change = random(4)
      if (change === 0) copy.splice(index, 1)
      else if (change === 1) copy.push([resource, version])
      else if (change === 2) copy[index] = [resource, version + 1 + random(3)]
      else copy.push([`/api/products/${randomUUID()}`, 1])
      expected[change === 3 ? (copy.at(-1)?.[0] ?? '') : resource] = change === 3 ? null : version
    }
    expect([seed, await differences(seed % 2 ? 'Product' : 'Variant', copy)]).toEqual([seed, expected])
    expect(requests).toBeLessThanOrEqual(3)
  }
})

test('the comparison has the resources that an export has, and drafts by scope', async () => {
  const own = await openShop()
  const versionsOf = async (type: string, token?: string) => {
    const body = { type, sums: { '': [9, 9] } }
    const reply = await own.post('/api/sync/differences', { body, status: 200, ...(token ? { token } : {}) })
    return reply.body.ranges[0].versions
  }
  const product = { title: 'A', options: [{ title: 'Size', values: [{ title: 'S' }] }] }
  const optionValues = [{ option: 'Size', value: 'S' }]
  const made = await own.create('/api/products', { ...product, variants: [{ optionValues }] })
  const [variant, option] = [made.variants[0], made.options[0]]
  const offers = { currency: 'EUR', variant: variant['@id'] }
  const [offer, ended] = (
    await own.create('/api/sale_offers', [
      { ...offers, amount: '1.00' },
      { ...offers, amount: '2.00', channel: 'web' },
    ])
  ).member
  await own.delete(ended['@id'], { status: 204 })
  expect(await versionsOf('Product')).toEqual({ [made['@id']]: made.version })
  expect(await versionsOf('Variant')).toEqual({ [variant['@id']]: variant.version })
  expect(await versionsOf('ProductOption')).toEqual({ [option['@id']]: option.version })
  expect(await versionsOf('OptionValue')).toEqual({ [option.values[0]['@id']]: option.values[0].version })
  expect(await versionsOf('SaleOffer')).toEqual({ [offer['@id']]: offer.version })
  const { '@id': definition } = await own.create('/api/metaobject_definitions', { type: 'label' })
  const draft = await own.create('/api/metaobjects', { definition, status: 'DRAFT' })
  expect(await versionsOf('Metaobject')).toEqual({ [draft['@id']]: 1 })
  expect(await versionsOf('Metaobject', await own.token({ scope: 'metaobjects:read' }))).toEqual({})
  await own.delete(made['@id'], { status: 204 })
  for (const type of ['Product', 'Variant', 'ProductOption', 'OptionValue'])
    expect(await versionsOf(type)).toEqual({})
  for (const type of [
    'Category',
    'ProductCollection',
    'PurchaseOffer',
    'Campaign',
    'Market',
    'SearchSynonyms',
  ])
    expect(await versionsOf(type)).toEqual({})
  const token = await own.token({ scope: 'products:read' })
  const body = { type: 'SaleOffer', sums: { '': [0, 0] } }
  const refused = await own.post('/api/sync/differences', { body, token, status: 403 })
  expect(refused.body.detail).toContain('sale_offers:read')
})

test.each([
  [{ type: 'Sale', sums: { '': [0, 0] } }, 'type'],
  [{ type: 'Product', sums: { xyz: [0, 0] } }, 'sums.xyz'],
  [{ type: 'Product', sums: { '00': [0, 0], '000': [0, 0] } }, 'sums.000'],
  [{ type: 'Product', sums: { '': [0] } }, 'sums'],
  [{ type: 'Product' }, 'sums'],
])('an invalid comparison is 422: %j', async (body, path) => {
  const reply = await shop.post('/api/sync/differences', { body, status: 422 })
  expect(reply.body.violations[0].propertyPath).toBe(path)
})
