/** How many statements a write sends. Postgres plans each of them, and the database's proxy waits for each twice. Counted on the wire. */
import { beforeAll, expect, test } from 'vitest'
import type { Operation } from '../src/core/operation.ts'
import { fromReadBack } from '../src/core/plan.ts'
import { resources } from '../src/resources/index.ts'
import { connected, databaseUrls } from './support/database.ts'
import { type Sample, sampleCalls } from './support/samples.ts'
import { sentBy } from './support/sent.ts'
import { openShop } from './support/shop.ts'
import { volatileIn } from './support/snapshots.ts'

/** The reads that were sent by themselves. */
const alone: string[] = []

/** The two batches of a request, without the work after its response. */
async function shown(request: () => Promise<unknown>): Promise<string> {
  const batches = await sentBy(request)
  const [[read, ...others] = []] = batches
  if (read && others.length === 0 && batches.length > 1) alone.push(read.query, ...read.params.map(String))
  return batches
    .slice(0, 2)
    .map((each) => each.length)
    .join(' + ')
}

const writes = resources.flatMap((each) => each.operations).filter((each) => each.method !== 'GET')
const inOrder = [
  ...writes.filter((each) => each.method !== 'DELETE'),
  ...writes.filter((each) => each.method === 'DELETE' && each.name !== 'deleteProduct'),
  ...writes.filter((each) => each.name === 'deleteProduct'),
]

let shop: Awaited<ReturnType<typeof openShop>>
let sampleOf: (operation: Operation) => Sample
beforeAll(async () => {
  shop = await openShop()
  sampleOf = await sampleCalls(shop)
})

function counted(operation: Operation): Promise<string> {
  const { params, body } = sampleOf(operation)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const method = operation.method.toLowerCase() as 'post' | 'patch' | 'put' | 'delete'
  const inItsVersion = operation.onlyIn === undefined ? {} : { version: operation.onlyIn }
  return shown(async () => {
    const reply = await shop[method](path, { ...(body === undefined ? {} : { body }), ...inItsVersion })
    expect(reply.status, reply.text).toBeLessThan(300)
  })
}

test('each write sends one statement to read and one to write', async () => {
  const counts: [name: string, count: string][] = []
  for (const operation of inOrder) counts.push([operation.name, await counted(operation)])
  const others = {
    choosePricePolicy: '1 + 2',
    removePricePolicy: '1 + 2',
    compareCopy: '1',
    countCollectionProducts: '1',
    previewPrices: '1',
    previewWebhook: '1',
    testWebhook: '1',
    uploadPicture: '',
    createBulkOperation: '1',
    revertBulkOperation: '1 + 3',
    endCampaign: '3 + 1',
  }
  expect(Object.fromEntries(counts.filter(([, count]) => count !== '1 + 1'))).toEqual(others)
})

test('a product with all that it owns and belongs to is made in two statements, and changed in two', async () => {
  const make = async (path: string, body: unknown) => (await shop.create(path, body))['@id']
  const category = await make('/api/categories', { title: 'Counted' })
  const other = await make('/api/categories', { title: 'Counted too' })
  const collection = await make('/api/collections', { title: 'Counted' })
  const sizes = ['S', 'M', 'L']
  const body = {
    title: 'Counted',
    vendor: 'Acme',
    tags: ['a', 'b'],
    channels: ['web'],
    categories: [category],
    collections: [collection],
    fields: [{ key: 'size', type: '/api/metafield_definition_types/single_line_text_field', value: 'large' }],
    options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
    variants: sizes.map((value) => ({
      sku: `counted-${value}`,
      optionValues: [{ option: 'Size', value }],
      saleOffers: [{ amount: '10.00', currency: 'EUR', channel: 'web' }],
    })),
  }
  const headers = { 'Idempotency-Key': 'counted-key-0123456789' }
  let iri = ''
  const created = await shown(async () => {
    iri = (await shop.create('/api/products', body, { headers }))['@id']
  })
  const patched = (change: object) => shown(() => shop.patch(iri, { body: change, status: 200 }))
  const changed = await patched({
    title: 'Counted again',
    tags: ['c'],
    channels: [],
    categories: [other, category],
    collections: [],
  })
  const archived = await patched({ status: 'ARCHIVED' })
  const restored = await patched({ status: 'ACTIVE' })
  expect([created, changed, archived, restored]).toEqual(Array(4).fill('1 + 1'))
})

test('all results of one of its reads are of one snapshot', async () => {
  expect(alone.length).toBeGreaterThan(writes.length)
  expect(await volatileIn(alone)).toEqual([])
})

test('a write fails if it reads no row back for an event that expects its document from there', async () => {
  const id = crypto.randomUUID()
  const change = {
    kind: 'categories',
    id,
    eventId: id,
    version: 1,
    action: 'updated',
    topic: 'category/updated',
  }
  const write = {
    steps: [],
    readBack: { query: 'select 1 as id where false', params: [] },
    changes: [{ ...change, document: fromReadBack, changes: [], isSaved: true }],
    envelope: { actor: {}, apiVersion: 'x', requestId: 'x' },
    totals: {},
  }
  await connected(databaseUrls().ownerUrl, async (client) => {
    const sent = client.query(`select apply_write($1, '0', $2)`, [shop.tenant.id, write])
    await expect(sent).rejects.toMatchObject({ code: 'P0002', message: 'readBack' })
  })
})
