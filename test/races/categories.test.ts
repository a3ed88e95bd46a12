import { beforeEach, expect, test } from 'vitest'
import { chanceOf } from '../faults/chance.ts'
import { eventsOf, faultsIn } from '../support/ledger.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { persistent, race } from './racing.ts'

const writers = 8
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

async function roots(amount: number): Promise<string[]> {
  const body = Array.from({ length: amount }, (_, index) => ({ title: `C${index}` }))
  const made = await shop.create('/api/categories', body)
  return made.member.map((each: { '@id': string }) => each['@id'])
}

const patch = (iri: string, body: object) => persistent(() => shop.patch(iri, { body }))
const slugsOf = ({ body }: Reply): string[] => [
  body.slug,
  ...(body.violations ?? []).map((each: { slug: string }) => each.slug),
]

test('eight categories that each take the next as parent never close the ring', async () => {
  const ids = await roots(writers)
  const replies = await race(writers, 1, (writer) =>
    patch(ids[writer]!, { parent: ids[(writer + 1) % writers] }),
  )
  const refused = replies.filter((each) => each.status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const each of refused) expect(slugsOf(each)).toContain('category.cycle')
  expect(await faultsIn(shop)).toEqual([])
})

test('eight categories that each take the next as child never close the ring', async () => {
  const ids = await roots(writers)
  const replies = await race(writers, 1, (writer) =>
    patch(ids[writer]!, { children: [ids[(writer + 1) % writers]] }),
  )
  const refused = replies.filter((each) => each.status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const each of refused) expect(slugsOf(each)).toContain('category.cycle')
  expect(await faultsIn(shop)).toEqual([])
})

test('eight writers that hang chains below each other never pass the tenth level', async () => {
  const ids = await roots(2 * writers)
  const replies = await race(writers, 2, (writer, turn) => {
    const index = turn * writers + writer
    return patch(ids[index]!, { parent: ids[index + 1] ?? null })
  })
  for (const each of replies) if (each.status !== 200) expect(slugsOf(each)).toContain('category.too_deep')
  expect(replies.some((each) => each.status !== 200)).toBe(true)
  expect(await faultsIn(shop)).toEqual([])
})

test('eight lists of children written for one parent: the last one is stored, every child has events of its moves', async () => {
  const [parent, ...ids] = await roots(1 + writers)
  const replies = await race(writers, 2, (writer, turn) =>
    patch(parent!, { children: [...new Set([...ids.slice(writer), ...ids.slice(0, turn)])] }),
  )
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 200))
  const last = replies.toSorted((a, b) => a.body.version - b.body.version).at(-1)!
  expect((await shop.read(parent!)).children).toEqual(last.body.children)
  expect(await faultsIn(shop)).toEqual([])
})

test('children inserted at 0 by eight writers all get in', async () => {
  const [parent] = await roots(1)
  const replies = await race(writers, 2, (writer, turn) =>
    persistent(() =>
      shop.post('/api/categories', { body: { title: `n${writer}-${turn}`, parent, position: 0 } }),
    ),
  )
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 201))
  const newest = replies.toSorted((a, b) => b.body.createdAt.localeCompare(a.body.createdAt))
  expect((await shop.read(parent!)).children).toEqual(newest.map((each) => each.body['@id']))
  expect(await faultsIn(shop)).toEqual([])
})

test('a category is never deleted under a child or a product that arrives at the same time', async () => {
  const ids = await roots(4)
  const replies = await race(writers, 1, (writer) => {
    const id = ids[writer % 4]!
    if (writer < 4) return persistent(() => shop.delete(id))
    if (writer < 6)
      return persistent(() => shop.post('/api/categories', { body: { title: 'x', parent: id } }))
    return persistent(() => shop.post('/api/products', { body: { title: 'x', categories: [id] } }))
  })
  for (const index of [0, 1, 2, 3]) {
    const pair = [replies[index]!.status, replies[index + 4]!.status].join()
    expect(['204,422', '409,201']).toContain(pair)
  }
  expect(await faultsIn(shop)).toEqual([])
})

test.each([1, 2, 3])('a storm of every kind of write on one tree leaves it whole (seed %i)', async (seed) => {
  const random = chanceOf(seed).next
  const ids = await roots(10)
  const before = (await eventsOf(shop)).length
  const pick = () => ids[Math.floor(random() * ids.length)]!
  const replies = await race(writers, 5, () => {
    const [kind, one, two, three] = [random(), pick(), pick(), pick()]
    const position = Math.floor(random() * 5) - 1
    if (kind < 0.35) return patch(one, { parent: random() < 0.2 ? null : two, position })
    if (kind < 0.55) return patch(one, { children: [...new Set([two, three])] })
    if (kind < 0.7) return patch(one, { position })
    if (kind < 0.8) return patch(one, { title: `t${kind}` })
    if (kind < 0.92)
      return persistent(() => shop.post('/api/categories', { body: { title: 'new', parent: one, position } }))
    return persistent(() => shop.delete(one))
  })
  const strange = replies.filter(
    (each) =>
      each.status >= 300 &&
      !slugsOf(each).some((slug) =>
        /^(category\.(cycle|too_deep|has_children|not_found)|validation\.unknown_reference)$/.test(slug),
      ),
  )
  expect(strange.map((each) => each.text)).toEqual([])
  expect((await eventsOf(shop)).length).toBeGreaterThan(before)
  expect(await faultsIn(shop)).toEqual([])
})

test('categories deleted while their archived product is restored or made keep it, or are gone from it', async () => {
  for (let turn = 0; turn < 6; turn += 1) {
    const ids = await roots(4)
    const made = await shop.create('/api/products', { title: 'Hat', categories: ids })
    const product = made['@id']
    await shop.delete(product, { status: 204 })
    const outcomes = await race(6, 1, async (writer) => {
      if (writer < 4) return { writer, reply: await persistent(() => shop.delete(ids[writer]!)) }
      const body = { title: 'Cap', status: 'ARCHIVED', categories: ids }
      const call = () =>
        writer === 4
          ? shop.patch(product, { body: { status: 'ACTIVE' } })
          : shop.post('/api/products', { body })
      return { writer, reply: await persistent(call) }
    })
    const replyOf = (writer: number) => outcomes.find((each) => each.writer === writer)!.reply
    const kept = ids.filter((_, writer) => {
      const { status, body } = replyOf(writer)
      expect([status, body?.slug]).toEqual(status === 204 ? [204, undefined] : [409, 'category.in_use'])
      return status === 409
    })
    expect(replyOf(4).status).toBe(200)
    expect([201, 422]).toContain(replyOf(5).status)
    const irisOf = (document: { categories: { '@id': string }[] }) =>
      document.categories.map((each) => each['@id'])
    const now = await shop.read(product)
    expect(irisOf(now)).toEqual(kept)
    // The response of the restoring request, and its event, are true as well.
    expect(irisOf(replyOf(4).body)).toEqual(kept)
    const feed = await shop.read(`/api/events?topic=product/updated&resource=${product}`)
    expect(irisOf(feed.member.at(-1).document)).toEqual(kept)
  }
  expect(await faultsIn(shop)).toEqual([])
})

/** How many round trips to the database a request made: two without a retry. */
const trips = ({ headers }: Reply) =>
  Number(/db;.*desc="(\d+)"/.exec(headers.get('server-timing') ?? '')?.[1])

test('categories, their children, and products in them are written at once without a deadlock', async () => {
  const [parent, ...children] = await roots(writers)
  await shop.update(parent!, { children })
  const ids = [parent!, ...children]
  const replies = await race(2 * writers, 6, (writer, turn) => {
    const iri = ids[writer % writers]!
    const title = `${writer} ${turn}`
    return writer < writers
      ? shop.put(`${iri}/translations`, { body: { translations: { 'fr-FR': { title } } } })
      : shop.post('/api/products', { body: { title, categories: [iri] } })
  })
  expect(replies.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([])
  // Postgres ends one of two writes in a deadlock, which the service repeats.
  expect(replies.map(trips).filter((count) => count > 2)).toEqual([])
  expect(await faultsIn(shop)).toEqual([])
})
