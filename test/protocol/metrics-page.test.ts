/** `/metrics`: the gauges of the database for a monitor of the operator. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Bindings } from '../../src/env.ts'
import { createApp } from '../support/app.ts'
import { databaseUrls, useOwnDatabase } from '../support/database.ts'
import { executionContext } from '../support/later.ts'
import { openShop } from '../support/shop.ts'
import { openWorld } from '../support/webhooks.ts'

const app = createApp()
const token = 'a-token-of-at-least-32-characters'

// The gauges are about all tenants of a database.
let drop: () => Promise<void>
beforeAll(async () => {
  drop = await useOwnDatabase()
})
afterAll(() => drop())

async function ask(
  authorization: string | null,
  bindings: Bindings = {},
  url = 'http://10.0.0.7:8080/metrics',
) {
  const headers = new Headers(authorization === null ? [] : [['authorization', authorization]])
  const settings = {
    DATABASE_URL: databaseUrls().appUrl,
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
    METRICS_TOKEN: token,
    ...bindings,
  }
  const response = await app.fetch(new Request(url, { headers }), settings, executionContext)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The samples of an OpenMetrics text by name and labels. Fails if the text is not of the form that OpenMetrics 1.0 describes. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n')
  expect(lines.slice(-2)).toEqual(['# EOF', ''])
  const samples = new Map<string, number>()
  let family = ''
  for (const line of lines.slice(0, -2)) {
    const [, keyword, name] = /^# (TYPE|UNIT|HELP) (\w+) .+$/.exec(line) ?? []
    if (keyword === 'TYPE') family = name!
    if (keyword) {
      expect(name).toBe(family)
      continue
    }
    const [, sample = '', value] = /^(\w+(?:\{(?:\w+="[^"\\\n]*",?)+\})?) (\d+(?:\.\d+)?)$/.exec(line) ?? []
    expect(sample.split('{')[0], line).toBe(family)
    expect(samples.has(sample)).toBe(false)
    samples.set(sample, Number(value))
  }
  return samples
}

describe('the caller', () => {
  test('gets 404 from a deployment without a token for metrics, whatever is sent', async () => {
    for (const authorization of [null, `Bearer ${token}`])
      expect((await ask(authorization, { METRICS_TOKEN: undefined })).status).toBe(404)
  })

  test.each([
    [null, 'auth.token_required'],
    ['', 'auth.token_required'],
    ['Bearer', 'auth.token_required'],
    [`Basic ${token}`, 'auth.token_required'],
    [`Bearer ${token}x`, 'auth.invalid_token'],
    [`Bearer ${token.slice(1)}`, 'auth.invalid_token'],
    [`Bearer ${token} ${token}`, 'auth.token_required'],
  ])('with %j gets 401 %s', async (authorization, slug) => {
    const { status, headers, text } = await ask(authorization)
    expect([status, JSON.parse(text).slug]).toEqual([401, slug])
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect(text).not.toContain(token)
  })

  test('with a token of a tenant gets 401', async () => {
    const shop = await openShop()
    expect((await ask(`Bearer ${await shop.token()}`)).status).toBe(401)
  })

  test('who sends the token over plain HTTP gets 403, except in a local service', async () => {
    const production = { ENVIRONMENT: 'production', WEBHOOK_SECRET_KEY: btoa('k'.repeat(32)) }
    const { status, text } = await ask(`Bearer ${token}`, production)
    expect([status, JSON.parse(text).slug]).toEqual([403, 'auth.insecure_transport'])
    expect((await ask(`Bearer ${token}`, production, 'https://10.0.0.7/metrics')).status).toBe(200)
  })
})

test('the gauges are zero while nothing waits, and name the kinds of work', async () => {
  const { status, headers, text } = await ask(`Bearer ${token}`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  const samples = samplesOf(text)
  for (const kind of ['event', 'delivery', 'boundary', 'locale_change', 'rebuild', 'expired_row']) {
    expect(samples.get(`catalogue_oldest_waiting_seconds{kind="${kind}"}`), kind).toBe(0)
    expect(samples.get(`catalogue_waiting_tenants{kind="${kind}"}`), kind).toBe(0)
  }
  expect(samples.get('catalogue_unreachable_hosts')).toBe(0)
  expect(samples.get('catalogue_database_connections')).toBeGreaterThan(0)
})

test('a tenant whose work waits for minutes is named by its id alone', async () => {
  const world = await openWorld()
  const { shop } = world
  await world.subscribe({ topic: 'product/*' })
  const { variants } = await shop.create('/api/products', { title: 'Secret', variants: [{ sku: 'S' }] })
  const offer = {
    ...{ variant: variants[0]['@id'], channel: 'web', countries: ['FR'], currency: 'EUR', amount: '1.00' },
    status: 'ACTIVE',
  }
  await shop.create('/api/sale_offers', {
    ...offer,
    validFrom: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await world.drain()
  for (const sql of [
    `update events set occurred_at = now() - interval '300 seconds', fanned_out_at = null where tenant_id = $1 and sequence = 1`,
    `update webhook_deliveries set status = 'PENDING', completed_at = null, next_attempt_at = now() - interval '400 seconds' where tenant_id = $1`,
    `update sale_offer_terms set valid_from = now() - interval '500 seconds', known_from = now() - interval '600 seconds' where tenant_id = $1`,
    `insert into sale_offer_boundaries (tenant_id) values ($1) on conflict do nothing`,
    `insert into collection_rebuilds select $1, gen_random_uuid(), 1, gen_random_uuid(), now() - interval '600 seconds', '{}', '', ''`,
    `insert into locale_changes (tenant_id, locale, action, due_at) values ($1, 'de-DE', 'index', now() - interval '700 seconds')`,
    `insert into idempotency_keys (tenant_id, client, key, fingerprint, operation, result, created_at)
     values ($1, 'c', 'k', '', '', '{}', now() - interval '24 hours' - interval '800 seconds')`,
    `insert into webhook_hosts (tenant_id, host, failures) values ($1, 'hooks.shop.dev', 5)
     on conflict (tenant_id, host) do update set failures = 5`,
  ])
    await world.owner(sql)
  const { text } = await ask(`Bearer ${token}`)
  const samples = samplesOf(text)
  const tenant = shop.tenant.id
  for (const [kind, seconds] of Object.entries({
    ...{ event: 300, delivery: 400, boundary: 500, rebuild: 600, locale_change: 700, expired_row: 800 },
  })) {
    for (const name of [
      `catalogue_oldest_waiting_seconds{kind="${kind}"}`,
      `catalogue_tenant_waiting_seconds{kind="${kind}",tenant="${tenant}"}`,
    ]) {
      expect(samples.get(name), name).toBeGreaterThanOrEqual(seconds)
      expect(samples.get(name), name).toBeLessThan(seconds + 60)
    }
    expect(samples.get(`catalogue_waiting_tenants{kind="${kind}"}`), kind).toBe(1)
  }
  expect(samples.get('catalogue_unreachable_hosts')).toBe(1)
  expect(text).not.toContain('hooks.shop.dev')
  expect(text).not.toContain(shop.host)
})

test('a delivery is overdue only while a worker could attempt it', async () => {
  const world = await openWorld()
  const { shop } = world
  const { id } = await world.subscribe({ topic: 'product/*' })
  const { '@id': product } = await shop.create('/api/products', { title: 'A' })
  await shop.update(product, { title: 'B' })
  await world.drain()
  const sample = `catalogue_tenant_waiting_seconds{kind="delivery",tenant="${shop.tenant.id}"}`
  const overdue = async () => {
    const seconds = samplesOf((await ask(`Bearer ${token}`)).text).get(sample)
    return seconds && Math.floor(seconds / 100) * 100
  }
  const set = (values: string, sequences = '1, 2') =>
    world.owner(
      `update webhook_deliveries set ${values} where tenant_id = $1 and event_sequence in (${sequences})`,
    )
  const due = (seconds: number) =>
    `status = 'PENDING', completed_at = null, next_attempt_at = now() - interval '${seconds} seconds'`
  await set(due(400), '2')
  expect(await overdue()).toBe(400)
  // The receiver has failed the first version, whose next attempt is to come.
  await set(`${due(-400)}, attempts = 3`, '1')
  expect(await overdue()).toBe(undefined)
  await set('attempts = 5', '1')
  expect(await overdue()).toBe(400)
  await set(`${due(200)}, attempts = 3`, '1')
  expect(await overdue()).toBe(200)
  const host = `insert into webhook_hosts (tenant_id, host, failures, open_until) values ($1, 'hooks.shop.dev', 5, now() + $2::interval)
                on conflict (tenant_id, host) do update set open_until = excluded.open_until`
  await world.owner(host, '1 minute')
  expect(await overdue()).toBe(undefined)
  // After its pause the host gets one attempt at once.
  await world.owner(host, '-1 minute')
  expect(await overdue()).toBe(200)
  const leased = (until: string) =>
    world.owner(
      `insert into webhook_deliveries
       select d.* from webhook_deliveries w, jsonb_populate_record(w, jsonb_build_object(
           'id', gen_random_uuid(), 'event_id', gen_random_uuid(), 'resource_id', gen_random_uuid(), 'lease', gen_random_uuid(),
           'leased_until', now() + $2::interval, 'next_attempt_at', now() + interval '5 minutes')) d
        where w.tenant_id = $1 and w.event_sequence = 2 and w.lease is null`,
      until,
    )
  await leased('-1 second')
  expect(await overdue()).toBe(200)
  await leased('1 minute')
  expect(await overdue()).toBe(undefined)
  await world.owner('delete from webhook_hosts where tenant_id = $1')
  expect(await overdue()).toBe(200)
  await world.change(id, { status: 'PAUSED' })
  expect(await overdue()).toBe(undefined)
})

test('a suspended tenant has no waiting work', async () => {
  const world = await openWorld()
  await world.shop.create('/api/products', { title: 'A' })
  await world.owner(
    `update events set occurred_at = now() - interval '300 seconds', fanned_out_at = null where tenant_id = $1`,
  )
  const sample = `catalogue_tenant_waiting_seconds{kind="event",tenant="${world.shop.tenant.id}"}`
  expect(samplesOf((await ask(`Bearer ${token}`)).text).has(sample)).toBe(true)
  await world.owner(`update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1`)
  expect(samplesOf((await ask(`Bearer ${token}`)).text).has(sample)).toBe(false)
})

describe('the rules of alerts', () => {
  const rules = join(import.meta.dirname, '../../.github/monitoring/alerts.yml')

  test('name gauges and kinds that the page has', async () => {
    const { text } = await ask(`Bearer ${token}`)
    const expressions = [...readFileSync(rules, 'utf8').matchAll(/expr: (.+)$/gm)].map(([, each]) => each!)
    expect(expressions).toHaveLength(7)
    for (const expression of expressions) {
      const [name] = /catalogue_\w+/.exec(expression) ?? []
      expect(text, expression).toContain(`# TYPE ${name} gauge`)
      const kinds = /kind=~?"([^"]+)"/.exec(expression)?.[1]?.split('|') ?? []
      for (const kind of kinds) expect(text).toContain(`catalogue_oldest_waiting_seconds{kind="${kind}"}`)
    }
  })

  // .ci/run installs it with Chromium.
  const hasPromtool = spawnSync('promtool', ['--version']).status === 0
  test.skipIf(!hasPromtool)('fire as their tests expect, and Prometheus reads the page', async () => {
    execFileSync('promtool', ['test', 'rules', rules.replace('.yml', '.test.yml')], { stdio: 'pipe' })
    const { text } = await ask(`Bearer ${token}`)
    // It warns of what only the older format forbids, such as the line of the unit.
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})
