import type pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { eventsOf, faultsIn, owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { persistent, race } from './racing.ts'

const writers = 8
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

const tags = ['red', 'green', 'blue']
const rulesFor = (turn: number) => ({
  match: turn % 2 ? 'ANY' : 'ALL',
  conditions: [
    { field: 'tag', operator: turn % 3 ? 'EQUALS' : 'NOT_EQUALS', value: tags[turn % 3]! },
    { field: 'vendor', operator: 'STARTS_WITH', value: `w${turn % 2}` },
  ],
})

async function made(path: string, body: object) {
  return (await persistent(() => shop.post(path, { body }))).body
}

async function settled(iri: string): Promise<void> {
  await expect
    .poll(async () => (await shop.get(iri)).body.rebuilding, { interval: 25, timeout: 10_000 })
    .toBe(false)
}

test('eight writers of products next to one who changes rules leave every product where the rules require', async () => {
  const collections = [
    await made('/api/collections', { title: 'A', rules: rulesFor(0) }),
    await made('/api/collections', { title: 'B', rules: rulesFor(1) }),
  ]
  const chosen = await made('/api/collections', { title: 'C' })
  const products = await Promise.all(
    Array.from({ length: 6 }, (_, n) => made('/api/products', { title: `P${n}`, tags: [tags[n % 3]] })),
  )
  const replies = await race(writers + 1, 6, (writer, turn) => {
    if (writer === writers) {
      const { '@id': iri } = collections[turn % 2]
      return persistent(() => shop.patch(iri, { body: { rules: rulesFor(turn + 2) } }))
    }
    const { '@id': iri } = products[(writer + turn) % products.length]
    const n = writer + turn
    return persistent(() => {
      if (n % 7 === 3) return shop.delete(iri)
      if (n % 7 === 4) return shop.patch(iri, { body: { status: 'ACTIVE' } })
      if (n % 7 === 5) return shop.post(`${chosen['@id']}/products`, { body: { product: iri } })
      if (n % 7 === 6)
        return shop.post('/api/products', {
          body: { title: 'New', tags: [tags[n % 3]], vendor: `w${n % 2}` },
        })
      return shop.patch(iri, { body: { tags: [tags[n % 3]], vendor: `w${turn % 2}-${writer}` } })
    })
  })
  for (const { status, body } of replies) {
    if (status === 409) expect(body.slug).toBe('product.archived')
    else expect([200, 201, 204]).toContain(status)
  }
  for (const each of collections) await settled(each['@id'])
  expect(await faultsIn(shop)).toEqual([])
})

test('a collection that is deleted while it is filled leaves nothing of itself', async () => {
  const own = await made('/api/collections', { title: 'A' })
  const products = await Promise.all(
    Array.from({ length: writers - 1 }, (_, n) => made('/api/products', { title: `P${n}` })),
  )
  const replies = await race(writers, 1, (writer) =>
    persistent(() =>
      writer === writers - 1
        ? shop.delete(own['@id'])
        : shop.post(`${own['@id']}/products`, { body: { product: products[writer]['@id'] } }),
    ),
  )
  for (const { status } of replies) expect([201, 204, 404]).toContain(status)
  await expect.poll(() => faultsIn(shop), { timeout: 10_000 }).toEqual([])
  await expect
    .poll(async () => {
      const { body } = await shop.get('/api/products')
      return body.member.flatMap((each: { collections: string[] }) => each.collections)
    })
    .toEqual([])
})

test('eight who put one product into one collection make one change', async () => {
  const own = await made('/api/collections', { title: 'A' })
  const hat = await made('/api/products', { title: 'Hat' })
  const replies = await race(writers, 1, () =>
    persistent(() => shop.post(`${own['@id']}/products`, { body: { product: hat['@id'] } })),
  )
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 201))
  expect((await eventsOf(shop)).map((each) => each.topic)).toEqual([
    'collection/created',
    'product/created',
    'product/updated',
  ])
  expect((await shop.get(own['@id'])).body.productsCount).toBe(1)
  expect(await faultsIn(shop)).toEqual([])
})

const tagged = (value: string) => ({
  match: 'ALL',
  conditions: [{ field: 'tag', operator: 'EQUALS', value }],
})

/** Runs `play` while one transaction holds a lock; `waiters` is how many wait behind it, one behind another. */
function holding(lock: string, of: string, play: (line: Line) => Promise<unknown>): Promise<unknown> {
  return owner(async (client: pg.Client) => {
    await client.query('begin')
    await client.query(lock, [of])
    const waiters = async (count: number) => {
      await expect
        .poll(async () => Number((await client.query(waiting)).rows[0].count), {
          interval: 10,
          timeout: 1500,
        })
        .toBe(count)
    }
    return play({ waiters, release: () => client.query('rollback') })
  })
}
type Line = { waiters: (count: number) => Promise<void>; release: () => Promise<unknown> }

const waiting = `with recursive line(pid) as (
    select pg_backend_pid() union
    select a.pid from pg_stat_activity a join line on line.pid = any(pg_blocking_pids(a.pid))
  ) select count(*) - 1 as count from line`

// The service's `lock_timeout` is two seconds. All writers have to wait within it, so the test is retried on a busy machine.
const isTimed = { retry: 5 }

test('rules that would change under a write of a product wait for it', isTimed, async () => {
  const own = await made('/api/collections', { title: 'A', rules: tagged('green') })
  await settled(own['@id'])
  const hat = await made('/api/products', { title: 'Hat', tags: ['red'] })
  await holding('select 1 from products where id = $1 for update', hat.id, async ({ waiters, release }) => {
    const written = shop.patch(hat['@id'], { body: { tags: ['blue'] } })
    await waiters(1)
    const ruled = shop.patch(own['@id'], { body: { rules: tagged('blue') } })
    await waiters(2)
    await release()
    expect([(await written).status, (await ruled).status]).toEqual([200, 200])
  })
  await settled(own['@id'])
  expect((await shop.get(hat['@id'])).body.collections).toEqual([own['@id']])
  expect(await faultsIn(shop)).toEqual([])
})

test('a write of a product whose rules have changed since they were read is run again', isTimed, async () => {
  const own = await made('/api/collections', { title: 'A', rules: tagged('green') })
  await settled(own['@id'])
  const hat = await made('/api/products', { title: 'Hat', tags: ['red'] })
  const lock = `select pg_advisory_xact_lock(hashtextextended('collection_rules:' || $1, 0))`
  await holding(lock, shop.tenant.id, async ({ waiters, release }) => {
    const ruled = shop.patch(own['@id'], { body: { rules: tagged('blue') } })
    await waiters(1)
    const written = shop.patch(hat['@id'], { body: { tags: ['blue'] } })
    const created = shop.post('/api/products', { body: { title: 'Cap', tags: ['blue'] } })
    await waiters(3)
    await release()
    expect((await ruled).status).toBe(200)
    expect((await written).body.collections).toEqual([own['@id']])
    expect((await created).body.collections).toEqual([own['@id']])
  })
  await settled(own['@id'])
  expect(await faultsIn(shop)).toEqual([])
})

test('products are not sorted by rules that have changed since they were read', async () => {
  const own = await made('/api/collections', { title: 'A', rules: tagged('green') })
  await settled(own['@id'])
  const hat = await made('/api/products', { title: 'Hat', tags: ['red'] })
  await holding('select 1 from products where id = $1 for update', hat.id, async ({ waiters, release }) => {
    await shop.update(own['@id'], { rules: tagged('red') })
    await waiters(1)
    await shop.update(own['@id'], { rules: tagged('blue') })
    await settled(own['@id'])
    await release()
  })
  await expect.poll(async () => (await shop.get(hat['@id'])).body.version).toBe(1)
  expect((await shop.get(hat['@id'])).body.collections).toEqual([])
  expect(await faultsIn(shop)).toEqual([])
})
