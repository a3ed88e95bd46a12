import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  claimsOf,
  clock,
  headerOf,
  newSigner,
  outcomeOf,
  type Signer,
  signed,
  tenantTrusting,
  verdictOn,
} from '../../test/support/token-issuer.ts'
import type { Tenant } from '../core/context.ts'
import type { SharedKeys } from './jwks.ts'

type Answer = (request: { signal: AbortSignal }) => Response | Promise<Response>

const second = 1000
const minute = 60 * second
const hour = 60 * minute

let first: Signer
let next: Signer

/** An issuer whose answer can be changed and whose fetches are counted. */
let issuer: {
  answer: Answer
  requests: { uri: string; init: RequestInit | undefined }[]
  fetch: typeof fetch
}
let tenant: Tenant
let tenants = 0
/** The last good keys that all isolates share. */
let shared: Map<string, Awaited<ReturnType<SharedKeys['get']>>>
/** Milliseconds since the test began. */
let elapsed = 0

beforeAll(async () => {
  first = await newSigner('ES256', 'first')
  next = await newSigner('ES256', 'second')
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: clock })
  tenants += 1
  elapsed = 0
  shared = new Map()
  const requests: { uri: string; init: RequestInit | undefined }[] = []
  issuer = {
    answer: serving(first),
    requests,
    fetch: async (uri, init) => {
      requests.push({ uri: String(uri), init })
      return issuer.answer({ signal: init?.signal ?? AbortSignal.any([]) })
    },
  }
  const jwksUri = `https://login-${tenants}.acme.example/jwks`
  tenant = tenantTrusting([], { jwks: null, jwksUri })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const serving =
  (...signers: Signer[]): Answer =>
  () =>
    Response.json({ keys: signers.map(({ jwk }) => jwk) })

const down: Answer = () => {
  throw new TypeError('connection refused')
}

async function present(signer: Signer, kid = signer.kid): Promise<string> {
  const now = new Date(clock.getTime() + elapsed)
  vi.setSystemTime(now)
  const iat = Math.floor(now.getTime() / second)
  const claims = claimsOf({ iat, exp: iat + 600 })
  const token = await signed(headerOf(signer, { kid }), claims, signer)
  const sharedKeys: SharedKeys = {
    get: async (id) => shared.get(id) ?? null,
    async put(id, keys) {
      shared.set(id, keys)
    },
  }
  return verdictOn(`Bearer ${token}`, tenant, { now, fetch: issuer.fetch, sharedKeys })
}

/** An isolate has the keys of a hundred addresses, and none of this tenant’s. */
async function presentForOthers(): Promise<void> {
  const own = tenant
  for (let other = 0; other < 100; other += 1) {
    tenant = { ...own, jwksUri: `${own.jwksUri}/${other}` }
    await present(first)
  }
  tenant = own
}

describe('keys are cached', () => {
  test('for ten minutes', async () => {
    expect(await present(first)).toBe('accepted')
    elapsed = 10 * minute - 1
    expect(await present(first)).toBe('accepted')
    expect(issuer.requests).toHaveLength(1)
    elapsed = 10 * minute
    expect(await present(first)).toBe('accepted')
    expect(issuer.requests).toHaveLength(2)
  })

  test('and asked for without following redirects', async () => {
    await present(first)
    expect(issuer.requests).toMatchObject([{ uri: tenant.jwksUri, init: { redirect: 'manual' } }])
  })

  test('for all tenants of one address', async () => {
    await present(first)
    tenant = { ...tenant, id: 'another' }
    expect(await present(first)).toBe('accepted')
    expect(issuer.requests).toHaveLength(1)
  })

  test('a key withdrawn by the issuer is refused after ten minutes', async () => {
    await present(first)
    issuer.answer = serving(next)
    elapsed = 10 * minute
    expect(await present(first)).toBe('auth.invalid_token')
  })

  test('for a hundred addresses, of which the oldest is forgotten', async () => {
    await present(first)
    await presentForOthers()
    expect(issuer.requests).toHaveLength(101)
    await present(first)
    expect(issuer.requests).toHaveLength(102)
  })

  test('a clock that steps back an hour accepts the cached keys', async () => {
    elapsed = hour
    await present(first)
    elapsed = 0
    expect(await present(first)).toBe('accepted')
    expect(issuer.requests).toHaveLength(1)
  })
})

describe('an unknown kid', () => {
  test('fetches at once when keys were rotated', async () => {
    await present(first)
    issuer.answer = serving(first, next)
    elapsed = second
    expect(await present(next)).toBe('accepted')
    expect(issuer.requests).toHaveLength(2)
  })

  test('fetches at most once in 30 s, whichever kid it is', async () => {
    await present(first)
    elapsed = second
    expect(await present(first, 'a')).toBe('auth.invalid_token')
    expect(await present(first, 'b')).toBe('auth.invalid_token')
    elapsed = 31 * second - 1
    expect(await present(first, 'c')).toBe('auth.invalid_token')
    expect(issuer.requests).toHaveLength(2)
    elapsed = 31 * second
    await present(first, 'd')
    expect(issuer.requests).toHaveLength(3)
  })

  test('on a cold cache fetches once, not twice', async () => {
    expect(await present(first, 'a')).toBe('auth.invalid_token')
    expect(await present(first, 'b')).toBe('auth.invalid_token')
    expect(issuer.requests).toHaveLength(1)
  })

  test('in a burst fetches once', async () => {
    await present(first)
    issuer.answer = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      return serving(first)(request)
    }
    await Promise.all(['a', 'b', 'c', 'd'].map((kid) => present(first, kid)))
    expect(issuer.requests).toHaveLength(2)
  })

  test('leaves the known keys in use while the issuer is down', async () => {
    await present(first)
    issuer.answer = down
    expect(await present(first, 'a')).toBe('auth.invalid_token')
    expect(await present(first)).toBe('accepted')
  })
})

describe('while the issuer is down', () => {
  test('stale keys serve up to 24 h, then 503', async () => {
    await present(first)
    issuer.answer = down
    elapsed = 24 * hour - 10 * minute - 1
    expect(await present(first)).toBe('accepted')
    elapsed = 24 * hour - 2
    expect(await present(first)).toBe('accepted')
    elapsed = 24 * hour
    expect(await present(first)).toBe('auth.issuer_unavailable')
  })

  test('an isolate without keys uses those of another one, up to 24 h after they were fetched', async () => {
    await present(first)
    await presentForOthers()
    issuer.answer = down
    elapsed = hour
    expect(await present(first)).toBe('accepted')
    await presentForOthers()
    elapsed = 24 * hour
    expect(await present(first)).toBe('auth.issuer_unavailable')
  })

  test('keys from before a revocation of tokens are used no more, whichever isolate fetched them', async () => {
    await present(first)
    issuer.answer = serving(next)
    tenant = { ...tenant, tokensValidAfter: Math.floor(clock.getTime() / second) }
    elapsed = minute
    expect(await present(first)).toBe('auth.invalid_token')
    expect(await present(next)).toBe('accepted')
    tenant = { ...tenant, tokensValidAfter: tenant.tokensValidAfter! + 1 }
    issuer.answer = down
    expect(await present(next)).toBe('auth.issuer_unavailable')
  })

  test('stale keys are refreshed at most once in ten minutes', async () => {
    await present(first)
    issuer.answer = down
    elapsed = 11 * minute
    await present(first)
    await present(first)
    elapsed += 10 * minute - 1
    await present(first)
    expect(issuer.requests).toHaveLength(2)
    elapsed += 1
    await present(first)
    expect(issuer.requests).toHaveLength(3)
  })

  test('its return is noticed', async () => {
    await present(first)
    issuer.answer = down
    elapsed = 11 * minute
    await present(first)
    issuer.answer = serving(next)
    elapsed += 30 * second
    expect(await present(next)).toBe('accepted')
    expect(await present(first)).toBe('auth.invalid_token')
  })

  test('nothing cached: 503 with Retry-After, no further request to the issuer until then, and then recovery', async () => {
    issuer.answer = down
    const token = await signed(headerOf(first), claimsOf(), first)
    expect(await outcomeOf(`Bearer ${token}`, tenant, { fetch: issuer.fetch })).toMatchObject({
      kind: { slug: 'auth.issuer_unavailable', status: 503 },
      extras: { headers: { 'Retry-After': '10' } },
    })
    issuer.answer = serving(first)
    elapsed = 10 * second - 1
    for (const kid of ['first', 'a', 'b']) expect(await present(first, kid)).toBe('auth.issuer_unavailable')
    expect(issuer.requests).toHaveLength(1)
    elapsed = 10 * second
    expect(await present(first)).toBe('accepted')
    expect(issuer.requests).toHaveLength(2)
  })

  test('keys too old to be used: no further request to the issuer for ten seconds', async () => {
    await present(first)
    issuer.answer = down
    elapsed = 25 * hour
    for (const kid of ['first', 'a', 'b']) expect(await present(first, kid)).toBe('auth.issuer_unavailable')
    expect(issuer.requests).toHaveLength(2)
  })

  test('an issuer that is down holds up no other', async () => {
    issuer.answer = down
    expect(await present(first)).toBe('auth.issuer_unavailable')
    issuer.answer = serving(first)
    tenant = { ...tenant, jwksUri: `${tenant.jwksUri}/other` }
    expect(await present(first)).toBe('accepted')
  })

  test('a malformed token is 401 and causes no request to the issuer', async () => {
    issuer.answer = down
    expect(await verdictOn('Bearer x', tenant, { fetch: issuer.fetch })).toBe('auth.invalid_token')
    expect(issuer.requests).toHaveLength(0)
  })
})

describe('an answer that counts as down', () => {
  const padded = (length: number): Answer => {
    const keys = JSON.stringify({ keys: [first.jwk] })
    return () => new Response(keys.padEnd(length))
  }

  test('64 kB are read, one byte more is not', async () => {
    issuer.answer = padded(65_537)
    expect(await present(first)).toBe('auth.issuer_unavailable')
    issuer.answer = padded(65_536)
    elapsed = 10 * second
    expect(await present(first)).toBe('accepted')
  })

  test('an endless body is cancelled', async () => {
    let pulled = 0
    let cancelled = false
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(8192).fill(32))
      },
      cancel() {
        cancelled = true
      },
    })
    issuer.answer = () => new Response(body)
    expect(await present(first)).toBe('auth.issuer_unavailable')
    expect(pulled).toBeLessThan(12)
    expect(cancelled).toBe(true)
  })

  test.each<[string, Answer]>([
    ['301', () => new Response(null, { status: 301, headers: { location: 'https://evil.example/jwks' } })],
    ['307 with keys in its body', () => Response.json({ keys: [first.jwk] }, { status: 307 })],
    ['404 with keys in its body', () => Response.json({ keys: [first.jwk] }, { status: 404 })],
    ['206 with keys in its body', () => Response.json({ keys: [first.jwk] }, { status: 206 })],
    ['500', () => new Response('oops', { status: 500 })],
    ['204', () => new Response(null, { status: 204 })],
    ['an empty body', () => new Response('')],
    ['HTML', () => new Response('<html></html>')],
    ['a list', () => Response.json([first.jwk])],
    ['no keys member', () => Response.json({})],
    ['keys that are no list', () => Response.json({ keys: { 0: first.jwk } })],
    ['invalid UTF-8', () => new Response(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d))],
    [
      'a followed redirect',
      () => Object.defineProperty(Response.json({ keys: [first.jwk] }), 'redirected', { value: true }),
    ],
  ])('%s', async (_, answer) => {
    issuer.answer = answer
    expect(await present(first)).toBe('auth.issuer_unavailable')
  })

  test.each<[string, Answer]>([
    [
      'silence',
      ({ signal }) =>
        new Promise<Response>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    ],
    [
      'a body that stops midway',
      ({ signal }) =>
        new Response(
          new ReadableStream({
            start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
          }),
        ),
    ],
  ])('%s, after three seconds', async (_, answer) => {
    vi.useFakeTimers()
    // Fake timers do not include this one.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      const abort = new AbortController()
      setTimeout(() => abort.abort(new DOMException('', 'TimeoutError')), milliseconds)
      return abort.signal
    })
    let aborted = false
    issuer.answer = ({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      return answer({ signal })
    }
    const verdict = present(first)
    await vi.waitFor(() => expect(issuer.requests).toHaveLength(1))
    await vi.advanceTimersByTimeAsync(2900)
    expect(aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    expect(await verdict).toBe('auth.issuer_unavailable')
    expect(aborted).toBe(true)
  })

  test('members that are no keys are passed over', async () => {
    issuer.answer = () => Response.json({ keys: [null, 1, 'x', [], { kid: 'first' }, first.jwk] })
    expect(await present(first)).toBe('accepted')
  })

  test('symmetric and doubled keys are refused when fetched, too', async () => {
    issuer.answer = () =>
      Response.json({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'first' }, first.jwk, next.jwk, next.jwk] })
    expect(await present(first)).toBe('auth.invalid_token')
    expect(await present(next)).toBe('auth.invalid_token')
  })
})
