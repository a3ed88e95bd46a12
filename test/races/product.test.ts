import { beforeEach, expect, test } from 'vitest'
import { connected, databaseUrls } from '../support/database.ts'
import { faultsIn } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { persistent, race, tally } from './racing.ts'

const writers = 8
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

async function productWith(body: object = {}) {
  const made = await shop.create('/api/products', { title: 'Shirt', ...body })
  return made
}

test('eight writers of disjoint fields of one product lose no update', async () => {
  const product = await productWith()
  const fields = ['vendor', 'productType', 'externalId', 'handle', 'tags', 'channels', 'description', 'seo']
  const written = (field: string, turn: number) => {
    const text = `v-${turn}`
    if (field === 'tags' || field === 'channels') return [text]
    return field === 'seo' ? { title: text } : text
  }
  const replies = await race(writers, 4, (writer, turn) => {
    const field = fields[writer]!
    return persistent(() => shop.patch(product['@id'], { body: { [field]: written(field, turn) } }))
  })
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 200))
  expect(tally.busy, 'responses with Retry-After').toBeLessThan(tally.calls / 5)
  const after = await shop.read(product['@id'])
  for (const field of fields) expect(after[field], field).toMatchObject(written(field, 3) as object)
  expect(after.version).toBe(1 + writers * 4)
  expect(new Set(replies.map((each) => each.body.version)).size).toBe(writers * 4)
  expect(await faultsIn(shop)).toEqual([])
})

test('eight writers of the same field leave the value of the last version', async () => {
  const product = await productWith()
  const replies = await race(writers, 3, (writer, turn) =>
    persistent(() => shop.patch(product['@id'], { body: { vendor: `w${writer}-${turn}` } })),
  )
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 200))
  const last = replies.toSorted((a, b) => a.body.version - b.body.version).at(-1)!
  const after = await shop.read(product['@id'])
  expect(after).toMatchObject({ vendor: last.body.vendor, version: 1 + writers * 3 })
  expect(after.updatedAt).toBe(last.body.updatedAt)
  expect(await faultsIn(shop)).toEqual([])
})

test('eight patches, archivals and restores of one product at once leave whole versions', async () => {
  const product = await productWith({ channels: ['web'] })
  const replies = await race(writers, 3, (writer, turn) =>
    persistent(() => {
      if (writer < 2) return shop.delete(product['@id'])
      if (writer < 4) return shop.patch(product['@id'], { body: { status: 'ACTIVE' } })
      return shop.patch(product['@id'], { body: { vendor: `w${writer}-${turn}` } })
    }),
  )
  for (const { status, body } of replies) {
    if (status === 409) expect(body.slug).toBe('product.archived')
    else expect([200, 204]).toContain(status)
  }
  expect(await faultsIn(shop)).toEqual([])
})

test('eight creators of one handle: one has it, seven get 409; of one title: eight handles', async () => {
  const taken = await race(writers, 1, () =>
    persistent(() => shop.post('/api/products', { body: { title: 'Hat', handle: 'the-hat' } })),
  )
  expect(taken.map((each) => each.status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  const slugs = taken.flatMap((each) => each.body.slug ?? [])
  expect(new Set(slugs)).toEqual(new Set(['product.handle_taken']))

  const derived = await race(writers, 1, () =>
    persistent(() => shop.post('/api/products', { body: { title: 'Cap' } })),
  )
  expect(derived.map((each) => each.status)).toEqual(Array(8).fill(201))
  // Numbered if the first try wins, else ending in the id: a derived handle never refuses a write.
  const handles = new Set<string>(derived.map((each) => each.body.handle))
  expect(handles.size).toBe(8)
  expect(handles).toContain('cap')
  for (const handle of handles) expect(handle).toMatch(/^cap(-([2-8]|[0-9a-f]{12}))?$/)
  expect(await faultsIn(shop)).toEqual([])
})

test('ten bulks of the same titles are all made, also when they wait longer for the clock than a lock is waited for', async () => {
  const amount = 5
  const bodies = Array.from({ length: amount }, (_, index) => ({
    title: `Sock ${index}`,
    variants: [{ saleOffers: [{ currency: 'EUR', amount: '1' }] }],
  }))
  const [, ...replies] = await Promise.all([
    connected(databaseUrls().ownerUrl, async (client) => {
      await client.query(`begin; select set_config('app.tenant', '${shop.tenant.id}', true)`)
      await client.query('update tenant_clock set sequence = sequence where tenant_id = $1', [shop.tenant.id])
      await client.query('select pg_sleep(2.2); commit')
    }),
    ...Array.from({ length: 10 }, () => shop.post('/api/products', { body: bodies, status: 201 })),
  ])
  const handles = replies.flatMap(({ body }) => body.member.map(({ handle }: { handle: string }) => handle))
  expect(new Set(handles).size).toBe(10 * amount)
  expect(await faultsIn(shop)).toEqual([])
})

test('a product is created or restored with the SKU that a variant changes to: one has it, the other gets an error', async () => {
  const variant = async (sku: string) => {
    const reply = await shop.create('/api/products', { title: sku, variants: [{ sku }] })
    return reply
  }
  for (const turn of [1, 2, 3]) {
    const [changed, archived] = [await variant(`old-${turn}`), await variant(`back-${turn}`)]
    await shop.delete(archived['@id'], { status: 204 })
    const replies = await Promise.all([
      shop.patch(changed.variants[0]['@id'], { body: { sku: `new-${turn}` } }),
      shop.post('/api/products', { body: { title: 'Another still', variants: [{ sku: `new-${turn}` }] } }),
      shop.patch(archived['@id'], { body: { status: 'ACTIVE' } }),
      shop.post('/api/products', { body: { title: 'Another', variants: [{ sku: `back-${turn}` }] } }),
    ])
    for (const pair of [replies.slice(0, 2), replies.slice(2)]) {
      expect(pair.map(({ status }) => status < 300).toSorted()).toEqual([false, true])
      expect(pair.flatMap(({ body }) => body.slug ?? [])).toEqual(['variant.sku_taken'])
    }
  }
  expect(await faultsIn(shop)).toEqual([])
})
