import type { Tenant, TokenAlgorithm } from '../core/context.ts'
import { SafeError } from '../core/log.ts'
import { Lru } from '../core/lru.ts'
import { isObject, jsonObject, TokenError } from './jwt.ts'

const longestBody = 64 * 1024

/** Milliseconds for the whole answer, its body included. */
const patience = 3000

/** What an issuer's keys could not be fetched for: `timeout`, `connection`, `http_404`, `too_large` or `no_key_set`. */
class IssuerUnreachable extends SafeError {
  constructor(reason: string) {
    super('IssuerUnreachable', reason)
  }
}

/**
 * The keys served at `uri` (RFC 7517 §5), or an error unless the response is 200 with a key set of at most 64 kB in time.
 * Redirects are not followed, because an attacker could choose the keys by one.
 */
async function fetchJwks(
  uri: string,
  fetch: typeof globalThis.fetch,
): Promise<readonly PublishedKey[] | IssuerUnreachable> {
  const abort = new AbortController()
  const late = Promise.withResolvers<IssuerUnreachable>()
  const timer = setTimeout(() => {
    abort.abort()
    late.resolve(new IssuerUnreachable('timeout'))
  }, patience)
  try {
    return await Promise.race([readKeys(uri, fetch, abort.signal), late.promise])
  } catch {
    return new IssuerUnreachable('connection')
  } finally {
    clearTimeout(timer)
    // Closes the connection if the rest of a rejected response was not read.
    abort.abort()
  }
}

async function readKeys(
  uri: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<readonly PublishedKey[] | IssuerUnreachable> {
  const headers = { accept: 'application/jwk-set+json, application/json' }
  const response = await fetch(uri, { headers, redirect: 'manual', signal })
  if (response.status !== 200 || response.redirected || !response.body)
    return new IssuerUnreachable(`http_${response.status}`)
  const bytes = await bounded(response.body)
  if (bytes === null) return new IssuerUnreachable('too_large')
  const set = jsonObject(bytes)
  if (!set || !Array.isArray(set.keys)) return new IssuerUnreachable('no_key_set')
  return set.keys.filter(isPublishedKey)
}

function isPublishedKey(key: unknown): key is PublishedKey {
  return isObject(key) && typeof key.kty === 'string'
}

/** The whole body, or null as soon as it proves longer than allowed, whatever length it announced. */
async function bounded(body: ReadableStream<Uint8Array>): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(longestBody)
  let length = 0
  for await (const chunk of body) {
    if (length + chunk.length > longestBody) return null
    bytes.set(chunk, length)
    length += chunk.length
  }
  return bytes.subarray(0, length)
}

/**
 * An issuer's keys, kept in the isolate as data. A pending promise is not kept: on Workers a request cannot wait for
 * another request's I/O, so two cold requests fetch twice. Not jose's `createRemoteJWKSet`: it has no stale keys for an
 * issuer that is down, which it asks once for each token, and finds no key that was added within its cool-down.
 */

/** The clock, the network, and the callback for an issuer that is down. */
export type Fetching = {
  readonly now: Date
  readonly fetch: typeof fetch
  /** Called once for each failed fetch; `hasKeys` is true if earlier keys are used meanwhile. */
  readonly failed?: (why: IssuerUnreachable, hasKeys: boolean) => void
}

/** Keys, or the error of the last fetch. */
type Found = { readonly keys: readonly PublishedKey[] } | { readonly unreached: IssuerUnreachable }

type Cached = {
  readonly keys: readonly PublishedKey[]
  /** Milliseconds since the epoch, as all moments here. */
  readonly fetchedAt: number
  /** When an unknown `kid` last had the keys fetched. */
  readonly unknownAt: number
  /** When the issuer was last found to be down. */
  readonly failedAt: number
}

const fresh = 10 * 60_000
const usableWhileDown = 24 * 3_600_000
const betweenRetries = 30_000
/** Equals the `Retry-After` of callers: invented tokens must not cause a fetch each while the issuer is down. */
const betweenAttempts = 10_000
const mostIssuers = 100
const never = Number.NEGATIVE_INFINITY

const cache = new Lru<Cached>(mostIssuers)
/** When the issuers of which no keys are cached were last found to be down. */
const unreached = new Lru<{ readonly at: number; readonly why: IssuerUnreachable }>(mostIssuers)

/**
 * The keys published at `uri`, fetched when they are ten minutes old or lack `kid` (at most once in 30 s), and while
 * the issuer is down the last ones for up to 24 h. Without any keys, a failed fetch is repeated after ten seconds.
 */
export async function publishedKeys(uri: string, kid: string, fetching: Fetching): Promise<Found> {
  const now = fetching.now.getTime()
  const cached = cache.get(uri)
  const lacksKid = (keys: readonly PublishedKey[]) => !keys.some((key) => key.kid === kid)
  if (cached && !isDue(cached, lacksKid(cached.keys), now)) return { keys: cached.keys }

  const before = unreached.get(uri)
  if (before && isWithin(betweenAttempts, before.at, now)) return { unreached: before.why }

  // Noted before the answer, so that requests arriving meanwhile do not ask as well.
  const asking = cached && { ...cached, unknownAt: lacksKid(cached.keys) ? now : cached.unknownAt }
  if (asking) cache.set(uri, asking)
  const keys = await fetchJwks(uri, fetching.fetch)
  if (!(keys instanceof IssuerUnreachable)) {
    const unknownAt = asking?.unknownAt ?? (lacksKid(keys) ? now : never)
    cache.set(uri, { keys, fetchedAt: now, unknownAt, failedAt: never })
    unreached.delete(uri)
    return { keys }
  }
  const usable = asking && isWithin(usableWhileDown, asking.fetchedAt, now) ? asking : null
  fetching.failed?.(keys, usable !== null)
  if (usable === null) {
    unreached.set(uri, { at: now, why: keys })
    return { unreached: keys }
  }
  cache.set(uri, { ...usable, failedAt: now })
  return { keys: usable.keys }
}

function isDue(cached: Cached, unknown: boolean, now: number): boolean {
  if (!isWithin(usableWhileDown, cached.fetchedAt, now)) return true
  if (isWithin(betweenRetries, cached.failedAt, now)) return false
  if (!isWithin(fresh, cached.fetchedAt, now)) return true
  return unknown && !isWithin(betweenRetries, cached.unknownAt, now)
}

/** In either direction, because clocks step back. */
function isWithin(span: number, then: number, now: number): boolean {
  return Math.abs(now - then) < span
}

/** A public key as an issuer publishes it (RFC 7517). */
export type PublishedKey = NonNullable<Tenant['jwks']>['keys'][number]

/** How many imported keys an isolate keeps. */
const mostImported = 200

/** Imported keys by their parameters, so that a key that is fetched again is not imported again. */
const imported = new Lru<CryptoKey>(mostImported)

/**
 * The key that a token signed with `algorithm` under `kid` must verify with.
 * @throws TokenError when the issuer publishes none, publishes two under that name, or publishes one that is too weak, secret,
 * or meant for something else
 */
export async function signingKey(
  published: readonly PublishedKey[],
  kid: string,
  algorithm: TokenAlgorithm,
): Promise<CryptoKey> {
  const [key, another] = published.filter((candidate) => candidate.kid === kid)
  if (!key || another) throw new TokenError('key_unknown')
  const imported = mayVerify(key, algorithm) ? await importedKey(key, algorithm) : null
  if (imported === null) throw new TokenError('key_unfit')
  return imported
}

function mayVerify(key: PublishedKey, algorithm: TokenAlgorithm): boolean {
  if (key.use !== undefined && key.use !== 'sig') return false
  if (key.key_ops !== undefined && !(Array.isArray(key.key_ops) && key.key_ops.includes('verify')))
    return false
  if (key.alg !== undefined && !algorithmNames[algorithm].includes(key.alg)) return false
  // A published private or symmetric key is compromised.
  if (Object.hasOwn(key, 'd') || Object.hasOwn(key, 'k')) return false
  return isStrong[algorithm](key)
}

/** RFC 9864 gives EdDSA over Ed25519 a name of its own. */
const algorithmNames: Readonly<Record<TokenAlgorithm, readonly string[]>> = {
  ES256: ['ES256'],
  RS256: ['RS256'],
  EdDSA: ['EdDSA', 'Ed25519'],
}

const isStrong: Readonly<Record<TokenAlgorithm, (key: PublishedKey) => boolean>> = {
  ES256: ({ kty, crv }) => kty === 'EC' && crv === 'P-256',
  EdDSA: ({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519',
  RS256: ({ kty, n, e }) => {
    const modulus = bits(n)
    // FIPS 186-5 §5.1 wants 2¹⁶ < e; the upper bounds keep a verification cheap.
    return kty === 'RSA' && modulus >= 2048 && modulus <= 8192 && bits(e) > 16 && bits(e) <= 32
  },
}

/** The bits of a base64url integer without leading zeros; 0 for an invalid one. */
function bits(integer: string | undefined): number {
  if (typeof integer !== 'string' || !/^[A-Za-z0-9_-]+$/.test(integer)) return 0
  try {
    const bytes = atob(integer.replaceAll('-', '+').replaceAll('_', '/')).replace(/^\0+/, '')
    return bytes === '' ? 0 : bytes.length * 8 - (Math.clz32(bytes.charCodeAt(0)) - 24)
  } catch {
    return 0
  }
}

const importParameters = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
} as const

async function importedKey(key: PublishedKey, algorithm: TokenAlgorithm): Promise<CryptoKey | null> {
  const { kty, crv, x, y, n, e } = key
  const material = JSON.stringify([algorithm, kty, crv, x, y, n, e])
  const known = imported.get(material)
  if (known) return known
  try {
    const jwk: JsonWebKey = { kty: kty ?? '', crv, x, y, n, e }
    const made = await crypto.subtle.importKey('jwk', jwk, importParameters[algorithm], false, ['verify'])
    imported.set(material, made)
    return made
  } catch {
    return null
  }
}
