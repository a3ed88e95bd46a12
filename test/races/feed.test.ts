/** The event feed during eight writers: gapless, in order, and equal to the writes. */
import { beforeAll, expect, test } from 'vitest'
import { eventsOf, faultsIn } from '../support/ledger.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { persistent, race } from './racing.ts'

type Event = {
  sequence: number
  topic: string
  resource: string
  resourceVersion: number
  document: Document
}
type Document = { '@id': string; version: number; [name: string]: unknown }

/** Follows the feed by its next links from a sequence to its end, until no more events are expected. */
async function follow(shop: Shop, from: number, over: { done: boolean } = { done: true }): Promise<Event[]> {
  const seen: Event[] = []
  for (let last = false; ; ) {
    let path: string | undefined = `/api/events?itemsPerPage=7&after=${seen.at(-1)?.sequence ?? from}`
    while (path) {
      const { body }: Reply = await shop.get(path, { status: 200 })
      seen.push(...body.member)
      path = body.view?.next
    }
    if (last) return seen
    last = over.done
    await new Promise((done) => setTimeout(done, 2))
  }
}

/** The products as a list shows them, and the sequence at which it did. */
async function snapshot(shop: Shop): Promise<{ sequence: number; products: Map<string, Document> }> {
  const { body, headers } = await shop.get('/api/products?itemsPerPage=100&updatedAt[after]=2000-01-01', {
    status: 200,
  })
  const products = new Map<string, Document>(body.member.map((each: Document) => [each['@id'], each]))
  return { sequence: Number(headers.get('service-sequence')), products }
}

let shop: Shop
let replies: Reply[]
let followed: Event[]
const snapshots: Awaited<ReturnType<typeof snapshot>>[] = []

beforeAll(async () => {
  shop = await openShop()
  const writing = { done: false }
  const following = follow(shop, 0, writing)
  const own: Document[][] = Array.from({ length: 8 }, () => [])
  const body = (writer: number) => ({
    title: `P${writer}`,
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'L' }] }],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }],
  })
  replies = await race(8, 6, async (writer, turn) => {
    const kept = own[writer] ?? []
    const product = kept[0]?.['@id'] ?? ''
    const calls = [
      () => shop.post('/api/products', { body: body(writer) }),
      () => shop.post('/api/categories', { body: { title: `C${writer}` } }),
      () => shop.patch(product, { body: { categories: [kept[1]?.['@id']] } }),
      () => shop.post(`${product}/variants`, { body: { optionValues: [{ option: 'Size', value: 'L' }] } }),
      () => shop.patch(kept[3]?.['@id'] ?? '', { body: { sku: `S${writer}` } }),
      () =>
        writer % 2 === 0 ? shop.delete(product) : shop.patch(product, { body: { vendor: `V${writer}` } }),
    ]
    const reply = await persistent(calls[turn] ?? calls[0]!)
    kept.push(reply.body)
    if (writer === 3) snapshots.push(await snapshot(shop))
    return reply
  })
  writing.done = true
  followed = await following
}, 60_000)

test('every write succeeded and the books are in order', async () => {
  expect(replies.filter((each) => each.status >= 300).map((each) => each.text)).toEqual([])
  expect(await faultsIn(shop)).toEqual([])
})

test('one who follows it sees 1, 2, 3 …, each event once and as it was recorded', async () => {
  expect(followed.map((each) => each.sequence)).toEqual(followed.map((_, index) => index + 1))
  const seen = followed.map(({ sequence, topic, resource, resourceVersion }) => [
    sequence,
    topic,
    resource.split('/').at(-1),
    resourceVersion,
  ])
  const recorded = (await eventsOf(shop)).map(({ sequence, topic, id, version }) => [
    sequence,
    topic,
    id,
    version,
  ])
  expect(seen).toEqual(recorded)
})

test('every answer that a writer had is an event, with the version and the time of the answer', () => {
  const documents = new Map(followed.map((each) => [`${each.resource} ${each.resourceVersion}`, each]))
  for (const { body } of replies.filter((each) => each.body)) {
    const event = documents.get(`${body['@id']} ${body.version}`)
    expect(event?.document, `${body['@id']} ${body.version}`).toMatchObject({
      '@id': body['@id'],
      version: body.version,
      updatedAt: body.updatedAt,
    })
  }
  const gone = followed.filter(({ topic }) => topic === 'product/deleted')
  expect(gone).toHaveLength(4)
  for (const each of gone) expect(each.document).toMatchObject({ status: 'ARCHIVED', channels: [] })
})

test('versions of a resource ascend one by one along the feed', () => {
  const versions = new Map<string, number>()
  for (const { resource, resourceVersion } of followed) {
    expect(resourceVersion, resource).toBe((versions.get(resource) ?? 0) + 1)
    versions.set(resource, resourceVersion)
  }
})

test('a list and the events after its Service-Sequence make the present, at whichever moment it was read', async () => {
  const now = await snapshot(shop)
  expect(new Set(snapshots.map((each) => each.sequence)).size).toBeGreaterThan(1)
  for (const { sequence, products } of snapshots) {
    const state = new Map([...products].map(([iri, { version }]) => [iri, version]))
    for (const { resource, resourceVersion, topic } of await follow(shop, sequence)) {
      if (!topic.startsWith('product/')) continue
      expect(resourceVersion, `${resource} after ${sequence}`).toBe((state.get(resource) ?? 0) + 1)
      state.set(resource, resourceVersion)
    }
    const present = [...now.products].map(([iri, { version }]) => [iri, version])
    expect([...state].toSorted()).toEqual(present.toSorted())
  }
})

test('a follower who comes late sees the same', async () => {
  const late = await follow(shop, 0)
  expect(late.map(({ sequence, resource }) => [sequence, resource])).toEqual(
    followed.map(({ sequence, resource }) => [sequence, resource]),
  )
  const middle = Math.floor(followed.length / 2)
  expect((await follow(shop, middle)).map((each) => each.sequence)).toEqual(
    followed.slice(middle).map((each) => each.sequence),
  )
})
