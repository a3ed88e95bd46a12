import { beforeAll, describe, expect, test } from 'vitest'
import {
  claimsOf,
  encoded,
  headerOf,
  newSigner,
  outcomeOf,
  type Signer,
  seconds,
  signed,
  signedText,
  tenantTrusting,
  verdictOn,
} from '../../test/support/token-issuer.ts'
import type { Tenant } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { TokenError } from './jwt.ts'

let es: Signer
let rs: Signer
let ed: Signer
/** Signs under `es`'s kid with a key that no tenant trusts. */
let impostor: Signer
let tenant: Tenant

beforeAll(async () => {
  es = await newSigner('ES256', 'es-1')
  rs = await newSigner('RS256', 'rs-1')
  ed = await newSigner('EdDSA', 'ed-1')
  impostor = await newSigner('ES256', 'es-1')
  tenant = tenantTrusting([es, rs, ed], { revokedTokens: ['revoked'], tokensValidAfter: seconds - 1000 })
})

const claims = (differently: Record<string, unknown>) => () => signed(headerOf(es), claimsOf(differently), es)
const header = (differently: Record<string, unknown>) => () =>
  signed(headerOf(es, differently), claimsOf(), es)
const rawClaims = (raw: string | Uint8Array) => () => signed(headerOf(es), raw, es)
const rawHeader = (raw: string | Uint8Array) => () => signed(raw, claimsOf(), es)
const good = () => signed(headerOf(es), claimsOf(), es)
const json = (differently: Record<string, unknown> = {}) => JSON.stringify(claimsOf(differently))

/** Another last character for the same bytes: the bits that base64url leaves over are set. */
function respelled(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  if (part.length % 4 === 0) throw new Error('no bits are left over')
  return part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) ?? '') + 1]
}

/** Pads JSON with spaces until its base64url leaves bits over. */
function loose(text: string): string {
  return encoded(Buffer.byteLength(text) % 3 === 0 ? `${text} ` : text)
}

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** The whole value of the Authorization header. */
const oddHeaders: Record<string, () => Promise<string>> = {
  'scheme alone': async () => 'Bearer',
  'tab after the scheme': async () => `Bearer\t${await good()}`,
  'two headers, joined': async () => `Bearer ${await good()}, Bearer ${await good()}`,
  'text after the token': async () => `Bearer ${await good()} x`,
  'token in quotes': async () => `Bearer "${await good()}"`,
  'auth-param instead of a token': async () => `Bearer token=${await good()}`,
}

/** Tokens, each with one thing wrong and otherwise signed by a key that the tenant trusts. */
const oddTokens: Record<string, () => Promise<string>> = {
  'plain text': async () => 'x',
  'two parts': async () => (await good()).split('.').slice(0, 2).join('.'),
  'four parts': async () => `${await good()}.AAAA`,
  'five parts as in JWE': async () => `${await good()}.AAAA.AAAA`,
  'empty header part': async () => `.${(await good()).split('.').slice(1).join('.')}`,
  'empty claims part': () => signedText(`${encoded(headerOf(es))}.`, es),
  'empty signature': async () => `${(await good()).split('.').slice(0, 2).join('.')}.`,
  'padded signature': async () => `${await good()}==`,
  'padded claims': () => signedText(`${encoded(headerOf(es))}.${loose(json())}=`, es),
  'standard base64 alphabet': () => signedText(`${encoded(headerOf(es))}.+/${encoded(json())}`, es),
  'line break inside': async () => (await good()).replace('.', '.%0A'),
  'length of 4n + 1': async () => `${await good()}AAA`,
  'more than 8,192 characters': claims({ padding: 'p'.repeat(8192) }),
  'signature respelled': async () => {
    const [head, body, signature] = (await good()).split('.')
    return `${head}.${body}.${respelled(signature ?? '')}`
  },
  'header respelled': () =>
    signedText(`${respelled(loose(JSON.stringify(headerOf(es))))}.${encoded(json())}`, es),
  'claims respelled': () => signedText(`${encoded(headerOf(es))}.${respelled(loose(json()))}`, es),

  'claims not UTF-8': rawClaims(latin1(json({ name: '\u00ff' }))),
  'claims with an overlong UTF-8 sequence': rawClaims(latin1(json({ name: '\u00c0\u0080' }))),
  'header not UTF-8': () => signed(latin1(JSON.stringify(headerOf(es, { x: '\u00ff' }))), claimsOf(), es),
  'claims after a byte order mark': () => rawClaims(`\ufeff${json()}`)(),
  'header after a byte order mark': () => signed(`\ufeff${JSON.stringify(headerOf(es))}`, claimsOf(), es),
  'claims an array': () => rawClaims(`[${json()}]`)(),
  'claims a string': rawClaims('"claims"'),
  'claims null': rawClaims('null'),
  'claims cut off': () => rawClaims(json().slice(0, -1))(),
  'claims with text behind': () => rawClaims(`${json()}x`)(),
  'claims single-quoted': () => rawClaims(json().replaceAll('"', "'"))(),
  'header an array': rawHeader('[]'),
  'header null': rawHeader('null'),

  'jku in the header': header({ jku: 'https://evil.example/jwks' }),
  'jwk in the header': () => header({ jwk: es.jwk })(),
  'jwk of the attacker in the header': () =>
    signed(headerOf(impostor, { jwk: impostor.jwk }), claimsOf(), impostor),
  'x5u in the header': header({ x5u: 'https://evil.example/cert' }),
  'x5c in the header': header({ x5c: ['MIIB'] }),
  'zip in the header': header({ zip: 'DEF' }),
  'b64 true in the header': header({ b64: true }),
  'b64 false, critical': header({ b64: false, crit: ['b64'] }),
  'crit empty': header({ crit: [] }),
  'crit naming exp': header({ crit: ['exp'], exp: seconds + 60 }),
  'crit null': header({ crit: null }),
  'no kid': header({ kid: undefined }),
  'kid a number': header({ kid: 1 }),
  'kid null': header({ kid: null }),
  'kid empty': header({ kid: '' }),
  'kid unknown': header({ kid: 'es-2' }),
  'kid of a prototype member': header({ kid: '__proto__' }),
  'kid in other case': header({ kid: 'ES-1' }),
  'no alg': header({ alg: undefined }),
  'alg none': header({ alg: 'none' }),
  'alg none without a signature': async () => `${encoded(headerOf(es, { alg: 'none' }))}.${encoded(json())}.`,
  'alg in lower case': header({ alg: 'es256' }),
  'alg a list': header({ alg: ['ES256'] }),
  'alg null': header({ alg: null }),
  'alg HS256 keyed with the public key': () => hmacSigned(),
  'alg PS256 over an RSA key': () => signed(headerOf(rs, { alg: 'PS256' }), claimsOf(), rs),
  'alg ES384': header({ alg: 'ES384' }),
  'alg of another key': () => signed(headerOf(rs, { alg: 'ES256' }), claimsOf(), rs),
  'kid of another algorithm': () => signed(headerOf(rs, { kid: 'es-1' }), claimsOf(), rs),
  'alg Ed25519, not enabled': () => signed(headerOf(ed, { alg: 'Ed25519' }), claimsOf(), ed),
  'typ JWT': header({ typ: 'JWT' }),
  'typ absent': header({ typ: undefined }),
  'typ of a logout token': header({ typ: 'logout+jwt' }),
  'typ with a space behind': header({ typ: 'at+jwt ' }),
  'typ a list': header({ typ: ['at+jwt'] }),
  'typ null': header({ typ: null }),

  'signed by another issuer': () => signed(headerOf(impostor), claimsOf(), impostor),
  'claims exchanged after signing': async () => {
    const [head, , signature] = (await good()).split('.')
    return `${head}.${encoded(claimsOf({ sub: 'admin' }))}.${signature}`
  },
  'header exchanged after signing': async () => {
    const [, body, signature] = (await good()).split('.')
    return `${encoded(headerOf(es, { typ: 'application/at+jwt' }))}.${body}.${signature}`
  },
  'signature of zeros': async () => `${(await good()).split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`,
  'signature cut short': async () => (await good()).slice(0, -4),
  'signature with bytes behind': async () =>
    `${(await good()).split('.').slice(0, 2).join('.')}.${'AAAA'.repeat(24)}`,

  'iss missing': claims({ iss: undefined }),
  'iss of another tenant': claims({ iss: 'https://login.globex.example/' }),
  'iss without its slash': claims({ iss: 'https://login.acme.example' }),
  'iss in other case': claims({ iss: 'https://LOGIN.acme.example/' }),
  'iss a list': claims({ iss: ['https://login.acme.example/'] }),
  'iss null': claims({ iss: null }),
  'aud missing': claims({ aud: undefined }),
  'aud of another tenant': claims({ aud: 'https://globex.example/api' }),
  'aud ours and another': claims({ aud: ['https://acme.example/api', 'https://globex.example/api'] }),
  'aud ours twice': claims({ aud: ['https://acme.example/api', 'https://acme.example/api'] }),
  'aud an empty list': claims({ aud: [] }),
  'aud nested': claims({ aud: [['https://acme.example/api']] }),
  'aud an object': claims({ aud: { 0: 'https://acme.example/api', length: 1 } }),
  'aud a prefix of ours': claims({ aud: 'https://acme.example' }),
  'sub missing': claims({ sub: undefined }),
  'sub empty': claims({ sub: '' }),
  'sub of spaces': claims({ sub: '  ' }),
  'sub a number': claims({ sub: 7 }),
  'sub null': claims({ sub: null }),
  'sub a list': claims({ sub: ['sync-job'] }),
  'sub with a null character': claims({ sub: 'a\u0000b' }),
  'sub with a line break': claims({ sub: 'a\r\nb' }),
  'sub with a lone surrogate': () => rawClaims(json().replace('"sub":"sync-job"', '"sub":"a\\ud800"'))(),
  'sub of 256 characters': claims({ sub: 's'.repeat(256) }),
  'jti missing': claims({ jti: undefined }),
  'jti empty': claims({ jti: '' }),
  'jti a number': claims({ jti: 1 }),
  'jti null': claims({ jti: null }),
  'jti revoked': claims({ jti: 'revoked' }),

  'exp missing': claims({ exp: undefined }),
  'exp a string': claims({ exp: String(seconds + 3600) }),
  'exp null': claims({ exp: null }),
  'exp a fraction': claims({ exp: seconds + 3600.5 }),
  'exp beyond the safe integers': claims({ exp: 2 ** 53 }),
  'exp infinite': () => rawClaims(json().replace(/"exp":\d+/, '"exp":1e999'))(),
  'exp in milliseconds': claims({ exp: (seconds + 3600) * 1000 }),
  'exp negative': claims({ exp: -1 }),
  'exp five seconds ago': claims({ exp: seconds - 5 }),
  'exp an hour ago': claims({ exp: seconds - 3600, iat: seconds - 7200 }),
  'lifetime of a day and a second': claims({ iat: seconds, exp: seconds + 86_401 }),
  'iat missing': claims({ iat: undefined }),
  'iat a string': claims({ iat: String(seconds) }),
  'iat a fraction': claims({ iat: seconds - 0.5 }),
  'iat negative': claims({ iat: -1, exp: 5 }),
  'iat six seconds ahead': claims({ iat: seconds + 6 }),
  'iat after exp': claims({ iat: seconds + 4, exp: seconds + 3 }),
  'iat before tokens became valid': claims({ iat: seconds - 1001 }),
  'nbf six seconds ahead': claims({ nbf: seconds + 6 }),
  'nbf a string': claims({ nbf: '0' }),
  'nbf null': claims({ nbf: null }),
  'nbf negative': claims({ nbf: -1 }),
  'nbf a fraction': claims({ nbf: seconds - 60.5 }),
  'nbf beyond the safe integers below': claims({ nbf: -(2 ** 60) }),

  'scope a number': claims({ scope: 1 }),
  'scope null': claims({ scope: null }),
  'scope empty': claims({ scope: '' }),
  'scope with two spaces': claims({ scope: 'products:read  products:write' }),
  'scope with a space in front': claims({ scope: ' products:read' }),
  'scope with a tab': claims({ scope: 'products:read\tproducts:write' }),
  'scope with a quote': claims({ scope: 'products:read"' }),
  'scope with a backslash': claims({ scope: 'products:read\\' }),
  'scope beyond ASCII': claims({ scope: 'prodücts:read' }),
  'scope with a line break': claims({ scope: 'products:read\n' }),
  'scope of 129 characters': claims({ scope: 's'.repeat(129) }),
  '257 scopes': claims({ scope: Array.from({ length: 257 }, (_, index) => `s${index}`).join(' ') }),
  'scope an object': claims({ scope: { 'products:read': true } }),
  'permissions a string': claims({ permissions: 'identity:*' }),
  'permissions null': claims({ permissions: null }),
  'permissions with a number': claims({ permissions: ['identity:*', 1] }),
  'permissions nested': claims({ permissions: [['identity:*']] }),
  'permission with a space': claims({ permissions: ['identity:* x'] }),
}

const oddRfc9068Claims: Record<string, () => Promise<string>> = {
  'client_id missing': claims({ client_id: undefined, azp: 'sync-job' }),
  'client_id empty': claims({ client_id: '' }),
  'client_id a list': claims({ client_id: ['sync-job'] }),
  'client_id null': claims({ client_id: null }),
  'scope a list': claims({ scope: ['products:read'] }),
}

async function hmacSigned(): Promise<string> {
  const secret = new TextEncoder().encode(JSON.stringify(es.jwk))
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const input = `${encoded(headerOf(es, { alg: 'HS256' }))}.${encoded(json())}`
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(input))
  return `${input}.${encoded(new Uint8Array(signature))}`
}

/** Everything of a problem that a caller could see. */
function visible(outcome: Awaited<ReturnType<typeof outcomeOf>>) {
  if (!(outcome instanceof Problem)) return { accepted: outcome }
  const { cause, ...extras } = outcome.extras
  // For the log alone.
  expect(cause).toBeInstanceOf(TokenError)
  return { kind: outcome.kind, values: outcome.values, extras }
}

const bearer = (make: () => Promise<string>) => async () => `Bearer ${await make()}`

const refused = Object.entries({
  ...oddHeaders,
  ...Object.fromEntries(
    Object.entries({ ...oddTokens, ...oddRfc9068Claims }).map(([name, make]) => [name, bearer(make)]),
  ),
})

describe('odd tokens', () => {
  test('the token that each of them departs from is good', async () => {
    expect(await verdictOn(`Bearer ${await good()}`, tenant)).toBe('accepted')
  })

  test('counts the last of two claims with one name (RFC 7519 §4)', async () => {
    const token = await rawClaims(json().replace('{', '{"sub":"admin",'))()
    expect(await outcomeOf(`Bearer ${token}`, tenant)).toEqual(
      await outcomeOf(`Bearer ${await good()}`, tenant),
    )
  })

  test.each(refused)('%s: 401, the same as for the others', async (_, make) => {
    expect(visible(await outcomeOf(await make(), tenant))).toEqual({
      kind: expect.objectContaining({ slug: 'auth.invalid_token', status: 401 }),
      values: {},
      extras: {
        headers: {
          'WWW-Authenticate':
            'Bearer realm="product catalogue", error="invalid_token", resource_metadata="https://acme.example/.well-known/oauth-protected-resource"',
        },
      },
    })
  })
})

describe('odd tokens of the generic profile', () => {
  const azp = { client_id: undefined, azp: 'sync-job' }
  const generic = (differently: Record<string, unknown>, typ?: unknown) => () =>
    signed(headerOf(es, { typ }), claimsOf({ ...azp, ...differently }), es)

  test('the token that each of them departs from is good', async () => {
    const token = await generic({})()
    expect(await verdictOn(`Bearer ${token}`, { ...tenant, tokenProfile: 'generic' })).toBe('accepted')
  })

  test.each(
    Object.entries({
      'typ at+jwt': generic({}, 'at+jwt'),
      'typ null': generic({}, null),
      'typ empty': generic({}, ''),
      'typ of a logout token': generic({}, 'logout+jwt'),
      'no client': generic({ azp: undefined }),
      'client_id alone': generic({ azp: undefined, client_id: 'sync-job' }),
      'azp empty': generic({ azp: '' }),
      'azp null with cid': generic({ azp: null, cid: 'sync-job' }),
      'azp and appid disagree': generic({ appid: 'another' }),
      'azp and cid disagree': generic({ cid: 'another' }),
      'scp a number': generic({ scope: undefined, scp: 1 }),
      'scp with an empty name': generic({ scope: undefined, scp: [''] }),
      'scp with a space in a name': generic({ scope: undefined, scp: ['a b'] }),
      'scp and scope disagree': generic({ scp: ['products:read'] }),
      'scp says more than scope': generic({ scp: ['products:read', 'products:write', 'events:read'] }),
      'scp malformed with a good scope': generic({ scp: 'a  b' }),
      'scope malformed with a good scp': generic({ scope: 'a  b', scp: ['a'] }),
      'scp null': generic({ scope: undefined, scp: null }),
      'jti missing': generic({ jti: undefined }),
      'jti revoked': generic({ jti: 'revoked' }),
      'sub empty': generic({ sub: '' }),
      'exp missing': generic({ exp: undefined }),
      'iat missing': generic({ iat: undefined }),
      'lifetime of a day and a second': generic({ iat: seconds, exp: seconds + 86_401 }),
      'two audiences': generic({ aud: ['https://acme.example/api', 'https://acme.example/userinfo'] }),
    }),
  )('%s: 401', async (_, make) => {
    const outcome = await outcomeOf(`Bearer ${await make()}`, { ...tenant, tokenProfile: 'generic' })
    expect(visible(outcome)).toEqual(visible(await outcomeOf('Bearer x', tenant)))
  })
})

describe('keys that are refused', () => {
  const tokenBy = (signer: Signer) => signed(headerOf(signer), claimsOf(), signer)
  const published = (signer: Signer, differently: Record<string, unknown>): Signer => ({
    ...signer,
    jwk: JSON.parse(JSON.stringify({ ...signer.jwk, ...differently })),
  })

  test.each(
    Object.entries<() => Promise<Signer[]> | Signer[]>({
      'RSA of 1024 bits': async () => [await newSigner('RS256', 'weak', { modulusLength: 1024 })],
      'RSA of 2040 bits': async () => [await newSigner('RS256', 'weak', { modulusLength: 2040 })],
      'RSA with exponent 3': async () => [
        await newSigner('RS256', 'weak', { publicExponent: Uint8Array.of(3) }),
      ],
      'RSA without an exponent': () => [published(rs, { e: undefined })],
      'use enc': () => [published(es, { use: 'enc' })],
      'use null': () => [published(es, { use: null })],
      'key_ops without verify': () => [published(es, { key_ops: ['sign'] })],
      'alg of another kind': () => [published(rs, { alg: 'PS256' })],
      'private key published': () => [published(es, { d: 'AAAA' })],
      'symmetric key': () => [published(es, { kty: 'oct', k: 'c2VjcmV0' })],
      'symmetric part in a public key': () => [published(es, { k: 'c2VjcmV0' })],
      'curve P-384': () => [published(es, { crv: 'P-384' })],
      'point off the curve': () => [published(es, { x: es.jwk.y, y: es.jwk.x })],
      'coordinate missing': () => [published(es, { y: undefined })],
      'no kid on the key': () => [published(es, { kid: undefined })],
      'kid empty on key and token alike': () => [{ ...published(es, { kid: '' }), kid: '' }],
      'kid of 129 characters on key and token alike': () => {
        const kid = 'k'.repeat(129)
        return [{ ...published(es, { kid }), kid }]
      },
      'kid doubled by another key': () => [es, impostor],
      'kid doubled by the same key': () => [es, es],
      'kid doubled by an encryption key': () => [es, published(impostor, { use: 'enc' })],
    }),
  )('%s: 401', async (_, make) => {
    const [signer, ...others] = await make()
    if (!signer) throw new Error('no key')
    expect(await verdictOn(`Bearer ${await tokenBy(signer)}`, tenantTrusting([signer, ...others]))).toBe(
      'auth.invalid_token',
    )
  })

  test('an algorithm that the tenant did not enable is refused', async () => {
    const only = tenantTrusting([es, rs], { algorithms: ['RS256'] })
    expect(await verdictOn(`Bearer ${await tokenBy(es)}`, only)).toBe('auth.invalid_token')
    expect(await verdictOn(`Bearer ${await tokenBy(rs)}`, only)).toBe('accepted')
  })

  test('a kid of 128 characters is fine', async () => {
    const kid = 'k'.repeat(128)
    const signer = { ...published(es, { kid }), kid }
    expect(await verdictOn(`Bearer ${await tokenBy(signer)}`, tenantTrusting([signer]))).toBe('accepted')
  })

  test.each<[string, Record<string, unknown>]>([
    ['no use', { use: undefined }],
    ['key_ops of verify', { use: undefined, key_ops: ['verify'] }],
    ['its alg by either name', { alg: 'Ed25519' }],
    ['its alg', { alg: 'EdDSA' }],
    ['members of no concern', { x5t: 'thumbprint', ext: true }],
  ])('a key with %s is fine', async (_, differently) => {
    const signer = published(ed, differently)
    expect(await verdictOn(`Bearer ${await tokenBy(signer)}`, tenantTrusting([signer]))).toBe('accepted')
  })

  test('a refused key leaves the others in use', async () => {
    const keys = [
      await newSigner('RS256', 'weak', { modulusLength: 1024 }),
      published(ed, { use: 'enc' }),
      es,
    ]
    expect(await verdictOn(`Bearer ${await tokenBy(es)}`, tenantTrusting(keys))).toBe('accepted')
  })
})
