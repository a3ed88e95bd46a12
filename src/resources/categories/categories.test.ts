import pg from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { faultsIn } from '../../../test/support/ledger.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

type Category = Reply['body']

async function add(body: object, at: Shop = shop): Promise<Category> {
  return await at.create('/api/categories', body)
}

async function read(category: { '@id': string }, at: Shop = shop): Promise<Category> {
  return await at.read(category['@id'])
}

const iri = (category: Category): string => category['@id']
const trips = (reply: Reply) =>
  Number(/db;[^,]*desc="(\d+)"/.exec(reply.headers.get('server-timing') ?? '')?.[1])
const violations = (reply: Reply) =>
  reply.body.violations.map((violation: Category) => [violation.propertyPath, violation.slug])

async function eventsOf(at: Shop) {
  const client = new pg.Client(inject('ownerUrl'))
  await client.connect()
  try {
    const { rows } = await client.query(
      `select topic, resource_id, resource_version, document::jsonb as document, changes from events where tenant_id = $1 order by sequence`,
      [at.tenant.id],
    )
    return rows
  } finally {
    await client.end()
  }
}

describe('one category', () => {
  test('is deleted when only archived products are in it, which leave it without a version or an event', async () => {
    const [occupied, parentOfNone] = [await add({ title: 'Held' }), await add({ title: 'Kept' })]
    const product = await shop.create('/api/products', {
      title: 'Rake',
      categories: [iri(occupied), iri(parentOfNone)],
    })
    const used = await shop.delete(iri(occupied))
    expect([used.status, used.body.slug]).toEqual([409, 'category.in_use'])
    await shop.delete(product['@id'], { status: 204 })
    const before = await eventsOf(shop)
    const deletion = await shop.delete(iri(occupied), { status: 204 })
    expect(trips(deletion)).toBe(2)
    expect((await eventsOf(shop)).slice(before.length).map(({ topic }) => topic)).toEqual([
      'category/deleted',
    ])
    const archived = await shop.read(product['@id'])
    expect(archived).toMatchObject({ status: 'ARCHIVED', version: 2 })
    expect(archived.categories.map((category: { '@id': string }) => category['@id'])).toEqual([
      iri(parentOfNone),
    ])
    const restored = await shop.update(product['@id'], { status: 'DRAFT' })
    expect(restored.categories).toHaveLength(1)
    expect((await shop.delete(iri(parentOfNone))).body.slug).toBe('category.in_use')
    expect(await faultsIn(shop)).toEqual([])
  })
})

describe('handles and external ids', () => {
  test('a handle is derived from the title with the next free number', async () => {
    const handles = []
    for (let count = 0; count < 3; count += 1) handles.push((await add({ title: 'Crème & Œufs' })).handle)
    expect(handles).toEqual(['creme-oeufs', 'creme-oeufs-2', 'creme-oeufs-3'])
    expect((await add({ title: '日本' })).handle).toMatch(/^category(-\d+)?$/)
  })

  test('eight writers of one title get eight handles', async () => {
    const created = await Promise.all(Array.from({ length: 8 }, () => add({ title: 'Race' })))
    expect(new Set(created.map((category) => category.handle)).size).toBe(8)
    expect(new Set(created.map((category) => category.position)).size).toBe(8)
    expect(await faultsIn(shop)).toEqual([])
  })
})

describe('positions and moves', () => {
  test('positions are gapless, -1 and beyond the end are the end, and answers show the real one', async () => {
    const parent = await add({ title: 'Ordered' })
    const child = (title: string, position?: number | null) => add({ title, parent: iri(parent), position })
    const [a, b, c] = [await child('a'), await child('b', 99), await child('c', 0)]
    expect([a.position, b.position, c.position]).toEqual([0, 1, 0])
    expect((await read(parent)).children).toEqual([c, a, b].map(iri))
    const last = await shop.update(iri(c), { position: -1 })
    expect(last.position).toBe(2)
    const same = await shop.update(iri(c), { position: null })
    expect(same.version).toBe(last.version)
    expect((await shop.update(iri(b), { position: 0 })).position).toBe(0)
    expect((await read(parent)).children).toEqual([b, a, c].map(iri))
    expect((await read(parent)).version).toBe(1)
  })

  test('a move takes the subtree along and closes the gap; only the moved category has an event', async () => {
    const at = await openShop()
    const [from, to] = [await add({ title: 'From' }, at), await add({ title: 'To' }, at)]
    const movedCategory = await add({ title: 'Moved', parent: iri(from) }, at)
    const sibling = await add({ title: 'Left', parent: iri(from) }, at)
    const leaf = await add({ title: 'Leaf', parent: iri(movedCategory) }, at)
    const before = await eventsOf(at)
    const answer = await at.update(iri(movedCategory), { parent: { '@id': iri(sibling) } })
    expect(answer).toMatchObject({
      parent: iri(sibling),
      level: 2,
      ancestors: [iri(from), iri(sibling)],
      position: 0,
    })
    expect(await read(leaf, at)).toMatchObject({
      level: 3,
      ancestors: [iri(from), iri(sibling), iri(movedCategory)],
      version: 1,
    })
    expect(await read(sibling, at)).toMatchObject({ position: 0, version: 1 })
    const events = (await eventsOf(at)).slice(before.length)
    expect(events).toMatchObject([
      {
        topic: 'category/updated',
        resource_id: movedCategory.id,
        document: { parentId: sibling.id, level: 2, position: 0 },
      },
    ])
    expect(events[0].changes).toEqual([{ path: 'parent', before: iri(from), after: iri(sibling) }])
    const rooted = await at.update(iri(movedCategory), { parent: null, position: 0 })
    expect(rooted).toMatchObject({ parent: null, level: 0, position: 0, ancestors: [] })
    expect((await read(to, at)).position).toBe(2)
    expect(await faultsIn(at)).toEqual([])
  })
})

describe('children', () => {
  test('writing them orders, adopts and drops, with an event for each that moved and for the parent', async () => {
    const at = await openShop()
    const parent = await add({ title: 'Parent' }, at)
    const [a, b] = [
      await add({ title: 'a', parent: iri(parent) }, at),
      await add({ title: 'b', parent: iri(parent) }, at),
    ]
    const [c, d] = [await add({ title: 'c' }, at), await add({ title: 'd' }, at)]
    const before = await eventsOf(at)
    const response = await at.patch(iri(parent), { body: { children: [iri(c), iri(b)] }, status: 200 })
    expect(response.body).toMatchObject({ children: [iri(c), iri(b)], version: 2 })
    expect(trips(response)).toBe(2)
    expect(await read(a, at)).toMatchObject({ parent: null, level: 0, position: 2, version: 2 })
    expect(await read(c, at)).toMatchObject({ parent: iri(parent), level: 1, position: 0, version: 2 })
    expect(await read(b, at)).toMatchObject({ position: 1, version: 1 })
    expect((await read(d, at)).position).toBe(1)
    const events = (await eventsOf(at)).slice(before.length)
    expect(events.map((event) => [event.topic, event.resource_id])).toEqual([
      ['category/updated', parent.id],
      ['category/updated', c.id],
      ['category/updated', a.id],
    ])
    expect(events[1].document).toMatchObject({ parentId: parent.id, position: 0, level: 1 })
    const swapped = await at.update(iri(parent), { children: [iri(b), iri(c)] })
    expect(swapped.children).toEqual([iri(b), iri(c)])
    expect(await eventsOf(at)).toHaveLength(before.length + 4)
    const twice = await at.patch(iri(parent), { body: { children: [iri(b), iri(b)] }, status: 422 })
    expect(violations(twice)).toEqual([['children[1]', 'validation.duplicate_item']])
    expect((await at.update(iri(parent), { children: null })).children).toEqual([])
    expect(await faultsIn(at)).toEqual([])
  })

  test('parent and children may be written together', async () => {
    const at = await openShop()
    const [grand, current] = [await add({ title: 'grand' }, at), await add({ title: 'own' }, at)]
    const dropped = await add({ title: 'dropped', parent: iri(current) }, at)
    const inDropped = await add({ title: 'in dropped', parent: iri(dropped) }, at)
    const answer = await at.update(iri(current), { parent: iri(inDropped), children: [iri(grand)] })
    expect(answer).toMatchObject({
      level: 2,
      ancestors: [iri(dropped), iri(inDropped)],
      children: [iri(grand)],
    })
    expect((await read(grand, at)).level).toBe(3)
    expect(await faultsIn(at)).toEqual([])
  })
})

describe('bulk', () => {
  test('puts each at its position as if it were created after the previous one', async () => {
    const at = await openShop()
    const [root, other] = [await add({ title: 'Root' }, at), await add({ title: 'Other' }, at)]
    for (const title of ['a', 'b']) await add({ title, parent: iri(root) }, at)
    const body = [
      ['c', root, 1],
      ['x', other, 5],
      ['d', root, undefined],
      ['e', root, 99],
      ['y', other, -1],
      ['f', root, 99],
      ['g', root, 0],
      ['z', other, 0],
      ['h', root, null],
    ].map(([title, parent, position]) => ({ title, parent: iri(parent as Category), position }))
    await at.create('/api/categories', body)
    const order = async (parent: Category) => {
      const list = await at.read(`/api/categories?parent=${parent.id}`)
      return list.member.map((item: Category & { title: string }) => item.title).join('')
    }
    expect(await order(root)).toBe('gacbdefh')
    expect(await order(other)).toBe('zxy')
    expect(await faultsIn(at)).toEqual([])
  })

  test('puts 250 among thousands of siblings in one statement', async () => {
    const at = await openShop()
    const many = (count: number, position?: (index: number) => number) =>
      Array.from({ length: count }, (_, index) => ({ title: `${index}`, position: position?.(index) }))
    for (let count = 0; count < 2000; count += 250) await at.create('/api/categories', many(250))
    const body = await at.create(
      '/api/categories',
      many(250, (index) => index * 3),
    )
    expect(body.member.map((item: Category) => item.position)).toEqual(
      body.member.map((_: Category, index: number) => index * 3),
    )
    expect(await faultsIn(at)).toEqual([])
  })
})
