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
  return (await at.post('/api/categories', { body, status: 201 })).body
}

async function read(category: { '@id': string }, at: Shop = shop): Promise<Category> {
  return (await at.get(category['@id'], { status: 200 })).body
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
  test('is created with its place, read in one trip, and written in two', async () => {
    const root = await add({ title: 'Clothing' })
    const created = await shop.post('/api/categories', {
      body: {
        title: 'Shirts & Blouses',
        description: '<p>Cotton</p>',
        parent: iri(root),
        externalId: 'erp-1',
      },
      status: 201,
    })
    expect(created.body).toMatchObject({
      '@context': '/api/contexts/Category',
      '@type': 'Category',
      title: 'Shirts & Blouses',
      handle: 'shirts-blouses',
      description: '<p>Cotton</p>',
      externalId: 'erp-1',
      parent: iri(root),
      children: [],
      ancestors: [iri(root)],
      position: 0,
      level: 1,
      version: 1,
    })
    expect(created.body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(created.body.updatedAt).toBe(created.body.createdAt)
    expect(created.headers.get('location')).toBe(iri(created.body))
    expect(trips(created)).toBe(2)
    const got = await shop.get(iri(created.body), { status: 200 })
    expect(got.body).toEqual(created.body)
    expect(trips(got)).toBe(1)
    expect(Number(got.headers.get('service-sequence'))).toBeGreaterThan(0)
    expect((await read(root)).children).toEqual([iri(created.body)])
  })

  test('is patched member by member; a patch that changes nothing bumps nothing', async () => {
    const created = await add({ title: 'Hats', description: 'warm' })
    const patched = await shop.patch(iri(created), {
      body: { description: null, handle: 'caps' },
      status: 200,
    })
    expect(patched.body).toMatchObject({ title: 'Hats', description: null, handle: 'caps', version: 2 })
    expect(patched.body.createdAt).toBe(created.createdAt)
    expect(patched.body.updatedAt > created.updatedAt).toBe(true)
    expect(trips(patched)).toBe(2)
    const before = await eventsOf(shop)
    const { title, handle, parent, children, position } = patched.body
    const second = await shop.patch(iri(created), {
      body: { title, handle, parent, children, position },
      status: 200,
    })
    expect(second.body).toEqual(patched.body)
    expect(trips(second)).toBe(1)
    expect(await eventsOf(shop)).toHaveLength(before.length)
  })

  test('is written in one locale and read in every other', async () => {
    const created = await add({ title: 'Shoes' })
    const french = await shop.patch(iri(created), {
      body: { title: 'Chaussures' },
      locale: 'fr-FR',
      status: 200,
    })
    expect(french.body).toMatchObject({ title: 'Chaussures', version: 2 })
    expect((await read(created)).title).toBe('Shoes')
    const unknownChild = await add({ title: 'Socks', parent: iri(created) })
    const got = await shop.get(`${iri(created)}?expand=children`, { locale: 'fr-FR', status: 200 })
    expect(got.body.title).toBe('Chaussures')
    expect(got.body.children[0]).toMatchObject({
      '@id': iri(unknownChild),
      title: 'Socks',
      fallbacks: { title: 'en-US' },
    })
    const cleared = await shop.patch(iri(created), { body: { title: null }, status: 200 })
    expect(cleared.body).toMatchObject({ title: 'Chaussures', fallbacks: { title: 'fr-FR' } })
    expect((await shop.patch(iri(created), { body: { title: null }, locale: 'fr-FR' })).status).toBe(422)
  })

  test('is deleted when nothing is in it or uses it, and its siblings close up', async () => {
    const parent = await add({ title: 'Garden' })
    const [first, second] = [
      await add({ title: 'A', parent: iri(parent) }),
      await add({ title: 'B', parent: iri(parent) }),
    ]
    const full = await shop.delete(iri(parent))
    expect([full.status, full.body.slug]).toEqual([409, 'category.has_children'])
    const deletion = await shop.delete(iri(first), { status: 204 })
    expect(trips(deletion)).toBe(2)
    expect((await shop.get(iri(first))).body).toMatchObject({ status: 404, slug: 'category.not_found' })
    expect((await shop.delete(iri(first))).status).toBe(404)
    expect((await read(second)).position).toBe(0)
    await shop.post('/api/products', { body: { title: 'Spade', categories: [iri(second)] }, status: 201 })
    const used = await shop.delete(iri(second))
    expect([used.status, used.body.slug]).toEqual([409, 'category.in_use'])
    const events = await eventsOf(shop)
    const deleted = events.filter((event) => event.topic === 'category/deleted')
    expect(
      deleted.map((event) => [event.resource_id, event.resource_version, event.document.id]),
    ).toContainEqual([first.id, 2, first.id])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('is deleted when only archived products are in it, which leave it without a version or an event', async () => {
    const [occupied, parentOfNone] = [await add({ title: 'Held' }), await add({ title: 'Kept' })]
    const product = await shop.post('/api/products', {
      body: { title: 'Rake', categories: [iri(occupied), iri(parentOfNone)] },
      status: 201,
    })
    const used = await shop.delete(iri(occupied))
    expect([used.status, used.body.slug]).toEqual([409, 'category.in_use'])
    await shop.delete(product.body['@id'], { status: 204 })
    const before = await eventsOf(shop)
    const deletion = await shop.delete(iri(occupied), { status: 204 })
    expect(trips(deletion)).toBe(2)
    expect((await eventsOf(shop)).slice(before.length).map(({ topic }) => topic)).toEqual([
      'category/deleted',
    ])
    const archived = await shop.get(product.body['@id'], { status: 200 })
    expect(archived.body).toMatchObject({ status: 'ARCHIVED', version: 2 })
    expect(archived.body.categories.map((category: { '@id': string }) => category['@id'])).toEqual([
      iri(parentOfNone),
    ])
    const restored = await shop.patch(product.body['@id'], { body: { status: 'DRAFT' }, status: 200 })
    expect(restored.body.categories).toHaveLength(1)
    expect((await shop.delete(iri(parentOfNone))).body.slug).toBe('category.in_use')
    expect(await faultsIn(shop)).toEqual([])
  })

  test.each<[string, object, string, string]>([
    ['no title', {}, 'title', 'validation.required'],
    ['a blank title', { title: ' ' }, 'title', 'validation.blank'],
    ['a long title', { title: 'x'.repeat(256) }, 'title', 'validation.too_long'],
    ['a handle in capitals', { title: 'A', handle: 'A' }, 'handle', 'validation.handle'],
    ['a position below -1', { title: 'A', position: -2 }, 'position', 'validation.too_small'],
    ['half a position', { title: 'A', position: 0.5 }, 'position', 'validation.not_integer'],
    ['a parent that is no IRI', { title: 'A', parent: 'x' }, 'parent', 'validation.invalid_iri'],
    ['children that are no list', { title: 'A', children: 'x' }, 'children', 'validation.type'],
    [
      'an unknown parent',
      { title: 'A', parent: '/api/categories/01890000-0000-7000-8000-000000000000' },
      'parent',
      'validation.unknown_reference',
    ],
    [
      'an unknown child',
      { title: 'A', children: ['/api/categories/01890000-0000-7000-8000-000000000000'] },
      'children[0]',
      'validation.unknown_reference',
    ],
  ])('with %s is refused', async (_, body, path, slug) => {
    const refused = await shop.post('/api/categories', { body, status: 422 })
    expect(violations(refused)).toEqual([[path, slug]])
  })
})

describe('handles and external ids', () => {
  test('a handle is derived from the title with the next free number', async () => {
    const handles = []
    for (let count = 0; count < 3; count += 1) handles.push((await add({ title: 'Crème & Œufs' })).handle)
    expect(handles).toEqual(['creme-oeufs', 'creme-oeufs-2', 'creme-oeufs-3'])
    expect((await add({ title: '日本' })).handle).toMatch(/^category(-\d+)?$/)
  })

  test('a name that is given and taken is 409, and stays free to its owner', async () => {
    const owner = await add({ title: 'Owner', handle: 'mine', externalId: 'x-1' })
    const refused = await shop.post('/api/categories', { body: { title: 'B', handle: 'mine' } })
    expect([refused.status, refused.body.slug]).toEqual([409, 'category.handle_taken'])
    const external = await shop.post('/api/categories', { body: { title: 'B', externalId: 'x-1' } })
    expect([external.status, external.body.slug]).toEqual([409, 'category.external_id_taken'])
    const other = await add({ title: 'Other' })
    expect((await shop.patch(iri(other), { body: { handle: 'mine' } })).status).toBe(409)
    await shop.patch(iri(owner), { body: { handle: 'mine', title: 'Own' }, status: 200 })
    expect((await shop.patch(iri(other), { body: { handle: null } })).status).toBe(422)
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
    const last = await shop.patch(iri(c), { body: { position: -1 }, status: 200 })
    expect(last.body.position).toBe(2)
    const same = await shop.patch(iri(c), { body: { position: null }, status: 200 })
    expect(same.body.version).toBe(last.body.version)
    expect((await shop.patch(iri(b), { body: { position: 0 }, status: 200 })).body.position).toBe(0)
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
    const answer = await at.patch(iri(movedCategory), {
      body: { parent: { '@id': iri(sibling) } },
      status: 200,
    })
    expect(answer.body).toMatchObject({
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
    const rooted = await at.patch(iri(movedCategory), { body: { parent: null, position: 0 }, status: 200 })
    expect(rooted.body).toMatchObject({ parent: null, level: 0, position: 0, ancestors: [] })
    expect((await read(to, at)).position).toBe(2)
    expect(await faultsIn(at)).toEqual([])
  })

  test('a category cannot come below itself, nor deeper than ten levels', async () => {
    const chain: Category[] = []
    for (let level = 0; level < 10; level += 1) {
      chain.push(await add({ title: `Level ${level}`, parent: level === 0 ? null : iri(chain[level - 1]) }))
    }
    expect(chain[9].level).toBe(9)
    const tooDeep = await shop.post('/api/categories', {
      body: { title: 'Deeper', parent: iri(chain[9]) },
      status: 422,
    })
    expect(violations(tooDeep)).toEqual([['parent', 'category.too_deep']])
    const other = await add({ title: 'Above', children: [] })
    const pushed = await shop.patch(iri(chain[0]), { body: { parent: iri(other) }, status: 422 })
    expect(violations(pushed)).toEqual([['parent', 'category.too_deep']])
    const adopted = await shop.patch(iri(other), { body: { children: [iri(chain[0])] }, status: 422 })
    expect(violations(adopted)).toEqual([['children', 'category.too_deep']])
    expect(
      (await shop.post('/api/categories', { body: { title: 'Over', children: [iri(chain[0])] } })).body.slug,
    ).toBe('category.too_deep')
    const cycle = await shop.patch(iri(chain[2]), { body: { parent: iri(chain[5]) }, status: 422 })
    expect([cycle.body.slug, violations(cycle)]).toEqual(['category.cycle', [['parent', 'category.cycle']]])
    expect(violations(await shop.patch(iri(chain[2]), { body: { parent: iri(chain[2]) } }))).toEqual([
      ['parent', 'category.cycle'],
    ])
    const through = await shop.patch(iri(chain[5]), {
      body: { children: [iri(other), iri(chain[2])] },
      status: 422,
    })
    expect(violations(through)).toEqual([['children[1]', 'category.cycle']])
    expect(violations(await shop.patch(iri(chain[5]), { body: { children: [iri(chain[5])] } }))).toEqual([
      ['children[0]', 'category.cycle'],
    ])
    expect(await faultsIn(shop)).toEqual([])
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
    const swapped = await at.patch(iri(parent), { body: { children: [iri(b), iri(c)] }, status: 200 })
    expect(swapped.body.children).toEqual([iri(b), iri(c)])
    expect(await eventsOf(at)).toHaveLength(before.length + 4)
    const twice = await at.patch(iri(parent), { body: { children: [iri(b), iri(b)] }, status: 422 })
    expect(violations(twice)).toEqual([['children[1]', 'validation.duplicate_item']])
    expect((await at.patch(iri(parent), { body: { children: null }, status: 200 })).body.children).toEqual([])
    expect(await faultsIn(at)).toEqual([])
  })

  test('a new category adopts what it lists', async () => {
    const at = await openShop()
    const [a, b] = [await add({ title: 'a' }, at), await add({ title: 'b' }, at)]
    const below = await add({ title: 'below', parent: iri(b) }, at)
    const created = await add({ title: 'New', children: [iri(b), iri(a)], position: 0 }, at)
    expect(created).toMatchObject({ children: [iri(b), iri(a)], position: 0 })
    expect(await read(below, at)).toMatchObject({ level: 2, ancestors: [iri(created), iri(b)] })
    expect(await faultsIn(at)).toEqual([])
  })

  test('parent and children may be written together', async () => {
    const at = await openShop()
    const [grand, current] = [await add({ title: 'grand' }, at), await add({ title: 'own' }, at)]
    const dropped = await add({ title: 'dropped', parent: iri(current) }, at)
    const inDropped = await add({ title: 'in dropped', parent: iri(dropped) }, at)
    const answer = await at.patch(iri(current), {
      body: { parent: iri(inDropped), children: [iri(grand)] },
      status: 200,
    })
    expect(answer.body).toMatchObject({
      level: 2,
      ancestors: [iri(dropped), iri(inDropped)],
      children: [iri(grand)],
    })
    expect((await read(grand, at)).level).toBe(3)
    expect(await faultsIn(at)).toEqual([])
  })

  test('are embedded down to three levels, in their order', async () => {
    const at = await openShop()
    const one = await add({ title: '1' }, at)
    const two = await add({ title: '2', parent: iri(one) }, at)
    const secondChild = await add({ title: '2b', parent: iri(one), position: 0 }, at)
    const three = await add({ title: '3', parent: iri(two) }, at)
    const four = await add({ title: '4', parent: iri(three) }, at)
    const five = await add({ title: '5', parent: iri(four) }, at)
    const got = await at.get(`${iri(one)}?expand=children.children.children`, { status: 200 })
    expect(trips(got)).toBe(1)
    expect(got.body.children).toMatchObject([
      { '@id': iri(secondChild), children: [] },
      {
        '@id': iri(two),
        children: [
          {
            '@id': iri(three),
            ancestors: [iri(one), iri(two)],
            children: [{ '@id': iri(four), children: [iri(five)] }],
          },
        ],
      },
    ])
    const list = await at.get('/api/categories?parent=null&expand=children', { status: 200 })
    expect(list.body.member[0].children.map(iri)).toEqual([iri(secondChild), iri(two)])
    for (const path of ['parent', 'children.children.children.children', '']) {
      const refused = await at.get(`${iri(one)}?expand=${path}`, { status: 422 })
      expect(violations(refused)).toEqual([['expand', 'validation.expand']])
    }
    const patched = await at.patch(`${iri(one)}?expand=children`, { body: { title: 'One' }, status: 200 })
    expect(patched.body.children[0].title).toBe('2b')
  })
})

describe('bulk', () => {
  test('creates all, in order, with handles and positions of their own', async () => {
    const at = await openShop()
    const root = await add({ title: 'Root' }, at)
    const titles = Array.from({ length: 250 }, (_, index) => ({
      title: 'Same',
      parent: iri(root),
      position: index < 20 ? 0 : undefined,
    }))
    const created = await at.post('/api/categories', { body: titles, status: 201 })
    expect(trips(created)).toBe(2)
    expect(created.body.member).toHaveLength(250)
    expect(created.body.totalItems).toBe(250)
    expect(created.body.view).toBeUndefined()
    expect(created.body.member.slice(0, 3).map((item: Category) => [item.handle, item.position])).toEqual([
      ['same', 19],
      ['same-2', 18],
      ['same-3', 17],
    ])
    expect(created.body.member[249].position).toBe(249)
    expect((await at.get('/api/categories?itemsPerPage=0')).body.totalItems).toBe(251)
    expect(await eventsOf(at)).toHaveLength(251)
    expect(await faultsIn(at)).toEqual([])
  })

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
    await at.post('/api/categories', { body, status: 201 })
    const order = async (parent: Category) => {
      const { body: list } = await at.get(`/api/categories?parent=${parent.id}`, { status: 200 })
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
    for (let count = 0; count < 2000; count += 250)
      await at.post('/api/categories', { body: many(250), status: 201 })
    const { body } = await at.post('/api/categories', { body: many(250, (index) => index * 3), status: 201 })
    expect(body.member.map((item: Category) => item.position)).toEqual(
      body.member.map((_: Category, index: number) => index * 3),
    )
    expect(await faultsIn(at)).toEqual([])
  })

  test('is all or nothing, its violations indexed', async () => {
    const at = await openShop()
    const wrong = await at.post('/api/categories', { body: [{ title: 'A' }, {}, { title: '' }], status: 422 })
    expect(violations(wrong)).toEqual([
      ['[1].title', 'validation.required'],
      ['[2].title', 'validation.blank'],
    ])
    const unknown = '/api/categories/01890000-0000-7000-8000-000000000000'
    const refused = await at.post('/api/categories', {
      body: [{ title: 'A' }, { title: 'B', parent: unknown }],
      status: 422,
    })
    expect(violations(refused)).toEqual([['[1].parent', 'validation.unknown_reference']])
    const twice = await at.post('/api/categories', {
      body: [{ title: 'Same' }, { title: 'B', handle: 'b' }, { title: 'C', handle: 'b' }],
    })
    expect([twice.status, violations(twice)]).toEqual([409, [['[2].handle', 'category.handle_taken']]])
    expect((await at.get('/api/categories')).body.member).toEqual([])
    const explicit = await at.post('/api/categories', {
      body: [{ title: 'Shirt' }, { title: 'X', handle: 'shirt' }],
      status: 201,
    })
    expect(explicit.body.member.map((item: Category) => item.handle)).toEqual(['shirt-2', 'shirt'])
    expect((await at.post('/api/categories', { body: Array(251).fill({ title: 'A' }) })).status).toBe(422)
  })
})

describe('lists', () => {
  let at: Shop
  let root: Category
  let created: Category[]

  beforeAll(async () => {
    at = await openShop()
    root = await add({ title: 'Root', externalId: 'erp-root' }, at)
    const titles = Array.from({ length: 25 }, (_, index) => ({
      title: `C${String(index).padStart(2, '0')}`,
      parent: iri(root),
    }))
    created = (await at.post('/api/categories', { body: titles, status: 201 })).body.member
  })

  const titlesOf = (reply: Reply) => reply.body.member.map((item: Category) => item.title)

  test('children of a parent come in their order, everything newest first, or as asked', async () => {
    const children = await at.get(`/api/categories?parent=${encodeURIComponent(iri(root))}&itemsPerPage=3`, {
      status: 200,
    })
    expect(titlesOf(children)).toEqual(['C00', 'C01', 'C02'])
    expect(
      titlesOf(await at.get(`/api/categories?parent=${root.id}&order[title]=desc&itemsPerPage=2`)),
    ).toEqual(['C24', 'C23'])
    expect(titlesOf(await at.get('/api/categories?itemsPerPage=2'))).toEqual(['C24', 'C23'])
    expect(children.body.totalItems).toBe(25)
    for (const query of ['parent=x', 'level=x', 'level=-1'])
      expect((await at.get(`/api/categories?${query}`)).status).toBe(422)
  })

  test('a client that follows updatedAt sees every change in order', async () => {
    const newest = (await at.get('/api/categories?order[updatedAt]=desc&itemsPerPage=1')).body.member[0]
      .updatedAt
    await at.patch(iri(created[3]), { body: { title: 'C03 new' }, status: 200 })
    await at.patch(iri(created[1]), { body: { title: 'C01 new' }, status: 200 })
    const changes = await at.get(`/api/categories?updatedAt[after]=${newest}`, { status: 200 })
    expect(titlesOf(changes)).toEqual(['C03 new', 'C01 new'])
  })
})
