/** `/health` and `/ready`: on any host, for every caller. */
import { neonConfig } from '@neondatabase/serverless'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest'
import type { Bindings } from '../../src/env.ts'
import { schemaFiles } from '../../src/local/schema-files.ts'
import { createApp } from '../support/app.ts'
import { asOwner, databaseUrls, useOwnDatabase } from '../support/database.ts'
import { executionContext } from '../support/later.ts'
import { hear } from '../support/lines.ts'
import { openWorld } from '../support/webhooks.ts'

const app = createApp()
const newest = schemaFiles().version

// Ages are of all tenants of a database.
let drop: () => Promise<void>
beforeAll(async () => {
  drop = await useOwnDatabase()
})
afterAll(() => drop())

let trips = 0
beforeEach(() => {
  trips = 0
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    trips += 1
    return fetch(url, init)
  }
})
afterEach(() => {
  neonConfig.fetchFunction = undefined
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** An isolate of its own, with its settings. */
function isolate(differently: Bindings = {}, built: string | undefined = newest): Bindings {
  return {
    DATABASE_URL: databaseUrls().appUrl,
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
    ASSETS: {
      fetch: async (path: string) =>
        path.endsWith('/published/schema.json')
          ? Response.json({ name: built })
          : new Response(null, { status: 404 }),
    },
    ...differently,
  }
}

async function ask(path: string, bindings: Bindings, headers: HeadersInit = {}) {
  const answer = await app.fetch(
    new Request(`http://10.0.0.7:8080${path}`, { headers }),
    bindings,
    executionContext,
  )
  return {
    status: answer.status,
    headers: answer.headers,
    body: await answer.json<Record<string, unknown>>(),
  }
}

test('it is alive on any host, without a database and even with settings that are wrong', async () => {
  for (const bindings of [isolate(), { ENVIRONMENT: 'nowhere' }]) {
    const { status, headers, body } = await ask('/health', bindings)
    expect([status, body]).toEqual([200, { status: 'ok' }])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).not.toBeNull()
  }
  expect(trips).toBe(0)
})

test('it is ready on any host while its database answers and has the schema of the Worker', async () => {
  const { status, headers, body } = await ask('/ready', isolate())
  expect([status, body]).toEqual([
    200,
    {
      ...{ status: 'ready', database: 'ok', migrations: 'current' },
      ...{
        oldestWaitingEvent: null,
        oldestWaitingDelivery: null,
        oldestBoundary: null,
        oldestExpiredRow: null,
      },
    },
  ])
  expect(headers.get('cache-control')).toBe('no-store')
  expect(trips).toBe(1)
})

test('a deployed Worker is ready with the id of its version', async () => {
  expect((await ask('/ready', isolate({ DEPLOYMENT: { id: 'v1' } }))).body.version).toBe('v1')
})

test('a database with a later schema than the Worker is ready, one with an earlier schema is not', async () => {
  await asOwner(
    `insert into schema_migrations (name, sha256, applied_at) values ('functions-earlier', '', '2026-01-01')`,
    [],
  )
  const ahead = await ask('/ready', isolate({}, 'functions-earlier'))
  expect([ahead.status, ahead.body.migrations]).toEqual([200, 'ahead'])
  const heard = hear()
  const { status, headers, body } = await ask('/ready', isolate({}, 'functions-later'), {
    'service-locale': 'fr-FR',
  })
  expect(status).toBe(503)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('retry-after')).toBe('5')
  expect(body).toMatchObject({
    ...{ slug: 'server.not_ready', code: 'SRV-1006' },
    message: expect.stringContaining('prêt'),
    checks: { database: 'ok', migrations: 'behind' },
  })
  expect(heard.all()).toMatchObject([
    { event: 'answer_failed', tenant: null, operation: '/ready', problem: 'server.not_ready' },
  ])
})

test('a database from before there was anything to ask is behind, too', async () => {
  hear()
  neonConfig.fetchFunction = async () =>
    Response.json({ message: 'function readiness(unknown) does not exist', code: '42883' }, { status: 400 })
  expect((await ask('/ready', isolate())).body.checks).toEqual({ database: 'ok', migrations: 'behind' })
})

test('a database that is away makes it unready, one that does not answer within three seconds', async () => {
  const heard = hear()
  neonConfig.fetchFunction = () => Promise.reject(new TypeError('fetch failed'))
  const away = await ask('/ready', isolate())
  expect([away.status, away.body.checks]).toEqual([503, { database: 'unreachable', migrations: 'unknown' }])
  const patience: number[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    patience.push(milliseconds)
    return AbortSignal.abort(new DOMException('late', 'TimeoutError'))
  })
  neonConfig.fetchFunction = (url: string, init: RequestInit) => fetch(url, init)
  expect((await ask('/ready', isolate())).status).toBe(503)
  expect(patience).toEqual([3000])
  expect(heard.of('answer_failed').map(({ cause }) => cause)).toMatchObject([
    { name: 'StorageUnavailable', reason: 'connection' },
    { name: 'StorageUnavailable', reason: 'timeout' },
  ])
})

test('it contains how long the oldest event and the most overdue delivery have waited', async () => {
  const world = await openWorld()
  const made = () => world.shop.post('/api/products', { body: { title: 'A' }, status: 201 })
  const { id } = await world.subscribe({ topic: 'product/*' })
  await made()
  world.answer = () => new Response(null, { status: 500 })
  await world.drain()
  const ages = async () => {
    const { body } = await ask('/ready', isolate())
    return [body.oldestWaitingEvent, body.oldestWaitingDelivery]
  }
  // Its next attempt is to come.
  expect(await ages()).toEqual([null, null])
  await made()
  await world.settled()
  await world.owner(
    `update events set occurred_at = now() - interval '90 seconds', fanned_out_at = null where tenant_id = $1 and sequence = 2`,
  )
  await world.owner(
    `update webhook_deliveries set next_attempt_at = now() - interval '40 seconds' where tenant_id = $1`,
  )
  const [event, delivery] = (await ages()).map(Number)
  expect(event).toBeGreaterThanOrEqual(90)
  expect(event).toBeLessThan(100)
  expect(delivery).toBeGreaterThanOrEqual(40)
  expect(delivery).toBeLessThan(50)
  // Paused deliveries are not overdue.
  await world.change(id, { status: 'PAUSED' })
  expect((await ages())[1]).toBeNull()
})

test('the database is queried once a second, however many callers there are', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const one = isolate()
  await ask('/ready', one)
  await Promise.all(Array.from({ length: 20 }, () => ask('/ready', one)))
  expect(trips).toBe(1)
  vi.setSystemTime(Date.now() + 1000)
  await Promise.all(Array.from({ length: 20 }, () => ask('/ready', one)))
  expect(trips).toBe(2)
})
