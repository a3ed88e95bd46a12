/** Responses in the cache of the data centre, as workerd has it: only for callers who accept a response of some age. */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sharedKeysOf } from '../../src/http/jwks.ts'
import { createApp } from '../support/app.ts'
import { executionContext, rest } from '../support/later.ts'
import { openShop, type Shop } from '../support/shop.ts'

const app = createApp()
const platform = new Miniflare(
  convertV4MiniflareOptions({ modules: true, script: 'export default {}', cf: false }),
)
let shop: Shop
let token: string

beforeAll(async () => {
  vi.stubGlobal('caches', await platform.getCaches())
  shop = await openShop()
  token = await shop.token()
  await shop.create('/api/products', { title: 'Lamp' })
}, 60_000)
afterAll(async () => {
  vi.unstubAllGlobals()
  await platform.dispose()
})

/** An isolate that has not answered yet, of a deployment. */
const isolate = (deployment: string) => ({ ...shop.bindings, DEPLOYMENT: { id: deployment } })

async function asked(
  bindings: Shop['bindings'],
  headers: Readonly<Record<string, string>> = { 'Cache-Control': 'max-age=30' },
  path = '/api/products',
) {
  const request = new Request(`http://${shop.host}${path}`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  })
  const response = await app.fetch(request, bindings, executionContext)
  const text = await response.text()
  await rest()
  // The statement of the request itself; an isolate also looks up its tenant.
  const trips = Number(/db;.*desc="(\d+)"/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? 0)
  return { trips, age: response.headers.get('age'), etag: response.headers.get('etag'), text }
}

test('an isolate takes what another has made, without a trip, as it was made', async () => {
  const made = await asked(isolate('one'))
  expect([made.trips, made.age]).toEqual([1, null])
  expect(await asked(isolate('one'))).toEqual({ ...made, trips: 0, age: expect.stringMatching(/^\d$/) })
})

test('none is taken by who does not say an age, asks for something else, may see less, or is of another deployment', async () => {
  await asked(isolate('two'))
  expect((await asked(isolate('two'), {})).trips).toBe(1)
  expect((await asked(isolate('two'), { 'Cache-Control': 'no-cache, max-age=30' })).trips).toBe(1)
  expect(
    (await asked(isolate('two'), { 'Cache-Control': 'max-age=30', 'Service-Locale': 'fr-FR' })).trips,
  ).toBe(1)
  expect((await asked(isolate('two'), undefined, '/api/products?status=ACTIVE')).trips).toBe(1)
  expect((await asked(isolate('three'))).trips).toBe(1)
  const whole = token
  token = await shop.token({ scope: 'products:read' })
  expect((await asked(isolate('two'))).trips).toBe(1)
  token = whole
})

test('a response that is older than accepted is revalidated: it stays if the clock has not moved, else it is created again', async () => {
  const made = await asked(isolate('four'))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40_000 })
  try {
    token = await shop.token()
    expect(await asked(isolate('four'))).toEqual(made)
    await shop.create('/api/products', { title: 'Chair' })
    // Just revalidated, its age is zero, and a caller who accepts thirty seconds gets it.
    expect(await asked(isolate('four'))).toEqual({ ...made, trips: 0, age: '0' })
    const renewed = await asked(isolate('four'), {})
    expect(renewed.text).not.toBe(made.text)
  } finally {
    vi.useRealTimers()
  }
})

test('prices of now are created again when one has changed, however old a response may be', async () => {
  const product = await shop.create('/api/products', { title: 'Shelf', variants: [{}] })
  const [{ '@id': variant }] = product.variants
  const validUntil = new Date(Date.now() + 20_000).toISOString()
  await shop.create('/api/sale_offers', { variant, currency: 'EUR', amount: '5.00', validUntil })
  token = await shop.token()
  const path = `${variant}?resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now`
  const made = await asked(isolate('five'), undefined, path)
  expect(made.text).toContain('"amount":"5.00"')
  expect(await asked(isolate('five'), undefined, path)).toMatchObject({ trips: 0, text: made.text })
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(validUntil) })
  try {
    const renewed = await asked(isolate('five'), undefined, path)
    expect([renewed.trips, renewed.age]).toEqual([1, null])
    expect(renewed.text).toContain('"resolvedPrice":null')
  } finally {
    vi.useRealTimers()
  }
})

test('it has the keys of issuers, by address and revocation', async () => {
  const keys = { set: { keys: [{ kty: 'EC', kid: 'a' }] }, at: Date.now() }
  await sharedKeysOf()?.put('["https://login.example/jwks",null]', keys)
  expect(await sharedKeysOf()?.get('["https://login.example/jwks",null]')).toEqual(keys)
  expect(await sharedKeysOf()?.get('["https://login.example/jwks",1]')).toBe(null)
})
