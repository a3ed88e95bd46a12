/** The keys of issuers (RFC 7517): inline in a tenant's settings, or published at an address. */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { Lru, oncePer } from '../core/cache.ts'
import type { Tenant } from '../core/context.ts'
import { SafeError } from '../core/log.ts'
import { boundedBytes } from '../core/sizes.ts'
import { isObject, jsonObject, TokenError, type TokenHeader } from './jwt.ts'

/** A failed fetch of keys: `timeout`, `connection`, `http_404`, `too_large` or `no_key_set`. */
export class IssuerUnreachable extends SafeError {
  constructor(reason: string) {
    super('IssuerUnreachable', reason)
  }
}

/** The keys that an issuer published, and when they were fetched, in ms since the epoch. */
type FetchedKeys = { readonly set: JSONWebKeySet; readonly at: number }

/** Where the last good keys of an issuer outlive an isolate. A failure counts as no keys. */
export type SharedKeys = {
  readonly get: (id: string) => Promise<FetchedKeys | null>
  readonly put: (id: string, keys: FetchedKeys) => Promise<void>
}

/** The network, the shared keys, and the callback for an issuer that is down. */
export type Fetching = {
  readonly fetch: typeof fetch
  /** Null if the platform has no cache. */
  readonly sharedKeys: SharedKeys | null
  /** Called once for each failed fetch; `hasKeys` is true if earlier keys are used meanwhile. */
  readonly failed?: (error: IssuerUnreachable, hasKeys: boolean) => void
}

const longestBody = 64 * 1024
/** All durations are milliseconds. This one is for the whole response, its body included. */
const timeoutDuration = 3000
const cacheMaxAge = 10 * 60_000
/** Together with `cacheMaxAge` 24 hours, because jose caches the last good keys once more. */
const usableWhileDown = 24 * 3_600_000 - cacheMaxAge
const betweenUnknownKids = 30_000
/** Equals the `Retry-After` of callers: forged tokens must not cause a fetch each while the issuer is down. */
const betweenFailures = 10_000

const issuers = new Lru<PublishedKeys>(100)
type Header = Pick<TokenHeader, 'alg' | 'kid'>

/**
 * The key that a token must verify with.
 * @throws TokenError if the issuer has no key or several keys with that `kid`, or one that is weak, secret or meant for
 * something else. IssuerUnreachable if the issuer is down and no earlier keys are usable.
 */
export async function verificationKey(
  { alg, kid }: TokenHeader,
  { jwks, jwksUri, tokensValidAfter }: Tenant,
  fetching: Fetching,
): Promise<CryptoKey> {
  if (jwks === null && jwksUri === null) throw new TokenError('key_unknown')
  const header = { alg, kid }
  const key = jwks
    ? localKeys(jwks)(header)
    : publishedKeys(String(jwksUri), tokensValidAfter, fetching).key(header, fetching)
  const imported = await key.catch((error) => {
    if (error instanceof IssuerUnreachable) throw error
    throw new TokenError(error instanceof errors.JWKSNoMatchingKey ? 'key_unknown' : 'key_unfit')
  })
  if (!isStrong(imported)) throw new TokenError('key_unfit')
  return imported
}

const localKeys = oncePer((jwks: JSONWebKeySet) => createLocalJWKSet(usableKeys(jwks.keys)))

/** Keys that were fetched before the operator last revoked tokens are not used, because one of them may be compromised. */
function publishedKeys(uri: string, revokedAt: number | null, fetching: Fetching): PublishedKeys {
  const id = JSON.stringify([uri, revokedAt])
  const keys = issuers.get(id) ?? new PublishedKeys(uri, id, fetching)
  issuers.set(id, keys)
  return keys
}

/**
 * The keys at an address, which jose caches for ten minutes, and the last ones for when the issuer is down. An isolate
 * without last ones takes those that other isolates of its data centre share.
 */
class PublishedKeys {
  readonly #keys: ReturnType<typeof createRemoteJWKSet>
  readonly #id: string
  readonly #shared: SharedKeys | null
  #last: FetchedKeys | null = null
  #failure: { readonly error: IssuerUnreachable; readonly at: number } | null = null
  /** When an unknown `kid` last had the keys fetched. */
  #unknownAt = Number.NEGATIVE_INFINITY

  constructor(uri: string, id: string, { fetch, sharedKeys }: Fetching) {
    this.#id = id
    this.#shared = sharedKeys
    this.#keys = createRemoteJWKSet(new URL(uri), {
      cacheMaxAge,
      // Without a limit of its own, jose would also fetch for each of several unknown kids at once.
      cooldownDuration: Number.POSITIVE_INFINITY,
      timeoutDuration,
      [customFetch]: async (url, init) =>
        Response.json(await this.#fetchOrLast(() => fetchKeys(fetch, url, init))),
    })
  }

  /** The key of a token. An unknown `kid` has the keys fetched again, at most once in 30 s. */
  async key(header: Header, { failed }: Fetching): Promise<CryptoKey> {
    const failure = this.#failure
    try {
      return await this.#find(header)
    } finally {
      if (this.#failure && this.#failure !== failure) failed?.(this.#failure.error, this.#isUsable())
    }
  }

  async #find(header: Header): Promise<CryptoKey> {
    const isCached = this.#keys.fresh
    try {
      return await this.#keys(header)
    } catch (error) {
      const now = Date.now()
      const isUnknown = error instanceof errors.JWKSNoMatchingKey
      if (!isUnknown || now - this.#unknownAt < betweenUnknownKids) throw error
      this.#unknownAt = now
      if (!isCached) throw error
    }
    await this.#keys.reload()
    return this.#keys(header)
  }

  /** The published keys, or the last good ones while the issuer is down. */
  async #fetchOrLast(fetchSet: () => Promise<JSONWebKeySet>): Promise<JSONWebKeySet> {
    const now = Date.now()
    if (this.#failure === null || now - this.#failure.at >= betweenFailures) {
      try {
        this.#last = { set: await fetchSet(), at: now }
        this.#failure = null
        await this.#shared?.put(this.#id, this.#last)
        return this.#last.set
      } catch (error) {
        if (!(error instanceof IssuerUnreachable)) throw error
        this.#failure = { error, at: now }
        this.#last ??= (await this.#shared?.get(this.#id)) ?? null
      }
    }
    if (this.#last && this.#isUsable()) return this.#last.set
    throw this.#failure.error
  }

  #isUsable(): boolean {
    return this.#last !== null && Date.now() - this.#last.at < usableWhileDown
  }
}

/** The keys that the isolates of a data centre share, in its cache; null without a cache. */
export function sharedKeysOf(): SharedKeys | null {
  // Node has no `caches`.
  const cache = typeof caches === 'undefined' ? undefined : caches.default
  if (!cache) return null
  const addressOf = (id: string) => `https://issuer-keys.invalid/${encodeURIComponent(id)}`
  return {
    async get(id) {
      const read = async () => (await cache.match(addressOf(id)))?.json<FetchedKeys>()
      return (await read().catch(() => undefined)) ?? null
    },
    async put(id, keys) {
      const headers = { 'Cache-Control': `max-age=${usableWhileDown / 1000}` }
      await cache.put(addressOf(id), Response.json(keys, { headers })).catch(() => undefined)
    },
  }
}

/** Fetches keys. Redirects are not followed, because an attacker could choose the keys by one. */
async function fetchKeys(fetch: Fetching['fetch'], uri: string, init: RequestInit): Promise<JSONWebKeySet> {
  try {
    const response = await fetch(uri, init)
    if (response.status !== 200 || response.redirected || !response.body) {
      await response.body?.cancel()
      throw new IssuerUnreachable(`http_${response.status}`)
    }
    const bytes = await boundedBytes(response.body, longestBody)
    if (bytes === null) throw new IssuerUnreachable('too_large')
    const set = jsonObject(bytes)
    if (!set || !Array.isArray(set.keys)) throw new IssuerUnreachable('no_key_set')
    return usableKeys(set.keys)
  } catch (error) {
    if (error instanceof IssuerUnreachable) throw error
    throw new IssuerUnreachable(init.signal?.aborted ? 'timeout' : 'connection')
  }
}

/** Keys with a `kid` of their own; private and symmetric keys are compromised because they were published. */
function usableKeys(published: readonly unknown[]): JSONWebKeySet {
  const keys = published.filter(isKey)
  const byKid = Map.groupBy(keys, ({ kid }) => kid)
  return {
    keys: keys
      .filter(
        (key) => byKid.get(key.kid)?.length === 1 && !Object.hasOwn(key, 'd') && !Object.hasOwn(key, 'k'),
      )
      // RFC 9864 renames EdDSA over Ed25519. Tokens name the algorithm EdDSA.
      .map((key) => (key.alg === 'Ed25519' ? { ...key, alg: 'EdDSA' } : key)),
  }
}

function isKey(value: unknown): value is JWK {
  return isObject(value) && typeof value.kty === 'string'
}

/** RSA with 2048 to 8192 bits and 2¹⁶ < e < 2³² (FIPS 186-5 §5.1); the upper bounds keep a verification cheap. */
function isStrong({ algorithm }: CryptoKey): boolean {
  if (!('modulusLength' in algorithm && 'publicExponent' in algorithm)) return true
  const { modulusLength, publicExponent } = algorithm
  const bytes = new Uint8Array(ArrayBuffer.isView(publicExponent) ? publicExponent.buffer : publicExponent)
  const exponent = bytes.reduce((value, byte) => value * 256 + byte, 0)
  return modulusLength >= 2048 && modulusLength <= 8192 && exponent > 2 ** 16 && exponent < 2 ** 32
}
