import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openShop } from '../test/support/shop.ts'
import { openDatabase } from './db/client.ts'
import { runHousekeeping } from './housekeeping.ts'

const owner = new pg.Client(inject('ownerUrl'))
beforeAll(() => owner.connect())
afterAll(() => owner.end())

test('deletes thousands of keys after a day and documents after ninety days, and keeps younger ones and changes', async () => {
  const shop = await openShop()
  for (const key of ['old', 'young']) {
    await shop.post('/api/products', {
      body: { title: key },
      headers: { 'Idempotency-Key': key },
      status: 201,
    })
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
