import { afterAll, beforeEach, expect, test } from 'vitest'
import { eventsOf, faultsIn } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { persistent, race, tally } from './racing.ts'

const writers = 8
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})
afterAll(() => console.log(tally))

async function productWith(body: object = {}) {
  const made = await shop.post('/api/products', { body: { title: 'Shirt', ...body }, status: 201 })
  return made.body
}

test('eight writers of disjoint fields of one product lose no update', async () => {
  const product = await productWith()
  const fields = ['vendor', 'productType', 'externalId', 'handle', 'tags', 'channels', 'description', 'seo']
  const valueOf = (field: string, turn: number) => {
    const text = `v-${turn}`
    if (field === 'tags' || field === 'channels') return [text]
    return field === 'seo' ? { title: text } : text
  }
  const replies = await race(writers, 4, (writer, turn) => {
    const field = fields[writer]!
    return persistent(() => shop.patch(product['@id'], { body: { [field]: valueOf(field, turn) } }))
  })
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 200))
  const after = (await shop.get(product['@id'], { status: 200 })).body
  for (const field of fields) expect(after[field], field).toMatchObject(valueOf(field, 3) as object)
  expect(after.version).toBe(1 + writers * 4)
  expect(new Set(replies.map((each) => each.body.version)).size).toBe(writers * 4)
  expect(await faultsIn(shop)).toEqual([])
})
