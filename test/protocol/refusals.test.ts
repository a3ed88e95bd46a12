/** Floods of made-up hosts and tokens, which are counted by address. */
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { createApp } from '../support/app.ts'
import { executionContext } from '../support/later.ts'
import { openShop, type Shop } from '../support/shop.ts'

const app = createApp()

let shop: Shop
let trips: number
beforeEach(async () => {
  shop = await openShop()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  trips = 0
  const send = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation((...asked) => {
    trips += 1
    return send(...asked)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

type Asked = { host?: string; token?: string | null; address?: string | null; authorization?: string }

/** The service in an isolate of its own, with a counter that lets so many refusals of each address pass in a window. */
function isolate(most: number, more: Readonly<Record<string, unknown>> = {}) {
  const counted = new Map<string, { since: number; amount: number }>()
  const counter = {
    calls: 0,
    async limit({ key }: { key: string }) {
      counter.calls += 1
      const now = Date.now()
      const before = counted.get(key)
      const entry = before && now - before.since < 10_000 ? before : { since: now, amount: 0 }
      counted.set(key, { ...entry, amount: entry.amount + 1 })
      return { success: entry.amount < most }
    },
  }
  const bindings = {
    DATABASE_URL: inject('appUrl'),
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
    REFUSED_LIMIT: counter,
    ...more,
  }
  const ask = async ({ host = shop.host, token, address = '192.0.2.7', authorization }: Asked = {}) => {
    const written = token === undefined ? await shop.token() : token
    const headers = new Headers({
      ...(written !== null && { authorization: authorization ?? `Bearer ${written}` }),
      ...(address !== null && { 'cf-connecting-ip': address }),
    })
    const response = await app.fetch(
      new Request(`http://${host}/api/versions`, { headers }),
      bindings,
      executionContext,
    )
    const body = JSON.parse(await response.text())
    return { status: response.status, headers: response.headers, body }
  }
  const flood = async (times: number, asked: (index: number) => Asked) => {
    const statuses: number[] = []
    for (let index = 0; index < times; index += 1) statuses.push((await ask(asked(index))).status)
    return statuses
  }
  return { ask, flood, counter }
}

let hosts = 0
const madeUp = () => `made-up-${(hosts += 1)}.test`

describe('an address with many made-up hosts', () => {
  test('is 429 until the window is over', async () => {
    const { ask, flood } = isolate(3)
    expect(await flood(6, () => ({ host: madeUp(), token: null }))).toEqual([404, 404, 404, 429, 429, 429])
    const refused = await ask({ host: madeUp(), token: null })
    expect(refused.body).toMatchObject({ status: 429, slug: 'rate_limit.exceeded' })
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(refused.headers.get('ratelimit')).toBe('"refusals";r=0;t=10')
    expect(refused.headers.get('ratelimit-policy')).toContain('"refusals";q=100;w=10')
    later(10)
    expect((await ask({ host: madeUp(), token: null })).status).toBe(404)
  })

  test('is served with a good token', async () => {
    const { ask, flood } = isolate(1)
    await flood(5, () => ({ host: madeUp(), token: null }))
    expect((await ask()).status).toBe(200)
  })

  test('holds up no other address', async () => {
    const { ask, flood } = isolate(1)
    await flood(5, () => ({ host: madeUp(), token: null }))
    expect((await ask({ host: madeUp(), token: null, address: '192.0.2.8' })).status).toBe(404)
  })
})

describe('an address with many bad tokens', () => {
  test.each([
    ['made up', { token: 'a.b.c' }],
    ['missing', { token: null }],
    ['of another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('that are %s is 429, and served with a good one', async (_, bad) => {
    const { ask, flood } = isolate(2)
    await ask()
    const before = trips
    expect(await flood(5, () => bad)).toEqual([401, 401, 429, 429, 429])
    expect(trips).toBe(before)
    expect(await flood(3, () => ({}))).toEqual([200, 200, 200])
    expect((await ask(bad)).status).toBe(429)
    later(10)
    expect((await ask(bad)).status).toBe(401)
  })

  test('is its network where it is one of IPv6', async () => {
    const { ask, flood } = isolate(2)
    await flood(3, (index) => ({ token: null, address: `2001:db8:0:7::${index + 1}` }))
    expect((await ask({ token: null, address: '2001:DB8::7:1:2:3:4' })).status).toBe(429)
    expect((await ask({ token: null, address: '2001:db8:0:8::1' })).status).toBe(401)
  })

  test('is that of IPv4 if it is mapped into IPv6', async () => {
    const { ask, flood } = isolate(2)
    await flood(3, () => ({ token: null, address: '::ffff:192.0.2.9' }))
    expect((await ask({ token: null, address: '192.0.2.9' })).status).toBe(429)
    expect((await ask({ token: null, address: '::ffff:192.0.2.10' })).status).toBe(401)
  })
})

test('valid requests, open pages and other errors are not counted as rejections', async () => {
  const { ask, counter } = isolate(0)
  expect((await ask()).status).toBe(200)
  expect((await ask({ token: await shop.token({ scope: 'products:read' }) })).status).toBe(200)
  const { status } = await app.fetch(
    new Request(`http://${shop.host}/api`, { headers: { 'cf-connecting-ip': '192.0.2.7' } }),
    shop.bindings,
    executionContext,
  )
  expect(status).toBe(200)
  expect(counter.calls).toBe(0)
})

test.each([
  ['without the counter', { REFUSED_LIMIT: undefined }],
  ['when the limits are switched off', { RATE_LIMITS: 'off' }],
  ['while the counter is away', { REFUSED_LIMIT: { limit: () => Promise.reject(new Error('away')) } }],
])('%s nothing is limited', async (_, bindings) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { flood } = isolate(0, bindings)
  expect(await flood(3, () => ({ host: madeUp(), token: null }))).toEqual([404, 404, 404])
  expect(await flood(2, () => ({ token: null }))).toEqual([401, 401])
})

test('without an address nothing is counted', async () => {
  const { flood, counter } = isolate(0)
  expect(await flood(3, () => ({ token: null, address: null }))).toEqual([401, 401, 401])
  expect(counter.calls).toBe(0)
})
