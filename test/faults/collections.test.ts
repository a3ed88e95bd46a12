/** Sorting products by changed rules, with the database failing in the middle: every continuation ends in the state of the rules. */
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { openDatabase, type Session } from '../../src/db/client.ts'
import { continueRebuilds } from '../../src/resources/collections/rebuild.ts'
import { eventsOf, faultsIn, owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { refreshParts } from '../support/stored-parts.ts'
import { type Fault, lines, newLine } from './database-line.ts'

let shop: Shop
let collection: { id: string; '@id': string }
const database = openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') })

beforeEach(async () => {
  shop = await openShop()
  const rules = { conditions: [{ field: 'tag', operator: 'EQUALS', value: 'red' }] }
  collection = await shop.create('/api/collections', { title: 'Red', rules })
  await expect.poll(async () => (await shop.get(collection['@id'])).body.rebuilding).toBe(false)
  for (let bulk = 0; bulk < 5; bulk += 1) {
    const body = Array.from({ length: 50 }, (_, n) => ({ title: `P${n}`, tags: [n % 5 ? 'blue' : 'red'] }))
    await shop.create('/api/products', body)
  }
  // As if the products had been sorted by other rules, and no process were sorting them.
  await owner(async (client) => {
    const of = [shop.tenant.id, collection.id]
    await client.query('delete from product_collections where tenant_id = $1 and collection_id = $2', of)
    await client.query(`delete from tenant_totals where tenant_id = $1 and name = 'collection:' || $2`, of)
    await client.query(
      `insert into collection_rebuilds (tenant_id, id, version, next_id, leased_until, actor, api_version, request_id)
       values ($1, $2, 1, '00000000-0000-0000-0000-000000000000', now() - interval '1 second',
               '{"subject": "s", "client": "c", "person": false}', '2026-10', 'r')`,
      of,
    )
  })
  await refreshParts(shop)
})
afterEach(() => lines.delete(shop.tenant.id))

// Six losses outlast the four tries of a write.
const faults: readonly (readonly [Fault, number])[] = [
  ['request lost', 6],
  ['response lost', 1],
  ['response lost', 6],
  ['late', 1],
  ['cancelled', 1],
  [{ statement: 1, sqlstate: '40P01' }, 1],
  [{ statement: 2, sqlstate: '57014' }, 2],
]

test.each(faults)('%o, %i times', async (fault, times) => {
  const before = (await eventsOf(shop)).length
  lines.set(shop.tenant.id, { ...newLine(), fault, times })
  for (let round = 0; round < 10; round += 1) {
    await continueRebuilds(database.open(shop.tenant.id), () => true).catch(() => undefined)
    if (!(await shop.get(collection['@id'])).body.rebuilding) break
    await owner((client) =>
      client.query(
        `update collection_rebuilds set leased_until = now() - interval '1 second' where tenant_id = $1`,
        [shop.tenant.id],
      ),
    )
  }
  expect((await shop.get(collection['@id'])).body).toMatchObject({ rebuilding: false, productsCount: 50 })
  expect((await eventsOf(shop)).length - before).toBe(50)
  expect(await faultsIn(shop)).toEqual([])
})

test('a rebuild that always fails stops no other one', async () => {
  const rules = { conditions: [{ field: 'tag', operator: 'EQUALS', value: 'blue' }] }
  const blue = await shop.create('/api/collections', { title: 'Blue', rules })
  await shop.rest()
  await owner((client) =>
    client.query(
      `insert into collection_rebuilds
       select tenant_id, $2, version, next_id, leased_until - interval '1 second', actor, api_version, request_id
         from collection_rebuilds where tenant_id = $1`,
      [shop.tenant.id, blue.id],
    ),
  )
  const session = database.open(shop.tenant.id)
  const failing: Session = {
    ...session,
    async apply(write) {
      if (JSON.stringify(write.locks).includes(blue.id)) throw new TypeError('blue')
      return await session.apply(write)
    },
  }
  await expect(continueRebuilds(failing, () => true)).rejects.toThrow('blue')
  expect((await shop.get(collection['@id'])).body).toMatchObject({ rebuilding: false, productsCount: 50 })
})
