import { expect, test } from 'vitest'
import { eventsOf, faultsIn } from '../support/ledger.ts'
import { openShop } from '../support/shop.ts'
import { persistent, race } from './racing.ts'

test('a poller that follows view.next while eight writers write sees every product at its last version, none twice', async () => {
  const shop = await openShop()
  const made: string[] = []
  const writing = { done: false }
  const seen = new Map<string, number[]>()
  const statuses = new Map<string, string>()
  const stamps: string[] = []

  let rounds = 0

  async function poll() {
    let after = '2000-01-01T00:00:00Z'
    // One whole round after the last write.
    for (let last = false; ; ) {
      let path: string | undefined =
        `/api/products?itemsPerPage=3&updatedAt[after]=${encodeURIComponent(after)}`
      while (path) {
        const { body }: { body: ReturnType<typeof JSON.parse> } = await shop.get(path, { status: 200 })
        for (const { '@id': id, version, updatedAt, status } of body.member) {
          statuses.set(id, status)
          seen.set(id, [...(seen.get(id) ?? []), version])
          stamps.push(updatedAt)
          after = updatedAt
        }
        path = body.view?.next
      }
      rounds += 1
      if (last) return
      last = writing.done
      await new Promise((done) => setTimeout(done, 2))
    }
  }

  const polling = poll()
  const replies = await race(8, 6, async (writer, turn) => {
    if (turn === 0) {
      const reply = await persistent(() => shop.post('/api/products', { body: { title: `P${writer}` } }))
      made.push(reply.body['@id'])
      return reply
    }
    const product = made[(writer + turn) % made.length]!
    return persistent(() =>
      turn === 5 && writer === 0
        ? shop.delete(product)
        : shop.patch(product, { body: { vendor: `w${writer}-${turn}` } }),
    )
  })
  writing.done = true
  await polling

  expect(replies.filter((each) => each.status >= 300 && each.body.slug !== 'product.archived')).toEqual([])
  const last = new Map<string, number>()
  for (const each of await eventsOf(shop)) last.set(`/api/products/${each.id}`, each.version)
  expect(new Map([...seen].map(([id, versions]) => [id, versions.at(-1)]))).toEqual(last)
  for (const [id, versions] of seen)
    expect(new Set(versions).size, `${id} at ${versions}`).toBe(versions.length)
  expect(stamps).toEqual(stamps.toSorted())
  const archived = replies.filter((each) => each.status === 204)
  expect(archived).toHaveLength(1)
  expect([...statuses.values()].filter((each) => each === 'ARCHIVED')).toHaveLength(1)
  expect(rounds).toBeGreaterThan(1)
  expect(await faultsIn(shop)).toEqual([])
})
