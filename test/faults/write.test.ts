import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { openDatabase, StorageUnavailable } from '../../src/db/client.ts'
import { statement } from '../../src/db/query.ts'
import { eventsOf, faultsIn, owner } from '../support/ledger.ts'
import { smallestPng } from '../support/pictures.ts'
import { type Asked, openShop, type Reply, type Shop } from '../support/shop.ts'
import { type Fault, line } from './database-line.ts'

afterEach(() => {
  Object.assign(line, { away: false, fault: 'none', times: 0 })
})

type Node = { '@id': string; values: Node[] }
type Base = { product: Node & { options: Node[]; variants: Node[] }; parent: Node; child: Node }
type Ask = readonly [method: string, path: string, body?: unknown]

/** Every kind of write, on the shop that `baseOf` fills. */
const writes: Readonly<Record<string, (base: Base) => Ask>> = {
  'POST product': () => [
    'POST',
    '/api/products',
    {
      title: 'Coat',
      tags: ['warm'],
      channels: ['web'],
      options: [{ title: 'Size', values: [{ title: 'S' }] }],
      variants: [{ sku: 'C-S', optionValues: [{ option: 'Size', value: 'S' }] }],
    },
  ],
  'POST products': () => ['POST', '/api/products', [{ title: 'A' }, { title: 'A', handle: 'own' }]],
  'PATCH product': ({ product, child }) => [
    'PATCH',
    product['@id'],
    { vendor: 'Acme', tags: ['new'], categories: [child['@id']] },
  ],
  'DELETE product': ({ product }) => ['DELETE', product['@id']],
  'POST option': ({ product }) => [
    'POST',
    `${product['@id']}/product_options`,
    { title: 'Colour', position: 0 },
  ],
  'PATCH option': ({ product }) => ['PATCH', product.options[1]!['@id'], { title: 'Cut', position: 0 }],
  'DELETE option': ({ product }) => ['DELETE', product.options[1]!['@id']],
  'POST value': ({ product }) => [
    'POST',
    '/api/option_values',
    { option: product.options[0]!['@id'], title: 'XL', position: 0 },
  ],
  'PATCH value': ({ product }) => ['PATCH', product.options[0]!.values[0]!['@id'], { position: -1 }],
  'DELETE value': ({ product }) => ['DELETE', product.options[0]!.values[2]!['@id']],
  'POST variant': ({ product }) => [
    'POST',
    `${product['@id']}/variants`,
    {
      position: 0,
      optionValues: [
        { option: 'Size', value: 'L' },
        { option: 'Fit', value: 'Slim' },
      ],
    },
  ],
  'PATCH variant': ({ product }) => ['PATCH', product.variants[0]!['@id'], { position: 1, sku: 'NEW' }],
  'DELETE variant': ({ product }) => ['DELETE', product.variants[0]!['@id']],
  'POST category': ({ parent }) => [
    'POST',
    '/api/categories',
    { title: 'Third', parent: parent['@id'], position: 0 },
  ],
  'PATCH category': ({ parent, child }) => ['PATCH', child['@id'], { title: 'Moved', parent: parent['@id'] }],
  'PATCH children': ({ parent, child }) => ['PATCH', parent['@id'], { children: [child['@id']] }],
  'DELETE category': ({ child }) => ['DELETE', child['@id']],
}

async function baseOf(shop: Shop): Promise<Base> {
  const values = ['S', 'M', 'L'].map((title) => ({ title }))
  const made = await shop.create('/api/products', {
    title: 'Shirt',
    channels: ['web'],
    options: [{ title: 'Size', values }],
    variants: ['S', 'M'].map((value) => ({ sku: value, optionValues: [{ option: 'Size', value }] })),
  })
  const { '@id': option } = await shop.create(`${made['@id']}/product_options`, { title: 'Fit' })
  const value = await shop.post('/api/option_values', { body: { option, title: 'Slim' }, status: 201 })
  const categories = await shop.create('/api/categories', [{ title: 'One' }, { title: 'Two' }])
  const [parent, child] = categories.member
  return {
    product: { ...made, options: [...made.options, { '@id': option, values: [value.body] }] },
    parent,
    child,
  }
}

type Outcome = { reply: Reply; bodyText: string; topics: string[]; statements: number }

/** Writes once in a new shop during a fault of the connection, and returns the result without ids and times. */
async function outcomeOf(
  write: (base: Base) => Ask,
  fault: Fault,
  asked: Asked = {},
  times = 1,
): Promise<Outcome & { shop: Shop; again: () => Promise<Reply> }> {
  const shop = await openShop()
  const [method, path, body] = write(await baseOf(shop))
  const before = await eventsOf(shop)
  // A 5xx that is not named would throw.
  const call = async () => {
    const send = (status?: number) =>
      shop.request(method, path, {
        ...asked,
        ...(body === undefined ? {} : { body }),
        ...(status && { status }),
      })
    return line.away || isForLong(fault) ? send(line.away || line.times > 0 ? 503 : undefined) : send()
  }
  Object.assign(line, { fault, times })
  const reply = await call()
  line.times = 0
  const { statements } = line
  const events = (await eventsOf(shop)).slice(before.length)
  return {
    shop,
    reply,
    statements,
    again: call,
    bodyText: masked(reply),
    topics: events.map((each) => `${each.topic} ${each.version}`),
  }
}

const isForLong = (fault: Fault) => fault === 'lost for long' || fault === 'cancelled for long'

function masked({ status, text, headers }: Reply): string {
  const location = headers.get('location') ?? ''
  return `${status} ${location} ${text}`
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
}

/** A commit whose response is lost is found by the record of each write; a cancelled batch is rolled back half-way. */
const faultsOfEach: readonly Fault[] = ['response lost', 'late', 'cancelled']
/** To whatever writes these are one: nothing is there, and the plan is made again. Histories meet them everywhere. */
const otherFaults: readonly Fault[] = [
  'request lost',
  { statement: 0, sqlstate: '40P01' },
  { statement: 1, sqlstate: '57P01' },
]

describe.each(Object.entries(writes))('%s', (name, write) => {
  let undisturbed: ReturnType<typeof outcomeOf> | undefined
  const meetsAll = ['POST product', 'PATCH children', 'DELETE option'].includes(name)
  const faults = meetsAll ? [...faultsOfEach, ...otherFaults] : faultsOfEach
  test('answers and records the same over a bad line as over a good one', async () => {
    const calm = await (undisturbed ??= outcomeOf(write, 'none'))
    expect(calm.reply.status, calm.reply.text).toBeLessThan(300)
    expect(calm.topics.length).toBeGreaterThan(0)
    for (const fault of faults) {
      const { bodyText, topics, shop } = await outcomeOf(write, fault)
      expect({ fault, bodyText, topics }).toEqual({ fault, bodyText: calm.bodyText, topics: calm.topics })
      expect(await faultsIn(shop), JSON.stringify(fault)).toEqual([])
    }
  })

  test('whichever statement fails, nothing of it stays, and the next try is whole', async () => {
    const calm = await (undisturbed ??= outcomeOf(write, 'none'))
    const { statements } = calm
    for (let index = 0; index < statements; index += 1) {
      const { bodyText, topics, shop } = await outcomeOf(write, { statement: index, sqlstate: '40001' })
      expect({ index, bodyText, topics }).toEqual({ index, bodyText: calm.bodyText, topics: calm.topics })
      expect(await faultsIn(shop)).toEqual([])
    }
  }, 60_000)

  // The key is recorded in the transaction of any write; histories repeat all kinds.
  if (!meetsAll) return

  test('an answer that was lost for long is given again for the same Idempotency-Key, without a second change', async () => {
    const headers = { 'Idempotency-Key': 'once' }
    const calm = await (undisturbed ??= outcomeOf(write, 'none'))
    const { shop, reply, again, topics } = await outcomeOf(write, 'lost for long', { headers })
    expect(reply.body).toMatchObject({ status: 503, slug: 'server.storage_unavailable' })
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(topics).toEqual(calm.topics)
    line.away = false
    for (const _ of [1, 2]) {
      const replayed = await again()
      expect(masked(replayed)).toBe(calm.bodyText)
      expect(replayed.headers.get('idempotency-replayed')).toBe('true')
    }
    expect(
      (await eventsOf(shop)).slice(-calm.topics.length).map((each) => `${each.topic} ${each.version}`),
    ).toEqual(topics)
    expect(await faultsIn(shop)).toEqual([])
  })

  test('a change whose caller went away is not made, and made once for the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'once' }
    const calm = await (undisturbed ??= outcomeOf(write, 'none'))
    const { shop, reply, again, topics } = await outcomeOf(write, 'cancelled for long', { headers })
    expect(reply.body).toMatchObject({ status: 503, slug: 'server.storage_unavailable' })
    expect(topics).toEqual([])
    line.away = false
    const before = (await eventsOf(shop)).length
    const made = await again()
    expect(masked(made)).toBe(calm.bodyText)
    expect(made.headers.get('idempotency-replayed')).toBeNull()
    const replayed = await again()
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
    expect((await eventsOf(shop)).slice(before).map((each) => `${each.topic} ${each.version}`)).toEqual(
      calm.topics,
    )
    expect(await faultsIn(shop)).toEqual([])
  })
})

test.each<Fault>(['response lost', 'late'])('a first answer found after %s is no replay', async (fault) => {
  const headers = { 'Idempotency-Key': 'once' }
  const { reply, topics, again } = await outcomeOf(writes['POST product']!, fault, { headers })
  expect(reply.status).toBe(201)
  expect(reply.headers.get('idempotency-replayed')).toBeNull()
  expect(topics).toHaveLength(4)
  const replayed = await again()
  expect(replayed.body).toEqual(reply.body)
  expect(replayed.headers.get('idempotency-replayed')).toBe('true')
})

test('three losses in a row are made up for', async () => {
  const { reply, topics, shop } = await outcomeOf(writes['POST product']!, 'request lost', {}, 3)
  expect(reply.status).toBe(201)
  expect(topics).toHaveLength(4)
  expect(await faultsIn(shop)).toEqual([])
})

test('a line that loses every request ends in 503 with Retry-After and no change', async () => {
  const shop = await openShop()
  Object.assign(line, { fault: 'request lost', times: 100 })
  const reply = await shop.post('/api/products', { body: { title: 'Hat' }, status: 503 })
  expect(reply.body.slug).toBe('server.storage_unavailable')
  expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await eventsOf(shop)).toEqual([])
})

test('a database that is away fails reads and writes with 503 and Retry-After, and later requests succeed', async () => {
  const shop = await openShop()
  const body = await shop.create('/api/products', { title: 'Hat' })
  line.away = true
  const away = [
    await shop.get(body['@id'], { status: 503 }),
    await shop.get('/api/products', { status: 503 }),
    await shop.post('/api/products', { body: { title: 'Hat' }, status: 503 }),
    await shop.patch(body['@id'], { body: { vendor: 'x' }, status: 503 }),
    await shop.delete(body['@id'], { status: 503 }),
  ]
  for (const { headers } of away) expect(headers.get('retry-after')).toMatch(/^\d+$/)
  line.away = false
  await shop.delete(body['@id'], { status: 204 })
  expect(await faultsIn(shop)).toEqual([])
})

test('a refused request keeps no key: the same key then serves a right one', async () => {
  const shop = await openShop()
  const headers = { 'Idempotency-Key': 'k' }
  await shop.post('/api/products', { body: { title: '' }, headers, status: 422 })
  const made = await shop.post('/api/products', { body: { title: 'Hat' }, headers, status: 201 })
  expect(made.headers.get('idempotency-replayed')).toBeNull()
  const reused = await shop.post('/api/products', { body: { title: 'Other' }, headers, status: 422 })
  expect(reused.body.slug).toBe('idempotency.key_reused')
})

test('a file, and a picture, remain if the confirmation of their key is lost', async () => {
  const shop = await openShop()
  const send = (path: string, body: Blob, status: number) =>
    shop.post(path, { body, status, headers: { 'Idempotency-Key': path } })
  const loseResponse = () => Object.assign(line, { fault: 'response lost', times: 1 })
  const lines = new Blob(['{}'], { type: 'application/x-ndjson' })
  loseResponse()
  await send('/api/bulk_operations', lines, 202)
  const pieces = await owner((client) =>
    client.query('select content from bulk_operation_pieces where tenant_id = $1', [shop.tenant.id]),
  )
  expect(pieces.rows).toEqual([{ content: '{}' }])
  loseResponse()
  await send('/api/pictures', smallestPng(), 503)
  const picture = await send('/api/pictures', smallestPng(), 201)
  expect((await shop.get(picture.body['@id'])).status).toBe(200)
})

test('a key that is older than a day is free again', async () => {
  const shop = await openShop()
  const headers = { 'Idempotency-Key': 'k' }
  await shop.create('/api/products', { title: 'Hat' }, { headers })
  await owner((client) =>
    client.query(
      `update idempotency_keys set created_at = now() - interval '24 hours 1 second' where tenant_id = $1`,
      [shop.tenant.id],
    ),
  )
  const made = await shop.post('/api/products', { body: { title: 'Other' }, headers, status: 201 })
  expect(made.body.title).toBe('Other')
  expect(made.headers.get('idempotency-replayed')).toBeNull()
})

test('a batch without a response is cancelled after the deadline', async () => {
  const silent = Promise.withResolvers<never>()
  const { neonConfig } = await import('@neondatabase/serverless')
  const through = neonConfig.fetchFunction
  neonConfig.fetchFunction = (_: string, { signal }: RequestInit) => {
    signal?.addEventListener('abort', () => silent.reject(signal.reason))
    return silent.promise
  }
  try {
    const session = openDatabase({ url: 'postgresql://u:p@localhost/db', deadline: 20 }).open(null)
    await expect(session.read({ one: statement(sql`select 1`) })).rejects.toThrow(StorageUnavailable)
  } finally {
    neonConfig.fetchFunction = through
  }
})
