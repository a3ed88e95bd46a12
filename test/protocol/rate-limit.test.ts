import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { rateLimits, rejectionLimit } from '../../src/http/rate-limit.ts'
import { createApp } from '../support/app.ts'
import { executionContext } from '../support/later.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, notePath } from './notes.ts'

const policies = '"reads";q=500;w=10, "writes";q=200;w=10'

let shop: Shop
let elsewhere: Shop
beforeAll(async () => {
  shop = await openShop()
  elsewhere = await openShop()
})

/** A counter like the platform's: so many calls for each key, then no; it takes a key and nothing else. */
function counter(limit: number) {
  const counted = new Map<string, number>()
  return {
    counted,
    async limit({ key, ...more }: RateLimitOptions): Promise<RateLimitOutcome> {
      if (Object.keys(more).length > 0) throw new TypeError('bad rate limit options')
      const before = counted.get(key) ?? 0
      if (before >= limit) return { success: false }
      counted.set(key, before + 1)
      return { success: true }
    },
  }
}

const spent = ({ counted }: ReturnType<typeof counter>) => [...counted.values()].reduce((a, b) => a + b, 0)

type Asked = { at?: Shop; client?: string; body?: unknown; token?: string; headers?: Record<string, string> }

/** The service under counters of its own. */
function limited(more: Readonly<Record<string, unknown>> = {}, app = noteApp()) {
  const reads = counter(3)
  const writes = counter(3)
  const bindings = {
    DATABASE_URL: inject('appUrl'),
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
    READ_LIMIT: reads,
    WRITE_LIMIT: writes,
    ...more,
  }
  const ask = async (method: string, path: string, asked: Asked = {}) => {
    const { at = shop, client, body, token = await at.token(client ? { client } : {}), headers } = asked
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json'
    const request = new Request(`http://${at.host}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const response = await app.fetch(request, bindings, executionContext)
    const text = await response.text()
    const problem = response.status >= 400 && text !== '' ? JSON.parse(text) : null
    return { status: response.status, headers: response.headers, problem }
  }
  return { ask, reads, writes }
}

async function statuses(times: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = []
  for (let done = 0; done < times; done += 1) found.push((await ask()).status)
  return found
}

describe('a client that asks too much', () => {
  test('is 429 with the time to wait and the policy', async () => {
    const { ask } = limited()
    expect(await statuses(3, () => ask('GET', notePath))).toEqual([200, 200, 200])
    const { status, headers, problem } = await ask('GET', notePath, {
      headers: { 'service-locale': 'fr-FR', origin: 'https://shop.example' },
    })
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('10')
    expect(headers.get('ratelimit')).toBe('"reads";r=0;t=10')
    expect(headers.get('ratelimit-policy')).toBe(policies)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(problem).toMatchObject({
      slug: 'rate_limit.exceeded',
      message: 'Trop de demandes. Veuillez réessayer dans 10 s.',
    })
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Retry-After']))
  })

  test('may still write when its reads are used up, and the reverse', async () => {
    const { ask } = limited()
    const write = () => ask('POST', '/api/notes', { body: { title: 'A' } })
    expect(await statuses(4, () => ask('GET', notePath))).toEqual([200, 200, 200, 429])
    expect(await statuses(4, write)).toEqual([201, 201, 201, 429])
    expect((await write()).headers.get('ratelimit')).toBe('"writes";r=0;t=10')
  })

  test('holds up no other client, and not its namesake of another tenant', async () => {
    const { ask } = limited()
    await statuses(3, () => ask('GET', notePath, { client: 'sync' }))
    expect((await ask('GET', notePath, { client: 'sync' })).status).toBe(429)
    expect((await ask('GET', notePath, { client: 'till' })).status).toBe(200)
    expect((await ask('GET', notePath, { client: 'sync', at: elsewhere })).status).toBe(200)
  })

  test('changes nothing', async () => {
    const { ask } = limited({}, createApp())
    const handle = 'one-too-many'
    await statuses(3, () => ask('POST', '/api/products', { body: { title: 'Mug' } }))
    const { status } = await ask('POST', '/api/products', { body: { title: 'Mug', handle } })
    expect(status).toBe(429)
    expect((await shop.read(`/api/products?handle=${handle}`)).totalItems).toBe(0)
  })
})

describe('what counts', () => {
  test.each([
    ['GET', notePath, 'reads'],
    ['HEAD', notePath, 'reads'],
    ['GET', '/api/nothing', 'reads'],
    ['PATCH', notePath, 'writes'],
    ['DELETE', notePath, 'writes'],
    ['PUT', notePath, 'writes'],
  ] as const)('%s %s is one of the %s', async (method, path, policy) => {
    const { ask, reads, writes } = limited()
    await ask(method, path, method === 'PATCH' ? { body: { title: 'B' } } : {})
    expect({ reads: spent(reads), writes: spent(writes) }).toEqual({ reads: 0, writes: 0, [policy]: 1 })
  })

  test('a rejected token counts for no client, and an open page is for every caller', async () => {
    const { ask, reads } = limited()
    expect((await ask('GET', notePath, { token: 'a.b.c' })).status).toBe(401)
    expect((await ask('GET', '/.well-known/oauth-protected-resource')).status).toBe(200)
    expect(spent(reads)).toBe(0)
  })

  test('a request that is rejected later counts as well', async () => {
    const { ask, writes } = limited()
    expect((await ask('POST', '/api/notes', { body: { title: '' } })).status).toBe(422)
    expect(spent(writes)).toBe(1)
  })

  test.each([
    [1, 1],
    [10, 1],
    [11, 2],
    [50, 5],
  ])('a bulk of %i rows costs %i', async (rows, cost) => {
    const writes = counter(200)
    const { ask, reads } = limited({ WRITE_LIMIT: writes }, createApp())
    const body = Array.from({ length: rows }, (_, row) => ({ title: `Bulk ${rows}-${row}` }))
    expect((await ask('POST', '/api/products', { body })).status).toBe(201)
    expect(spent(writes)).toBe(cost)
    expect(spent(reads)).toBe(0)
  })

  test('a bulk that is refused costs what its rows cost, but for one that is too long to be looked at', async () => {
    const writes = counter(200)
    const { ask } = limited({ WRITE_LIMIT: writes }, createApp())
    const body = (rows: number) => Array.from({ length: rows }, () => ({ title: 7 }))
    expect((await ask('POST', '/api/products', { body: body(50) })).status).toBe(422)
    expect(spent(writes)).toBe(5)
    expect((await ask('POST', '/api/products', { body: body(51) })).status).toBe(422)
    expect(spent(writes)).toBe(6)
  })

  test('a bulk over the limit is rejected whole', async () => {
    const { ask } = limited({}, createApp())
    const body = Array.from({ length: 31 }, (_, row) => ({ title: 'Whole', handle: `whole-${row}` }))
    expect((await ask('POST', '/api/products', { body })).status).toBe(429)
    expect((await shop.read('/api/products?handle=whole-0')).totalItems).toBe(0)
  })
})

describe('nothing is limited', () => {
  test.each([
    ['without counters', { READ_LIMIT: undefined, WRITE_LIMIT: undefined }],
    ['when the limits are switched off', { RATE_LIMITS: 'off' }],
  ])('%s; the response still has the policy', async (_, bindings) => {
    const { ask } = limited(bindings)
    expect(await statuses(5, () => ask('GET', notePath))).toEqual([200, 200, 200, 200, 200])
    expect((await ask('GET', notePath)).headers.get('ratelimit-policy')).toBe(policies)
  })

  test('while the counter is away', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const away = { limit: () => Promise.reject(new Error('secret value')) }
    const { ask } = limited({ READ_LIMIT: away })
    expect((await ask('GET', notePath)).status).toBe(200)
    expect(logged.mock.calls.flat().join()).toContain('rate_limit_unavailable')
    expect(logged.mock.calls.flat().join()).not.toContain('secret value')
    logged.mockRestore()
  })
})

test('every response has the policies, for every caller and path', async () => {
  const { ask } = limited()
  const logged = [
    await ask('GET', notePath),
    await ask('GET', notePath, { token: 'a.b.c' }),
    await ask('GET', '/api/nothing'),
    await ask('GET', '/.well-known/oauth-protected-resource'),
    await ask('GET', notePath, { at: { ...shop, host: 'nobody.test' } }),
  ]
  expect(logged.map(({ status }) => status)).toEqual([200, 401, 404, 200, 404])
  expect(logged.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(logged.map(() => policies))
  expect(logged.map(({ headers }) => headers.get('ratelimit'))).toEqual(logged.map(() => null))
})

test.each([
  ['', 'a developer’s machine'],
  ['env.production.', 'production'],
])('the counters under [%sratelimits], of %s, have the announced limits', (prefix) => {
  const file = readFileSync(join(import.meta.dirname, '../../wrangler.toml'), 'utf8')
  const tables = file.split(/\n(?=\[)/).filter((table) => table.startsWith(`[[${prefix}ratelimits]]`))
  const counters = tables.map((table) => {
    const found = /^name = "(\w+)"$[\s\S]*^simple = \{ limit = (\d+), period = (\d+) \}$/m.exec(table)
    return { name: found?.[1], requests: Number(found?.[2]), seconds: Number(found?.[3]) }
  })
  expect(counters).toEqual([
    { name: 'READ_LIMIT', ...rateLimits.reads },
    { name: 'WRITE_LIMIT', ...rateLimits.writes },
    { name: 'REFUSED_LIMIT', ...rejectionLimit },
  ])
})
