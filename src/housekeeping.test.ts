import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { openShop } from '../test/support/shop.ts'
import { openDatabase, type Session } from './db/client.ts'
import { runHousekeeping } from './housekeeping.ts'

const owner = new pg.Client(inject('ownerUrl'))
beforeAll(() => owner.connect())
afterAll(() => owner.end())

test('deletes thousands of keys after a day and documents after ninety days, and retains newer ones and changes', async () => {
  const shop = await openShop()
  for (const key of ['old', 'young']) {
    await shop.create('/api/products', { title: key }, { headers: { 'Idempotency-Key': key } })
  }
  const tenantIds = [shop.tenant.id]
  await owner.query(
    `insert into idempotency_keys
     select copy.* from idempotency_keys k, generate_series(1, 2500) n,
       jsonb_populate_record(k, jsonb_build_object('key', 'old ' || n)) copy
      where k.tenant_id = $1 and k.key = 'old'`,
    tenantIds,
  )
  await owner.query(
    "update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = $1 and key like 'old%'",
    tenantIds,
  )
  await owner.query(
    "update events set occurred_at = now() - interval '91 days' where tenant_id = $1 and sequence = 1",
    tenantIds,
  )

  const database = openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') })
  const result = await runHousekeeping(database, new Date())
  expect(result.tenants).toBeGreaterThan(0)

  const keys = await owner.query('select key from idempotency_keys where tenant_id = $1', tenantIds)
  expect(keys.rows).toEqual([{ key: 'young' }])
  const events = await owner.query(
    'select sequence::int, document is null as dropped, changes is null as emptied from events where tenant_id = $1 order by sequence',
    tenantIds,
  )
  expect(events.rows).toEqual([
    { sequence: 1, dropped: true, emptied: false },
    { sequence: 2, dropped: false, emptied: false },
  ])
})

test('a failure of one tenant is logged and leaves no work of the others', async () => {
  const shops = await Promise.all([openShop(), openShop(), openShop()])
  const ids = shops.map((shop) => shop.tenant.id)
  for (const shop of shops)
    await shop.create('/api/products', { title: 'A' }, { headers: { 'Idempotency-Key': 'a' } })
  await owner.query(
    "update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = any($1)",
    [ids],
  )
  const database = openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') })
  const failing = ids.toSorted()[0]
  const lines = vi.spyOn(console, 'error').mockImplementation(() => {})
  await runHousekeeping(
    {
      open: (tenant) => (tenant === failing ? failingSession(database.open(tenant)) : database.open(tenant)),
    },
    new Date(),
  )
  const { rows } = await owner.query(
    'select tenant_id as id from idempotency_keys where tenant_id = any($1)',
    [ids],
  )
  expect(rows).toEqual([{ id: failing }])
  const logged = lines.mock.calls.map(([line]) => JSON.parse(String(line)))
  expect(logged).toContainEqual(expect.objectContaining({ event: 'housekeeping_failed', tenant: failing }))
  lines.mockRestore()
})

function failingSession(session: Session): Session {
  return { ...session, write: () => Promise.reject(new Error('no connection')) }
}
