/** Every log line, by its cause; at the end no event of the catalogue is left untested. */

import { neonConfig } from '@neondatabase/serverless'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { consume } from '../../src/background/queue.ts'
import { logEvents } from '../../src/core/log.ts'
import { StorageUnavailable } from '../../src/db/client.ts'
import worker from '../../src/worker.ts'
import { missingId, noteApp, notePath } from '../protocol/notes.ts'
import { createApp } from '../support/app.ts'
import { type Heard, hear } from '../support/lines.ts'
import { onlyReads } from '../support/reads.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { claimsOf, headerOf, newSigner, type Signer, signed } from '../support/token-issuer.ts'
import { newWakeUp } from '../support/wake-up.ts'
import { openWorld, type World } from '../support/webhooks.ts'

/** Nothing listens on the port of the discard protocol. */
const nowhere = 'http://127.0.0.1:9/sql'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let heard: Heard
const events = new Set<string>()

beforeEach(() => {
  heard = hear()
})
afterEach(() => {
  neonConfig.fetchFunction = undefined
  for (const line of heard.all()) {
    events.add(line.event)
    expect(Object.keys(line).toSorted()).toEqual(membersOf(line.event).toSorted())
  }
  vi.restoreAllMocks()
})
afterAll(() => {
  expect([...events].toSorted()).toEqual(Object.keys(logEvents).toSorted())
})

const common = [
  ...['event', 'level', 'tenant', 'requestId', 'operation', 'version', 'durationMs', 'statements'],
  ...['traceId', 'cause'],
]

function membersOf(event: string): string[] {
  const entry = Object.entries(logEvents).find(([name]) => name === event)
  return [...common, ...(entry?.[1].fields ?? ['no such line'])]
}

/** The response of the database, instead of its own. */
function databaseAnswers(make: () => Response): void {
  neonConfig.fetchFunction = async () => make()
}

describe('a request', () => {
  let shop: Shop
  let notes: Shop
  beforeAll(async () => {
    shop = await openShop()
    notes = await openShop({ app: noteApp() })
  })
  // From here on the settings of the tenant are cached.
  beforeEach(async () => {
    await shop.get('/api/versions', { status: 200 })
    await notes.get('/api/versions', { status: 200 })
  })

  test('that fails without a database has a line with operation, tenant and duration', async () => {
    databaseAnswers(() => new Response('gone', { status: 502 }))
    const { headers } = await shop.get('/api/products', { status: 503 })
    expect(heard.all()).toEqual([
      {
        event: 'answer_failed',
        level: 'error',
        tenant: shop.tenant.id,
        requestId: headers.get('x-request-id'),
        operation: 'listProducts',
        version: '2026-10',
        durationMs: expect.any(Number),
        statements: 1,
        traceId: headers.get('x-request-id')?.replaceAll('-', ''),
        cause: {
          name: 'StorageUnavailable',
          reason: 'http_502',
          sqlstate: null,
          constraint: null,
          frames: [],
        },
        status: 503,
        problem: 'server.storage_unavailable',
      },
    ])
    expect(Number(heard.all()[0]?.durationMs)).toBeGreaterThan(0)
  })

  test('for an export whose database goes away has a line of its own', async () => {
    for (let batch = 0; batch < 3; batch += 1)
      await shop.create(
        '/api/products',
        Array.from({ length: 50 }, () => ({ title: 'Exported' })),
      )
    const headers = { Accept: 'application/x-ndjson', Authorization: `Bearer ${await shop.token()}` }
    const response = await shop.fetch(new Request(`http://${shop.host}/api/products`, { headers }))
    const reader = response.body?.getReader()
    await reader?.read()
    databaseAnswers(() => new Response('gone', { status: 502 }))
    await expect(reader?.read()).rejects.toThrow()
    expect(heard.of('export_failed')).toMatchObject([
      { operation: 'listProducts', cause: { name: 'StorageUnavailable', reason: 'http_502' } },
    ])
  })

  test.each([
    ['refuses connections', () => Promise.reject(new TypeError('fetch failed')), 'connection'],
    ['does not answer', () => Promise.reject(new DOMException('late', 'TimeoutError')), 'timeout'],
    [
      'is shutting down',
      async () => Response.json({ code: '57P01', message: 'terminating connection' }, { status: 400 }),
      '57P01',
    ],
  ])('whose database %s has a distinct reason', async (_, answer, reason) => {
    neonConfig.fetchFunction = answer
    await shop.post('/api/products', { body: { title: 'Coat' }, status: 503 })
    expect(heard.of('answer_failed')).toMatchObject([
      { operation: 'createProducts', cause: { name: 'StorageUnavailable', reason } },
    ])
  })

  test('of a host whose look-up fails has no tenant in its line', async () => {
    neonConfig.fetchFunction = () => Promise.reject(new TypeError('fetch failed'))
    const answer = await shop.fetch(new Request('http://unseen.test/api/products'))
    expect(answer.status).toBe(503)
    expect(heard.of('answer_failed')).toMatchObject([
      { tenant: null, version: null, operation: 'listProducts', statements: 1 },
    ])
  })

  test('with a defect has the places of the code in its line, and no text of the error', async () => {
    await notes.patch(notePath, { body: { title: 'defect' }, status: 500 })
    const [line] = heard.of('answer_failed')
    expect(line).toMatchObject({ operation: 'patchNote', status: 500, problem: 'server.unexpected' })
    expect(line?.cause).toMatchObject({ name: 'TypeError', reason: null })
    expect(JSON.stringify(line)).toMatch(/"frames":\["at item \(\S+notes\.ts:\d+:\d+\)",/)
    expect(heard.texts.join()).not.toContain('secret value')
  })

  test('without valid settings logs the names of the settings', async () => {
    const wrong = await openShop({ bindings: { DATABASE_URL: 'postgresql://secret', ENVIRONMENT: 'x' } })
    await wrong.get('/api/products', { status: 503 })
    const reason = 'missing or invalid settings: DATABASE_URL, ENVIRONMENT'
    expect(heard.of('answer_failed')).toMatchObject([
      { problem: 'server.invalid_settings', cause: { name: 'InvalidSettings', reason } },
    ])
  })

  test('that the database rejects as too large has a line, though it is 413', async () => {
    const body = await shop.create('/api/categories', { title: 'Coats' })
    neonConfig.fetchFunction = async (url: string, init: RequestInit) =>
      onlyReads(init) ? fetch(url, init) : Response.json({ message: 'request is too large' }, { status: 413 })
    await shop.patch(body['@id'], { body: { title: 'Hats' }, status: 413 })
    expect(heard.all()).toMatchObject([
      {
        event: 'budget_exceeded',
        level: 'error',
        operation: 'patchCategory',
        status: 413,
        problem: 'http.batch_too_large',
        cause: { name: 'TooLargeForStorage', reason: 'batch' },
      },
    ])
  })

  test('that takes long has a line, and any other has none', async () => {
    await shop.get('/api/products', { status: 200 })
    expect(heard.all()).toEqual([])
    const slow = await openShop({ bindings: { SLOW_REQUEST: '1' } })
    await slow.get('/api/products', { status: 200 })
    expect(heard.all()).toMatchObject([
      {
        event: 'request_slow',
        level: 'warn',
        tenant: slow.tenant.id,
        operation: 'listProducts',
        status: 200,
        thresholdMs: 1,
        statements: 2,
        cause: null,
      },
    ])
  })

  test('whose rate cannot be counted has a line', async () => {
    const limit = () => Promise.reject(new Error('secret value'))
    const away = await openShop({ app: noteApp(), bindings: { READ_LIMIT: { limit } } })
    await away.get(notePath, { status: 200 })
    expect(heard.all()).toMatchObject([
      {
        event: 'rate_limit_unavailable',
        tenant: away.tenant.id,
        operation: 'getNote',
        cause: { name: 'Error' },
      },
    ])
  })

  test('whose data point cannot be written succeeds', async () => {
    const writeDataPoint = () => {
      throw new TypeError('secret value')
    }
    const odd = await openShop({ app: noteApp(), bindings: { METRICS: { writeDataPoint } } })
    await odd.get(notePath, { status: 200 })
    expect(heard.all()).toMatchObject([{ event: 'metrics_failed', tenant: odd.tenant.id }])
  })

  test('that cannot be announced succeeds, and has one line for the writes of five seconds', async () => {
    const { namespace } = newWakeUp({
      interfere() {
        throw new TypeError('no object')
      },
    })
    const unannounced = await openShop({ bindings: { WAKE_UP: namespace } })
    await unannounced.get('/api/products', { status: 200 })
    await unannounced.create('/api/products', { title: 'Coat' })
    await unannounced.create('/api/products', { title: 'Hat' })
    expect(heard.all()).toMatchObject([
      { event: 'wake_up_failed', tenant: null, operation: 'announce', cause: { name: 'TypeError' } },
    ])
  })

  test('with a mistake of the caller has no line', async () => {
    await shop.get('/api/nothing', { status: 404 })
    await shop.post('/api/products', { body: { title: '' }, status: 422 })
    await notes.patch(`/api/notes/${missingId}`, { body: {}, status: 404 })
    await shop.fetch(new Request('http://nobody.test/api/products'))
    expect(heard.all()).toEqual([])
  })

  test('whose work after the response throws has a line with duration and statements', async () => {
    const { headers } = await notes.patch(notePath, { body: { title: 'later' }, status: 200 })
    await notes.rest()
    expect(heard.all()).toMatchObject([
      {
        event: 'later_failed',
        level: 'error',
        tenant: notes.tenant.id,
        requestId: headers.get('x-request-id'),
        operation: 'patchNote',
        version: '2026-10',
        durationMs: expect.any(Number),
        statements: 1,
        cause: { name: 'TypeError', reason: null },
      },
    ])
  })

  test('whose fan-out throws has a line', async () => {
    const failing = await openShop({
      app: createApp({
        afterWrite: async (tenantId, _, database) => {
          await database.open(tenantId).read({})
          throw new StorageUnavailable('57P01')
        },
      }),
    })
    await failing.post('/api/webhook_subscriptions', {
      version: 'unstable',
      body: { topic: 'category/created', callbackUrl: 'http://localhost:9/in' },
      status: 201,
    })
    await failing.rest()
    heard.texts.length = 0
    const { headers } = await failing.post('/api/categories', { body: { title: 'A' }, status: 201 })
    await failing.rest()
    expect(heard.all()).toMatchObject([
      {
        event: 'dispatch_failed',
        tenant: failing.tenant.id,
        requestId: headers.get('x-request-id'),
        operation: 'createCategories',
        statements: 1,
        cause: { name: 'StorageUnavailable', reason: '57P01' },
      },
    ])
  })
})

describe('a token', () => {
  let shop: Shop
  let own: Signer
  beforeAll(async () => {
    own = await newSigner('ES256', 'own')
    const weak = await newSigner('RS256', 'weak', { modulusLength: 1024 })
    shop = await openShop({
      jwks: { keys: [own.jwk, { ...own.jwk, kid: 'twice' }, { ...own.jwk, kid: 'twice' }, weak.jwk] },
      algorithms: ['ES256', 'RS256'],
      tokensValidAfter: 1000,
    })
  })

  const now = Math.floor(Date.now() / 1000)
  const good = () => ({
    ...claimsOf(),
    ...{ iss: shop.tenant.issuer, aud: shop.tenant.audience },
    ...{ iat: now - 10, exp: now + 600, nbf: now - 10 },
  })
  const claims = (differently: object) => () => signed(headerOf(own), { ...good(), ...differently }, own)
  const header = (differently: Record<string, unknown>) => () =>
    signed(headerOf(own, differently), good(), own)
  const rows: [check: string, what: string, make: () => Promise<string> | string][] = [
    ['form', 'two parts', () => 'a.b'],
    ['form', 'another spelling of base64url', () => 'a.b.c'],
    ['header', 'a key of its own', header({ jwk: {} })],
    ['payload', 'claims that are no object', () => signed(headerOf(own), '[]', own)],
    ['algorithm', 'an algorithm that the tenant does not take', header({ alg: 'EdDSA' })],
    ['key_unknown', 'an unpublished key', header({ kid: 'other' })],
    ['key_unknown', 'a key that was published twice', header({ kid: 'twice' })],
    ['key_unfit', 'a key that is too short', header({ kid: 'weak', alg: 'RS256' })],
    ['signature', 'another signature', async () => `${(await claims({})()).slice(0, -8)}AAAAAAAA`],
    ['type', 'another type', header({ typ: 'JWT' })],
    ['claim_missing', 'no subject', claims({ sub: undefined })],
    ['issuer', 'another issuer', claims({ iss: 'https://other.test/' })],
    ['audience', 'another audience', claims({ aud: 'https://other.test/api' })],
    ['audience', 'a second audience', () => claims({ aud: [shop.tenant.audience, 'https://other.test'] })()],
    ['expired', 'an end that has come', claims({ exp: now - 60 })],
    ['not_yet_valid', 'a beginning to come', claims({ nbf: now + 300 })],
    ['not_yet_valid', 'an issue to come', claims({ iat: now + 300 })],
    ['lifetime', 'an age of days', claims({ iat: now - 90_000 })],
    ['lifetime', 'a life of days', claims({ exp: now + 90_000 })],
    ['times', 'fractions of seconds', claims({ exp: now + 600.5 })],
    ['subject', 'a subject with a line break', claims({ sub: 'a\nb' })],
    ['token_id', 'an empty id', claims({ jti: '' })],
    ['revoked', 'an issue before all were revoked', claims({})],
    ['client', 'a client that is a number', claims({ client_id: 7 })],
    ['scope', 'a scope that is a list', claims({ scope: ['products:read'] })],
    ['permissions', 'permissions that are a text', claims({ permissions: 'identity:*' })],
  ]

  test.each(rows)(
    'that is rejected for its %s (%s) has a line with the check, and nothing of its content',
    async (check, _, make) => {
      const token = await make()
      const at = check === 'revoked' ? await revoking() : shop
      const { headers } = await at.get('/api/products', { token, status: 401 })
      expect(heard.all()).toMatchObject([
        {
          event: 'token_refused',
          level: 'warn',
          tenant: at.tenant.id,
          requestId: headers.get('x-request-id'),
          operation: 'listProducts',
          version: '2026-10',
          cause: null,
          status: 401,
          check,
        },
      ])
      for (const part of token.split('.').filter((each) => each.length > 5))
        expect(heard.texts.join()).not.toContain(part)
    },
  )

  /** A shop that has revoked the token of the row, which has not expired. */
  async function revoking(): Promise<Shop> {
    const { issuer, audience, jwks, algorithms } = shop.tenant
    return openShop({ issuer, audience, jwks, algorithms, tokensValidAfter: now })
  }

  test.each([
    ['token_required', 401, () => ({ token: null })],
    ['multiple_credentials', 400, () => ({ path: '/api/products?access_token=secret' })],
    ['insufficient_scope', 403, async () => ({ token: await claims({ scope: 'categories:read' })() })],
    [
      'permission_denied',
      403,
      async () => ({ token: await claims({ sub: 'ann', scope: 'products:read', permissions: [] })() }),
    ],
  ] as const)('%s has a line as well', async (check, status, asked) => {
    const given: { path?: string; token?: string | null } = await asked()
    const token = given.token === undefined ? await claims({})() : given.token
    await shop.get(given.path ?? '/api/products', { token, status })
    expect(heard.all()).toMatchObject([{ event: 'token_refused', check, status }])
    expect(heard.texts.join()).not.toContain('secret')
  })

  test('of an address that was rejected too often has no further lines', async () => {
    const limit = async () => ({ success: false })
    const flooded = await openShop({ bindings: { REFUSED_LIMIT: { limit } } })
    await flooded.get('/api/products', {
      token: 'a.b.c',
      headers: { 'cf-connecting-ip': '192.0.2.7' },
      status: 429,
    })
    expect(heard.all()).toEqual([])
  })

  test('whose issuer is down has a line with the reason for each attempt to fetch its keys', async () => {
    const shopOf = () => openShop({ jwks: null, jwksUri: `https://issuer-${crypto.randomUUID()}.test/keys` })
    const down = await shopOf()
    const send = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (asked, init) =>
      String(asked).includes('issuer-') ? new Response('secret page', { status: 404 }) : send(asked, init),
    )
    await down.get('/api/products', { status: 503 })
    await down.get('/api/products', { status: 503 })
    const failed = { name: 'IssuerUnreachable', reason: 'http_404' }
    expect(heard.of('issuer_unreachable')).toMatchObject([
      { tenant: down.tenant.id, reason: 'http_404', hasKeys: false },
    ])
    expect(heard.of('answer_failed')).toMatchObject([
      { problem: 'auth.issuer_unavailable', cause: failed },
      { problem: 'auth.issuer_unavailable', cause: failed },
    ])
  })
})

describe('what recurs', () => {
  const away = {
    DATABASE_URL: 'postgresql://app:secret@db.test/x',
    NEON_FETCH_ENDPOINT: nowhere,
    ENVIRONMENT: 'local',
  }

  test('that fails has a line with the name of its work', async () => {
    const controller = { scheduledTime: Date.parse('2026-11-22T10:00:00Z') } as ScheduledController
    await expect(worker.scheduled(controller, away)).rejects.toThrow()
    neonConfig.fetchEndpoint = String((await openShop()).bindings.NEON_FETCH_ENDPOINT)
    const logged = heard
      .all()
      .map(({ event, operation, statements, cause }) => [event, operation, statements, cause])
    const cause = expect.objectContaining({ name: 'StorageUnavailable', reason: 'connection' })
    expect(logged.toSorted()).toEqual([
      ['bulk_operation_failed', 'bulk operations', 1, cause],
      ['cron_failed', 'boundaries', 1, cause],
      ['cron_failed', 'dispatch', 1, cause],
      ['housekeeping_failed', 'housekeeping', 1, cause],
      ['locale_change_failed', 'locale change', 1, cause],
      ['rebuild_failed', 'rebuild', 1, cause],
    ])
  })

  test('that fails for one tenant has a line with the tenant, and continues with the others', async () => {
    const world = await openWorld()
    const tenants = [world.shop.tenant.id, missingId]
    const real = world.runtime.database
    const database: typeof real = {
      open: (tenant) => {
        const session = real.open(tenant)
        if (tenant === missingId) return session
        return { ...session, write: () => Promise.reject(new TypeError('secret value')) }
      },
    }
    const acknowledged: string[] = []
    const messages = tenants.map((tenant) => ({
      body: { tenant, job: 'dispatch' },
      attempts: 1,
      ack: () => acknowledged.push(tenant),
      retry() {},
    }))
    await consume({ queue: 'catalogue-work', messages }, { ...world.runtime, database })
    // The cron finds the work again, so that the messages are not repeated.
    expect(acknowledged.toSorted()).toEqual(tenants.toSorted())
    expect(heard.all()).toMatchObject([
      {
        event: 'cron_failed',
        tenant: world.shop.tenant.id,
        operation: 'dispatch',
        cause: { name: 'TypeError' },
      },
    ])
  })
})

describe('a webhook', () => {
  let world: World
  beforeEach(async () => {
    world = await openWorld()
  })

  const product = async () => await world.shop.create('/api/products', { title: 'A' })
  const delivery = async () => (await world.deliveries())[0] ?? {}

  /** The members of every line of a delivery, for one that a request caused. */
  async function about(requestId: string | null) {
    const { id, subscription_id: subscription } = await delivery()
    const { tenant } = world.shop
    return {
      tenant: tenant.id,
      requestId,
      operation: 'deliver',
      version: '2026-10',
      subscription,
      delivery: id,
    }
  }

  test('that fails after its last attempt has a line with the reason, the request and the trace of its write', async () => {
    await world.subscribe({ topic: 'product/*' })
    const { headers } = await world.shop.post('/api/products', {
      body: { title: 'A' },
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' },
      status: 201,
    })
    world.answer = () => new Response('secret', { status: 500 })
    await world.drain()
    expect(heard.all()).toEqual([])
    await world.owner('update webhook_deliveries set attempts = 11 where tenant_id = $1')
    world.pass(60_000)
    await world.cron()
    await world.drain()
    expect(heard.all()).toMatchObject([
      {
        event: 'delivery_given_up',
        level: 'warn',
        ...(await about(headers.get('x-request-id'))),
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        durationMs: expect.any(Number),
        statements: expect.any(Number),
        eventId: (await delivery()).event_id,
        topic: 'product/created',
        attempts: 12,
        reason: 'http_status',
        httpStatus: 500,
      },
    ])
  })

  test('that fails because its last attempt was never recorded has a line', async () => {
    await world.subscribe()
    await product()
    world.answer = () => new Response(null, { status: 500 })
    await world.drain()
    await world.owner(
      `update webhook_deliveries set attempts = 12, next_attempt_at = created_at, lease = gen_random_uuid(), leased_until = created_at
        where tenant_id = $1`,
    )
    await world.cron()
    expect(heard.all()).toMatchObject([
      {
        event: 'delivery_given_up',
        tenant: world.shop.tenant.id,
        operation: 'dispatch',
        delivery: (await delivery()).id,
        attempts: 12,
        reason: 'unheard_of',
        httpStatus: null,
      },
    ])
  })

  test('whose secret cannot be decrypted has one line, and one for a test of the subscription', async () => {
    const { id } = await world.subscribe({ topic: 'product/*' })
    await world.change(id, { secret: 'v1.AAAA.AAAA' })
    const { headers } = await world.shop.post('/api/products', { body: { title: 'A' }, status: 201 })
    for (let n = 0; n < 3; n += 1) {
      await world.drain()
      world.pass(60_000)
      await world.cron()
    }
    expect(heard.all()).toMatchObject([
      {
        event: 'secret_unreadable',
        level: 'error',
        ...(await about(headers.get('x-request-id'))),
        cause: null,
      },
    ])
    heard.texts.length = 0
    await world.shop.post(`/api/webhook_subscriptions/${id}/test`, { body: {}, status: 200 })
    const { resource_id: resource } = await delivery()
    await world.shop.post(`/api/webhook_subscriptions/${id}/preview`, {
      body: { resource: `/api/products/${resource}` },
      status: 200,
    })
    expect(heard.all()).toMatchObject([
      { event: 'secret_unreadable', operation: 'testWebhook', subscription: id, delivery: null },
      { event: 'secret_unreadable', operation: 'previewWebhook', subscription: id, delivery: null },
    ])
  })

  test('that waits because host names cannot be resolved has one line', async () => {
    const { fetch } = world.runtime.callbacks
    Object.assign(world.runtime.callbacks, {
      fetch: (...asked: Parameters<typeof fetch>) =>
        String(asked[0]).startsWith('https://dns.test/')
          ? Promise.reject(new TypeError('x'))
          : fetch(...asked),
    })
    await world.subscribe()
    await product()
    for (let n = 0; n < 3; n += 1) {
      await world.drain()
      world.pass(60_000)
      await world.cron()
    }
    expect(heard.all()).toMatchObject([
      { event: 'delivery_waits', level: 'warn', reason: 'resolver_unavailable', operation: 'deliver' },
    ])
  })

  test('that cannot be rendered has a line with the places of the code', async () => {
    await world.subscribe()
    await product()
    await world.owner(
      `update events set document = jsonb_set(document::jsonb, '{document}', '"secret value"')::text where tenant_id = $1`,
    )
    await world.drain()
    expect(heard.all()).toMatchObject([
      {
        event: 'delivery_unrendered',
        tenant: world.shop.tenant.id,
        requestId: expect.stringMatching(uuid),
        topic: 'product/created',
        cause: {
          name: 'SyntaxError',
          frames: [expect.stringMatching(/^at /), ...Array(7).fill(expect.anything())],
        },
      },
    ])
    expect(heard.texts.join()).not.toContain('secret value')
  })

  test('whose outcome is not recorded has a line, and so has the queue’s consumer', async () => {
    await world.subscribe()
    await product()
    world.failAt('before recording')
    await world.drain()
    expect(heard.all()).toMatchObject([
      {
        event: 'attempt_failed',
        topic: 'product/created',
        attempts: 1,
        cause: { name: 'Error', reason: null },
      },
      {
        event: 'consumer_failed',
        tenant: world.shop.tenant.id,
        operation: 'consume',
        queue: 'catalogue-work',
        count: 1,
        attempts: 1,
        durationMs: expect.any(Number),
        cause: { name: 'Error' },
      },
    ])
    expect(Number(heard.of('consumer_failed')[0]?.statements)).toBeGreaterThan(2)
  })

  test('whose subscription is disabled, since its receiver is gone, has a line', async () => {
    const { id } = await world.subscribe({ topic: 'product/*' })
    const { headers } = await world.shop.post('/api/products', { body: { title: 'A' }, status: 201 })
    world.answer = () => new Response('secret', { status: 410 })
    await world.drain()
    expect(heard.all()).toMatchObject([
      {
        event: 'subscription_disabled',
        level: 'warn',
        tenant: world.shop.tenant.id,
        requestId: headers.get('x-request-id'),
        operation: 'deliver',
        subscription: id,
        reason: 'gone',
      },
    ])
    expect(await world.subscription(id)).toMatchObject({ status: 'DISABLED' })
  })

  test('that is claimed and cannot be released has a line', async () => {
    await world.subscribe()
    await product()
    await world.settled()
    const real = world.runtime.database
    let writes = 0
    const database: typeof real = {
      open(tenant) {
        const session = real.open(tenant)
        const write: typeof session.write = async (readings) => {
          if (!('claimRows' in readings) && !('released' in readings)) return session.write(readings)
          writes += 1
          if (writes > 1) throw new StorageUnavailable('57P01')
          const { claimRows } = (await session.write(readings)) as never
          return { claimRows: { ...(claimRows as object), events: null } } as never
        }
        return { ...session, write }
      },
    }
    const messages = world.messages.splice(0).map(asMessage)
    await consume({ queue: 'catalogue-work', messages }, { ...world.runtime, database })
    expect(heard.all()).toMatchObject([
      { event: 'deliveries_not_released', operation: 'deliver', count: 1, cause: { reason: '57P01' } },
      { event: 'consumer_failed', cause: { name: 'TypeError' } },
    ])
  })

  test('of another program in the queue has a line', async () => {
    const messages = [asMessage({ body: 'secret value' })]
    await consume({ queue: 'catalogue-work', messages }, world.runtime)
    expect(heard.all()).toMatchObject([
      { event: 'message_unreadable', tenant: null, queue: 'catalogue-work', count: 1 },
    ])
  })
})

const asMessage = ({ body }: { readonly body: unknown }) => ({ body, attempts: 1, ack() {}, retry() {} })
