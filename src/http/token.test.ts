import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  claimsOf,
  clock,
  encoded,
  headerOf,
  newSigner,
  nothingAnswers,
  outcomeOf,
  type Signer,
  seconds,
  signed,
  tenantTrusting,
  verdictOn,
} from '../../test/support/token-issuer.ts'
import type { Actor, Tenant } from '../core/context.ts'
import { authenticate } from './auth.ts'

let es: Signer
let rs: Signer
let ed: Signer

beforeAll(async () => {
  es = await newSigner('ES256', 'es-1')
  rs = await newSigner('RS256', 'rs-1')
  ed = await newSigner('EdDSA', 'ed-1')
})

const url = new URL('https://acme.example/api/products')
const discovery = 'resource_metadata="https://acme.example/.well-known/oauth-protected-resource"'
const issued = async (differently: Record<string, unknown> = {}) =>
  `Bearer ${await signed(headerOf(es), claimsOf(differently), es)}`

describe('a good token of RFC 9068', () => {
  test('names the actor, its scopes and its permissions', async () => {
    const authorization = await issued({ sub: 'ada', permissions: ['identity:products:read'] })
    expect(await outcomeOf(authorization, tenantTrusting([es]))).toEqual({
      subject: 'ada',
      client: 'sync-job',
      scopes: new Set(['products:read', 'products:write']),
      permissions: new Set(['identity:products:read']),
      person: true,
      token: { id: 'token-1', issuedAt: seconds - 60 },
    })
  })

  test('whose subject is its client acts for an application', async () => {
    expect(await outcomeOf(await issued(), tenantTrusting([es]))).toMatchObject({
      person: false,
      permissions: new Set(),
    })
  })

  test('is accepted under each algorithm', async () => {
    for (const signer of [es, rs, ed]) {
      const token = await signed(headerOf(signer), claimsOf(), signer)
      expect([signer.alg, await verdictOn(`Bearer ${token}`, tenantTrusting([signer]))]).toEqual([
        signer.alg,
        'accepted',
      ])
    }
  })

  test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  '])('is accepted under the scheme %j', async (scheme) => {
    const token = (await issued()).slice('Bearer '.length)
    expect(await verdictOn(`${scheme} ${token}`, tenantTrusting([es]))).toBe('accepted')
  })

  test.each<[string, Record<string, unknown>]>([
    ['an audience list of one', { aud: ['https://acme.example/api'] }],
    ['no scope', { scope: undefined }],
    ['a past nbf', { nbf: seconds - 60 }],
    ['an nbf five seconds ahead', { nbf: seconds + 5 }],
    ['an iat five seconds ahead', { iat: seconds + 5 }],
    ['an exp four seconds ago', { exp: seconds - 4 }],
    ['a lifetime of a day', { iat: seconds, exp: seconds + 86_400 }],
    [
      'claims that the Worker ignores',
      { acr: '1', amr: ['pwd'], nested: { sub: 'x', list: [{ a: 1 }, { a: 2 }] } },
    ],
    ['quotes and braces inside strings', { name: '"a":1,{"a":2}[\\"', note: ['a', 'a'] }],
    ['a foreign scope with ours', { scope: "openid products:read !#$%&'()*+,-./:;<=>?@[]^_`{|}~" }],
    ['a subject beyond ASCII', { sub: 'Zoë', permissions: [] }],
  ])('is accepted with %s', async (_, differently) => {
    expect(await verdictOn(await issued(differently), tenantTrusting([es]))).toBe('accepted')
  })

  test.each(['AT+JWT', 'application/at+jwt'])('is accepted with typ %s', async (typ) => {
    const token = await signed(headerOf(es, { typ }), claimsOf(), es)
    expect(await verdictOn(`Bearer ${token}`, tenantTrusting([es]))).toBe('accepted')
  })

  test('is accepted at 8,192 characters and refused at more', async () => {
    const spare = 8192 - (await issued({ padding: '' })).length + 'Bearer '.length
    const padded = (length: number) => issued({ padding: 'p'.repeat(length) })
    let fitting = Math.floor((spare * 3) / 4)
    while ((await padded(fitting)).length > 8192 + 'Bearer '.length) fitting -= 1
    expect(await verdictOn(await padded(fitting), tenantTrusting([es]))).toBe('accepted')
    expect(await verdictOn(await padded(fitting + 2), tenantTrusting([es]))).toBe('auth.invalid_token')
  })

  test('is refused a second later than its expiry and tolerance', async () => {
    const authorization = await issued({ exp: seconds + 10 })
    const at = (after: number) => ({ now: new Date(clock.getTime() + after * 1000) })
    expect(await verdictOn(authorization, tenantTrusting([es]), at(14))).toBe('accepted')
    expect(await verdictOn(authorization, tenantTrusting([es]), at(15))).toBe('auth.invalid_token')
  })
})

describe('a good token of the generic profile', () => {
  const generic = () =>
    tenantTrusting([rs, es], {
      tokenProfile: 'generic',
      issuer: 'https://login.example/',
      audience: 'api://catalogue',
    })
  const common = () => ({
    iss: 'https://login.example/',
    aud: 'api://catalogue',
    iat: seconds - 60,
    exp: seconds + 3600,
    jti: 'token-1',
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>, Partial<Actor>]>([
    [
      'Auth0',
      { typ: 'JWT' },
      {
        sub: 'auth0|507f1f77',
        azp: 'spa',
        scope: 'openid products:read',
        permissions: ['identity:products:read'],
      },
      {
        subject: 'auth0|507f1f77',
        client: 'spa',
        scopes: new Set(['openid', 'products:read']),
        permissions: new Set(['identity:products:read']),
        person: true,
      },
    ],
    [
      'Okta, an application',
      { typ: undefined },
      { ver: 1, sub: '0oa1', cid: '0oa1', scp: ['products:read', 'events:read'] },
      { subject: '0oa1', client: '0oa1', scopes: new Set(['products:read', 'events:read']), person: false },
    ],
    [
      'Entra version 1',
      { typ: 'JWT', x5t: 'thumbprint', nonce: 'n' },
      { ver: '1.0', sub: 'pairwise', appid: '6e74172b', scp: 'products:read', nbf: seconds - 60 },
      { client: '6e74172b', scopes: new Set(['products:read']), person: true },
    ],
    [
      'Entra version 2, an application with roles alone',
      { typ: 'JWT' },
      { ver: '2.0', sub: 'service-principal', azp: '6e74172b', roles: ['Catalogue.Read'] },
      { client: '6e74172b', scopes: new Set(), person: true },
    ],
    [
      'Keycloak',
      { typ: 'JWT' },
      {
        typ: 'Bearer',
        sub: 'f3a1',
        azp: 'back-office',
        scope: 'profile email',
        realm_access: { roles: ['a'] },
      },
      { client: 'back-office', scopes: new Set(['profile', 'email']), person: true },
    ],
    [
      'both scp and scope, in other order',
      { typ: 'jwt' },
      { sub: 'a', azp: 'a', appid: 'a', scp: ['x', 'y'], scope: 'y x' },
      { client: 'a', scopes: new Set(['x', 'y']), person: false },
    ],
  ])('%s', async (_, header, claims, actor) => {
    const token = await signed(headerOf(rs, header), { ...common(), ...claims }, rs)
    expect(await outcomeOf(`Bearer ${token}`, generic())).toMatchObject(actor)
  })

  test('is no good under RFC 9068, nor the reverse', async () => {
    const token = await signed(headerOf(es), claimsOf({ azp: 'sync-job' }), es)
    expect(await verdictOn(`Bearer ${token}`, tenantTrusting([es]))).toBe('accepted')
    expect(await verdictOn(`Bearer ${token}`, tenantTrusting([es], { tokenProfile: 'generic' }))).toBe(
      'auth.invalid_token',
    )
  })
})

describe('revocation', () => {
  test('a jti is refused as soon as the tenant lists it', async () => {
    const authorization = await issued({ jti: 'stolen' })
    expect(await verdictOn(authorization, tenantTrusting([es], { revokedTokens: ['other'] }))).toBe(
      'accepted',
    )
    expect(await verdictOn(authorization, tenantTrusting([es], { revokedTokens: ['other', 'stolen'] }))).toBe(
      'auth.invalid_token',
    )
  })

  test('tokens issued before tokensValidAfter are refused, those at that second are not', async () => {
    const since = tenantTrusting([es], { tokensValidAfter: seconds - 100 })
    expect(await verdictOn(await issued({ iat: seconds - 101 }), since)).toBe('auth.invalid_token')
    expect(await verdictOn(await issued({ iat: seconds - 100 }), since)).toBe('accepted')
  })
})

describe('where the token stands', () => {
  const thrown = async (headers: Headers, address: string): Promise<unknown> => {
    const outside = { now: clock, fetch: nothingAnswers, sharedKeys: null }
    return authenticate(headers, new URL(address), tenantTrusting([es]), outside).catch((problem) => problem)
  }

  test('no Authorization header: the challenge requires a token and names no error', async () => {
    expect(await thrown(new Headers(), url.href)).toMatchObject({
      kind: { slug: 'auth.token_required', status: 401 },
      extras: { headers: { 'WWW-Authenticate': `Bearer realm="product catalogue", ${discovery}` } },
    })
  })

  test.each([
    '',
    'Basic dXNlcjpwYXNz',
    'Token abc',
    'DPoP a.b.c',
    'BearerX a.b.c',
    'xBearer a.b.c',
    'a.b.c',
    'Basic x, Bearer y',
  ])('a header of another scheme counts as none: %j', async (authorization) => {
    expect(await thrown(new Headers({ authorization }), url.href)).toMatchObject({
      kind: { slug: 'auth.token_required', status: 401 },
      extras: { headers: { 'WWW-Authenticate': `Bearer realm="product catalogue", ${discovery}` } },
    })
  })

  test('a token in the query alone counts as none', async () => {
    const token = (await issued()).slice('Bearer '.length)
    expect(await thrown(new Headers(), `${url.href}?access_token=${token}`)).toMatchObject({
      kind: { slug: 'auth.token_required' },
    })
  })

  test.each(['access_token=x', 'access_token=', 'page=1&access%5Ftoken=x'])(
    'a header together with ?%s is a bad request',
    async (query) => {
      const headers = new Headers({ authorization: await issued() })
      expect(await thrown(headers, `${url.href}?${query}`)).toMatchObject({
        kind: { slug: 'auth.multiple_credentials', status: 400 },
        extras: {
          headers: {
            'WWW-Authenticate': `Bearer realm="product catalogue", error="invalid_request", ${discovery}`,
          },
        },
      })
    },
  )

  test('two Authorization headers are a bad token', async () => {
    const headers = new Headers({ authorization: await issued() })
    headers.append('authorization', await issued())
    expect(await thrown(headers, url.href)).toMatchObject({ kind: { slug: 'auth.invalid_token' } })
  })

  test('the challenge points at the scheme, host and port of the request', async () => {
    expect(await thrown(new Headers(), 'http://acme.localhost:8787/api?x=1')).toMatchObject({
      extras: {
        headers: {
          'WWW-Authenticate': expect.stringContaining(
            'resource_metadata="http://acme.localhost:8787/.well-known/oauth-protected-resource"',
          ),
        },
      },
    })
  })

  test('a tenant without keys accepts nothing', async () => {
    expect(await verdictOn(await issued(), tenantTrusting([]))).toBe('auth.invalid_token')
    expect(await verdictOn(await issued(), tenantTrusting([], { jwks: null }))).toBe('auth.invalid_token')
  })

  test('deep nesting is a bad token, not a crash', async () => {
    const deep = encoded(`{"a":${'['.repeat(1400)}${']'.repeat(1400)}}`)
    expect(await verdictOn(`Bearer ${deep}.${deep}.AAAA`, tenantTrusting([es]))).toBe('auth.invalid_token')
  })
})

describe('a token that was accepted before', () => {
  let signer: Signer
  let tenant: Tenant
  let authorization: string
  const later = (second: number) => new Date((seconds + second) * 1000)

  beforeEach(async () => {
    signer = await newSigner('ES256', 'again')
    tenant = tenantTrusting([signer])
    authorization = `Bearer ${await signed(headerOf(signer), claimsOf({ jti: 'again', exp: seconds + 600 }), signer)}`
    expect(await verdictOn(authorization, tenant)).toBe('accepted')
  })

  test('is not verified again with the same key and settings until it ends', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const verificationsAt = async (second: number) => {
      verify.mockClear()
      expect(await verdictOn(authorization, tenant, { now: later(second) })).toBe('accepted')
      return verify.mock.calls.length
    }
    expect([await verificationsAt(0), await verificationsAt(599), await verificationsAt(600)]).toEqual([
      1, 0, 1,
    ])
    verify.mockRestore()
  })

  test('is rejected after its end and the tolerance of 5 s', async () => {
    expect(await verdictOn(authorization, tenant, { now: later(604) })).toBe('accepted')
    expect(await verdictOn(authorization, tenant, { now: later(606) })).toBe('auth.invalid_token')
  })

  test('is rejected under another key with the same kid, with other settings, and before it was issued', async () => {
    const other = await newSigner('ES256', 'again')
    expect(await verdictOn(authorization, tenantTrusting([other]))).toBe('auth.invalid_token')
    for (const settings of [
      { issuer: 'https://elsewhere.example/' },
      { audience: 'https://elsewhere.example/api' },
      { algorithms: ['RS256'] as const },
      { tokenProfile: 'generic' as const },
    ])
      expect([settings, await verdictOn(authorization, { ...tenant, ...settings })]).toEqual([
        settings,
        'auth.invalid_token',
      ])
    expect(await verdictOn(authorization, tenant, { now: later(-3600) })).toBe('auth.invalid_token')
  })

  test('is rejected at once after it is revoked', async () => {
    const revoked = { ...tenant, revokedTokens: ['again'] }
    expect(await verdictOn(authorization, revoked)).toBe('auth.invalid_token')
  })

  test('is rejected if a letter of its signature changes', async () => {
    const [header, claims, signature = ''] = authorization.split('.')
    const forged = [header, claims, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.')
    expect(await verdictOn(forged, tenant)).toBe('auth.invalid_token')
  })
})
