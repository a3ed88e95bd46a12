import type { JWK } from 'jose'
import type { Actor, Tenant, TokenAlgorithm } from '../../src/core/context.ts'
import { Problem } from '../../src/core/problem.ts'
import { authenticate } from '../../src/http/auth.ts'
import type { SharedKeys } from '../../src/http/jwks.ts'

/** A key pair of a made-up issuer. */
export type Signer = {
  readonly alg: TokenAlgorithm
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

type Part = string | Uint8Array | Readonly<Record<string, unknown>>

const generation = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  },
  EdDSA: { name: 'Ed25519' },
}

/** Makes a key pair; `differently` overrides how, for keys that must be refused. */
export async function newSigner(alg: TokenAlgorithm, kid: string, differently: object = {}): Promise<Signer> {
  const how = { ...generation[alg], ...differently }
  const pair = await crypto.subtle.generateKey(how, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('expected a key pair')
  const exported = await crypto.subtle.exportKey('jwk', pair.publicKey)
  if (exported instanceof ArrayBuffer || exported.kty === undefined) throw new Error('expected a JWK')
  const { kty, crv, x, y, n, e } = exported
  const jwk = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e, kid, use: 'sig' }))
  return { alg, kid, privateKey: pair.privateKey, jwk }
}

/** base64url of text, bytes or an object's JSON. */
export function encoded(part: Part): string {
  if (part instanceof Uint8Array) return Buffer.from(part).toString('base64url')
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
}

/** A compact JWS over exactly these two parts, whatever they say. */
export async function signed(header: Part, claims: Part, signer: Signer): Promise<string> {
  return signedText(`${encoded(header)}.${encoded(claims)}`, signer)
}

/** A compact JWS over a signing input that is spelled already. */
export async function signedText(input: string, { privateKey }: Signer): Promise<string> {
  const how = { name: privateKey.algorithm.name, hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(how, privateKey, new TextEncoder().encode(input))
  return `${input}.${encoded(new Uint8Array(signature))}`
}

export const clock = new Date('2026-11-20T12:00:00.250Z')
export const seconds = Math.floor(clock.getTime() / 1000)

/** A tenant that trusts the signers' keys, inline unless said otherwise. */
export function tenantTrusting(signers: readonly Signer[], differently: Partial<Tenant> = {}): Tenant {
  return {
    id: '01980000-0000-7000-8000-000000000001',
    host: 'acme.example',
    hosts: ['acme.example'],
    name: 'Acme',
    isSuspended: false,
    locales: ['en-US'],
    arriving: [],
    leaving: [],
    defaultApiVersion: '2026-10',
    issuer: 'https://login.acme.example/',
    audience: 'https://acme.example/api',
    jwks: { keys: signers.map(({ jwk }) => jwk) },
    jwksUri: null,
    algorithms: ['ES256', 'RS256', 'EdDSA'],
    tokenProfile: 'rfc9068',
    tokensValidAfter: null,
    revokedTokens: [],
    limits: { webhookSubscriptions: 100, webhookSubscriptionsPerHost: 20 },
    priorPriceDays: 30,
    pricePolicies: {},
    referenceUnits: [],
    timeZone: 'UTC',
    imageHosts: [],
    epochs: [],
    ...differently,
  }
}

/** Claims of a good RFC 9068 application token. */
export function claimsOf(differently: Readonly<Record<string, unknown>> = {}) {
  return {
    iss: 'https://login.acme.example/',
    aud: 'https://acme.example/api',
    sub: 'sync-job',
    client_id: 'sync-job',
    iat: seconds - 60,
    exp: seconds + 3600,
    jti: 'token-1',
    scope: 'products:read products:write',
    ...differently,
  }
}

/** Header of a good RFC 9068 token. */
export function headerOf({ alg, kid }: Signer, differently: Readonly<Record<string, unknown>> = {}) {
  return { typ: 'at+jwt', alg, kid, ...differently }
}

export const nothingAnswers: typeof fetch = async () => {
  throw new TypeError('connection refused')
}

/** The result of `authenticate` for an Authorization header: the actor or the problem thrown. */
export async function outcomeOf(
  authorization: string,
  tenant: Tenant,
  options: { now?: Date; fetch?: typeof fetch; sharedKeys?: SharedKeys; url?: string } = {},
): Promise<Actor | Problem> {
  const url = new URL(options.url ?? 'https://acme.example/api/products')
  const fetching = {
    now: options.now ?? clock,
    fetch: options.fetch ?? nothingAnswers,
    sharedKeys: options.sharedKeys ?? null,
  }
  try {
    return await authenticate(new Headers({ authorization }), url, tenant, fetching)
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown
    throw thrown
  }
}

/** An outcome as a line: `accepted` or the problem's slug. */
export async function verdictOn(...question: Parameters<typeof outcomeOf>): Promise<string> {
  const outcome = await outcomeOf(...question)
  return outcome instanceof Problem ? outcome.kind.slug : 'accepted'
}
