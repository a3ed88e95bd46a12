/** No token, secret, cost or connection string is ever in a line, whatever fails and whatever it says. */
import { neonConfig } from '@neondatabase/serverless'
import { afterEach, expect, test, vi } from 'vitest'
import worker from '../../src/worker.ts'
import { noteApp, notePath } from '../protocol/notes.ts'
import { createApp } from '../support/app.ts'
import { type Heard, hear } from '../support/lines.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { openWorld } from '../support/webhooks.ts'

/** Secrets, each as a unique text. */
const cost = '91827.36'
const word = 'marker-4711'
const password = 'pass-4711'
const secretKey = btoa('4711'.repeat(8))
/** Messages of drivers, receivers and issuers that quote their input, also in lines that look like frames of a stack. */
const said = `${word} ${cost} postgresql://app:${password}@db.test/x\n    at ${word} (/worker.js:1:1)\n`

const thrown = () => Object.assign(new TypeError(said), { name: word, code: word, constraint: word })
const statuses = new Set<number>()

afterEach(() => {
  neonConfig.fetchFunction = undefined
  vi.restoreAllMocks()
})

/** Fails if one of the texts, or a part of a token, is in the output. */
function demandSilence(heard: Heard, secrets: readonly string[]): void {
  const output = heard.texts.join('\n')
  const parts = secrets.flatMap((each) => [each, ...each.split(/[.,\s]/)]).filter((each) => each.length > 6)
  for (const part of [word, cost, password, secretKey, ...parts]) expect(output).not.toContain(part)
}

/** The faults of requests with secrets, each with all of its responses. */
async function failingRequests(shop: Shop, token: string): Promise<void> {
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const given = new Headers({
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...headers,
    })
    const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const request = new Request(`http://${shop.host}${path}`, { method, headers: given, ...init })
    statuses.add((await shop.fetch(request)).status)
  }
  await ask('GET', `/api/products?q=${word}`)
  await ask('POST', '/api/products', { title: word, handle: word })
  const offer = { supplier: word, cost, variant: `/api/products/${word}` }
  await ask('POST', '/api/purchase_offers', offer)
  await ask('POST', '/api/purchase_offers', `{"cost": "${cost}", ${word}`)
  await ask('POST', '/api/purchase_offers', offer, { 'idempotency-key': word })
  await ask(
    'POST',
    '/api/webhook_subscriptions',
    { callbackUrl: `https://${word}/` },
    { 'service-api-version': 'unstable' },
  )
  await ask('GET', `/api/products?q=${word}&cursor=${word}`)
  await ask('GET', `/api/${word}/${word}`)
  await ask('GET', `/api/products?access_token=${word}`)
  await ask('GET', '/api/products', undefined, { authorization: `Bearer ${token}x` })
  await ask('GET', '/api/products', undefined, {
    authorization: `Bearer ${token.split('.').toReversed().join('.')}`,
  })
  await ask('GET', '/api/products', undefined, { authorization: `Basic ${btoa(word)}` })
  await ask('GET', '/api/products', undefined, { traceparent: word, 'service-locale': word, cookie: word })
  await ask('POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: word, arguments: { q: word } },
  })
}

/** Failures of a database that is unreachable, breaks off, or quotes its input in an error. */
const answers: readonly (() => Response | Promise<Response>)[] = [
  () => Promise.reject(thrown()),
  () => new Response(said, { status: 502 }),
  () => new Response(said, { status: 200 }),
  () => Response.json({ message: said, code: '57P01', detail: said }, { status: 400 }),
  () =>
    Response.json(
      { message: said, code: '23505', constraint: 'products_handle', detail: said },
      { status: 400 },
    ),
  () => Response.json({ message: said, code: '42703', detail: said, where: said }, { status: 400 }),
  () => Response.json({ message: said }, { status: 507 }),
  () => Response.json({ message: said }, { status: 413 }),
]

test('requests that fail in every way log nothing of their content, or of the error messages about it', async () => {
  const heard = hear()
  const bindings = { WEBHOOK_SECRET_KEY: secretKey, SLOW_REQUEST: '0' }
  const shop = await openShop({ bindings, app: createApp({ afterWrite: () => Promise.reject(thrown()) }) })
  const token = await shop.token({ sub: word, client: word, claims: { jti: `${word}-jti` } })
  await failingRequests(shop, token)
  for (const answer of answers) {
    neonConfig.fetchFunction = answer
    await failingRequests(shop, token)
    // Of a host that was never asked for.
    await shop.fetch(
      new Request(`http://${word}.test/api/products`, { headers: { authorization: `Bearer ${token}` } }),
    )
  }
  neonConfig.fetchFunction = undefined
  const limit = () => Promise.reject(thrown())
  const notes = await openShop({
    app: noteApp(),
    bindings: { ...bindings, READ_LIMIT: { limit }, WRITE_LIMIT: { limit } },
  })
  const defect = { body: { title: 'defect' }, status: 500, headers: { cookie: word } }
  const replies: Reply[] = [
    await notes.patch(notePath, defect),
    await notes.patch(notePath, { body: { title: 'later' } }),
  ]
  for (const { status } of replies) statuses.add(status)
  await notes.rest()
  await shop.rest()

  // The test is only valid if lines were logged.
  expect([...statuses].toSorted()).toEqual(expect.arrayContaining([200, 400, 401, 404, 413, 422, 500, 503]))
  const events = new Set(heard.all().map(({ event }) => event))
  expect([...events].toSorted()).toEqual([
    ...['answer_failed', 'budget_exceeded', 'later_failed', 'rate_limit_unavailable', 'request_slow'],
    'token_refused',
  ])
  expect(heard.texts.length).toBeGreaterThan(80)
  demandSilence(heard, [token])
  expect(heard.texts.join()).not.toContain('secret value')
})

test('an issuer, settings and a cron that fail log nothing of their content', async () => {
  const heard = hear()
  const shop = await openShop({ jwks: null, jwksUri: `https://${word}.test/keys?key=${word}` })
  const token = await shop.token()
  const send = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (asked, init) =>
    String(asked).includes(word) ? Promise.reject(thrown()) : send(asked, init),
  )
  await shop.get('/api/products', { token, status: 503 })
  for (const url of [`postgresql://${password}`, `mysql://app:${password}@db.test/x`, password]) {
    const wrong = await openShop({
      bindings: { DATABASE_URL: url, WEBHOOK_SECRET_KEY: word, CALLBACKS: word },
    })
    await wrong.get('/api/products', { status: 503 })
  }
  const endpoint = neonConfig.fetchEndpoint
  const away = {
    DATABASE_URL: `postgresql://app:${password}@db.test/x`,
    NEON_FETCH_ENDPOINT: 'http://127.0.0.1:9/sql',
    ENVIRONMENT: 'local',
  }
  const controller = { scheduledTime: 0 } as ScheduledController
  await expect(worker.scheduled(controller, away)).rejects.toThrow()
  neonConfig.fetchEndpoint = endpoint
  expect(new Set(heard.all().map(({ event }) => event)).size).toBe(7)
  demandSilence(heard, [token])
})

test('webhooks that fail log nothing of their bodies, secrets and responses', async () => {
  const heard = hear()
  const world = await openWorld()
  const { id, secret } = await world.subscribe({ callbackUrl: 'https://hooks.shop.dev/in' })
  const { post, patch } = world.shop
  const { body: product } = await post('/api/products', {
    body: { title: word, variants: [{ sku: word }] },
    status: 201,
  })
  const body = { variant: product.variants[0]['@id'], supplier: word, cost, currency: 'EUR' }
  const { body: offer } = await post('/api/purchase_offers', { body, status: 201 })
  const outcomes = [
    () => Promise.reject(thrown()),
    () => new Response(said, { status: 500 }),
    () => new Response(said, { status: 302, headers: { location: `https://${word}/` } }),
  ]
  for (const answer of outcomes) {
    world.answer = answer
    await world.drain()
    world.pass(3_600_000)
    await world.cron()
  }
  await world.change(id, { secret: `v1.${btoa(word)}.${btoa(word)}` })
  await world.drain()
  await patch(offer['@id'], { body: { note: word }, status: 200 })
  await world.owner(
    `update events set document = jsonb_set(document::jsonb, '{document}', to_jsonb($2::text))::text where tenant_id = $1`,
    `{"cost": "${cost}", ${said}`,
  )
  await world.owner(
    `update webhook_deliveries set attempts = 11, deferrals = 0, deferred_for = null, next_attempt_at = created_at
      where tenant_id = $1 and status = 'PENDING'`,
  )
  world.pass(3_600_000)
  await world.cron()
  await world.drainAtOnce()
  await world.drain()
  const events = [...new Set(heard.all().map(({ event }) => event))].toSorted()
  expect(events).toEqual(['delivery_given_up', 'delivery_unrendered', 'secret_unreadable'])
  demandSilence(heard, [secret, btoa(word)])
})
