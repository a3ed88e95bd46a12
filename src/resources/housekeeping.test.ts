import { expect, inject, test } from 'vitest'
import { owner } from '../../test/support/ledger.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { openDatabase } from '../db/client.ts'
import { cleanTenant, tenantsToClean, waitingWork } from './housekeeping.ts'

const database = openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') })
const clean = ({ tenant }: Shop) => cleanTenant(database.open(tenant.id), new Date(), () => true)

const rowsOf = async ({ tenant }: Shop, sql: string) =>
  (await owner((client) => client.query(sql, [tenant.id]))).rows

/** Whether the hourly job finds expired rows of the tenant. */
async function isDue({ tenant }: Shop): Promise<boolean> {
  const before = `${tenant.id.slice(0, -12)}${(Number.parseInt(tenant.id.slice(-12), 16) - 1).toString(16).padStart(12, '0')}`
  const { tenants } = await database.open(null).read({ tenants: tenantsToClean(new Date(), before, 1) })
  return tenants.some(({ id }) => id === tenant.id)
}

test('deletes thousands of keys after a day and documents after ninety days, and retains newer ones and changes', async () => {
  const shop = await openShop()
  for (const key of ['old', 'young']) {
    await shop.create('/api/products', { title: key }, { headers: { 'Idempotency-Key': key } })
  }
  expect(await isDue(shop)).toBe(false)
  await rowsOf(
    shop,
    `insert into idempotency_keys
     select copy.* from idempotency_keys k, generate_series(1, 2500) n,
       jsonb_populate_record(k, jsonb_build_object('key', 'old ' || n)) copy
      where k.tenant_id = $1 and k.key = 'old'`,
  )
  await rowsOf(
    shop,
    "update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = $1 and key like 'old%'",
  )
  await rowsOf(
    shop,
    "update events set occurred_at = now() - interval '91 days' where tenant_id = $1 and sequence = 1",
  )
  expect(await isDue(shop)).toBe(true)

  expect(await clean(shop)).toBe(false)

  expect(await isDue(shop)).toBe(false)
  expect(await rowsOf(shop, 'select key from idempotency_keys where tenant_id = $1')).toEqual([
    { key: 'young' },
  ])
  const events =
    'select sequence::int, document is null as dropped, changes is null as emptied from events where tenant_id = $1 order by sequence'
  expect(await rowsOf(shop, events)).toEqual([
    { sequence: 1, dropped: true, emptied: false },
    { sequence: 2, dropped: false, emptied: false },
  ])
})

test('stops at its time limit and reports that more is left', async () => {
  const shop = await openShop()
  await shop.create('/api/products', { title: 'A' }, { headers: { 'Idempotency-Key': 'a' } })
  await rowsOf(
    shop,
    "update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = $1",
  )
  expect(await cleanTenant(database.open(shop.tenant.id), new Date(), () => false)).toBe(true)
  expect(await isDue(shop)).toBe(true)
})

test('reads each old document once, also those that it retains', async () => {
  const shop = await openShop()
  await shop.create('/api/products', {
    title: 'Shirt',
    options: [{ title: 'Size', values: Array.from({ length: 40 }, (_, n) => ({ title: `${n}` })) }],
  })
  await rowsOf(shop, "update events set occurred_at = now() - interval '91 days' where tenant_id = $1")
  await clean(shop)
  const retained =
    'select count(*)::int as retained from events where tenant_id = $1 and document is not null'
  expect(await rowsOf(shop, retained)).toEqual([{ retained: 41 }])
  const cleared = 'select cleared_sequence::int as sequence from housekeeping where tenant_id = $1'
  expect(await rowsOf(shop, cleared)).toEqual([{ sequence: 42 }])
  expect(await isDue(shop)).toBe(false)
})

const daysAgo = (days: number) => `now() - interval '${days} days'`

/** Opens a shop with a subscription and a pending delivery. */
async function openShopWithDelivery(): Promise<Shop> {
  const shop = await openShop()
  await shop.create('/api/webhook_subscriptions', { topic: '*', callbackUrl: 'https://hooks.example.com/in' })
  await rowsOf(
    shop,
    `insert into webhook_deliveries (tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id,
       resource_version, payload_version, locale, scopes, next_attempt_at, created_at)
     select tenant_id, id, id, id, 1, '*', 'products', id, 1, '2026-10', 'en-US', '{}', now(), now()
       from webhook_subscriptions where tenant_id = $1`,
  )
  return shop
}

/** Whether the gauges of waiting work name the tenant for expired rows. */
async function isReported({ tenant }: Shop): Promise<boolean> {
  const { work } = await database.open(null).read({ work: waitingWork(new Date(), 0, 1_000_000) })
  return work.some((row) => row.kind === 'expired_row' && row.tenant === tenant.id)
}

test('selects and reports a tenant with only a pending delivery after ninety days, when it is deleted', async () => {
  const shop = await openShopWithDelivery()
  const stateAfter = async (days: number) => {
    await rowsOf(shop, `update webhook_deliveries set created_at = ${daysAgo(days)} where tenant_id = $1`)
    const wasReported = await isReported(shop)
    const isSelected = await isDue(shop)
    await clean(shop)
    const rows = await rowsOf(shop, 'select from webhook_deliveries where tenant_id = $1')
    return { isSelected, isReported: wasReported, deliveries: rows.length }
  }
  expect(await stateAfter(40)).toEqual({ isSelected: false, isReported: false, deliveries: 1 })
  expect(await stateAfter(91)).toEqual({ isSelected: true, isReported: true, deliveries: 0 })
  expect(await isDue(shop)).toBe(false)
})

test('deletes a response of a receiver after thirty days, also if its delivery is still pending', async () => {
  const shop = await openShopWithDelivery()
  await rowsOf(
    shop,
    `insert into webhook_attempts (tenant_id, delivery_id, number, callback_url, started_at, http_status, response)
     select tenant_id, id, n, '', ${daysAgo(29)} - (n - 1) * interval '2 days', 500, 'the reason'
       from webhook_deliveries cross join generate_series(1, 2) n where tenant_id = $1`,
  )
  expect([await isDue(shop), await isReported(shop)]).toEqual([true, true])
  await clean(shop)
  const attempts =
    'select number, http_status, response from webhook_attempts where tenant_id = $1 order by number'
  expect(await rowsOf(shop, attempts)).toEqual([
    { number: 1, http_status: 500, response: 'the reason' },
    { number: 2, http_status: 500, response: null },
  ])
  expect([await isDue(shop), await isReported(shop)]).toEqual([false, false])
})

test('deletes prices thirty days after their end, and retains later ones', async () => {
  const shop = await openShop()
  await rowsOf(
    shop,
    `insert into variant_prices
     select $1, gen_random_uuid(), gen_random_uuid(), '-infinity', until, gen_random_uuid(), gen_random_uuid(), 100, false, true
       from unnest(array[now() - interval '31 days', now() - interval '29 days', 'infinity']) as until`,
  )
  await rowsOf(
    shop,
    `insert into product_prices
     select tenant_id, product_id, market_id, from_at, until_at, amount, false from variant_prices where tenant_id = $1`,
  )
  expect(await isDue(shop)).toBe(true)
  expect(await clean(shop)).toBe(false)
  expect(await isDue(shop)).toBe(false)
  for (const table of ['variant_prices', 'product_prices'])
    expect(await rowsOf(shop, `select until_at from ${table} where tenant_id = $1`)).toHaveLength(2)
})

test('deletes bulk operations with their results seven days after their end, and files seven days after they were sent', async () => {
  const shop = await openShop()
  await rowsOf(
    shop,
    `insert into bulk_operations (tenant_id, id, actor, request_id, origin, api_version, locale, is_strict, stops_on_error, is_dry_run, lines,
            bytes, created_at, finished_at)
     select $1, md5(coalesce(days::text, ''))::uuid, '{}', '', '', '', '', false, false, false, 1, 1, now(), now() - days * interval '1 day'
       from unnest('{6,8,9,null}'::int[]) as days`,
  )
  await rowsOf(
    shop,
    `insert into bulk_operation_results
     select $1, o.id, line, 201, false from bulk_operations o, generate_series(1, 1500) line where o.tenant_id = $1`,
  )
  await rowsOf(
    shop,
    `insert into bulk_operation_pieces select $1, gen_random_uuid(), 1, '', now() - days * interval '1 day' from unnest('{6,8}'::int[]) as days`,
  )
  expect([await isDue(shop), await isReported(shop)]).toEqual([true, true])
  expect(await clean(shop)).toBe(false)
  expect([await isDue(shop), await isReported(shop)]).toEqual([false, false])
  expect(await rowsOf(shop, 'select from bulk_operations where tenant_id = $1')).toHaveLength(2)
  expect(await rowsOf(shop, 'select from bulk_operation_results where tenant_id = $1')).toHaveLength(3000)
  expect(await rowsOf(shop, 'select from bulk_operation_pieces where tenant_id = $1')).toHaveLength(1)
})
