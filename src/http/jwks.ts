/**
 * An issuer's keys, kept in the isolate as data. A pending promise is not kept: on Workers a request cannot wait for
 * another request's I/O, so two cold requests fetch twice. Not jose's `createRemoteJWKSet`: it has no stale keys for an
 * issuer that is down, which it asks once for each token, and finds no key that was added within its cool-down.
 */

import { fetchJwks, IssuerUnreachable } from './jwks-fetch.ts'
import { keepNewest } from './newest.ts'
import type { PublishedKey } from './signing-key.ts'

/** What finding keys takes of the world: the clock, the network, and whom to tell of an issuer that is down. */
export type Fetching = {
  readonly now: Date
  readonly fetch: typeof fetch
  /** Told once for each attempt to fetch keys that fails, with whether earlier ones are used meanwhile. */
  readonly failed?: (why: IssuerUnreachable, hasKeys: boolean) => void
}

/** Keys, or why there are none to be had. */
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
/** As long as a caller is told to wait: made-up tokens must not have an issuer that is down asked once for each. */
const betweenAttempts = 10_000
const mostIssuers = 100
const never = Number.NEGATIVE_INFINITY

const cache = new Map<string, Cached>()
/** When the issuers of which no keys are cached were last found to be down. */
const unreached = new Map<string, { readonly at: number; readonly why: IssuerUnreachable }>()

/**
 * The keys published at `uri`, fetched when they are ten minutes old or lack `kid` (at most once in 30 s), and while
 * the issuer is down the last ones for up to 24 h. Where there are none to be had it is not asked again for ten seconds.
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
  if (asking) keepNewest(cache, uri, asking, mostIssuers)
  const keys = await fetchJwks(uri, fetching.fetch)
  if (!(keys instanceof IssuerUnreachable)) {
    const unknownAt = asking?.unknownAt ?? (lacksKid(keys) ? now : never)
    keepNewest(cache, uri, { keys, fetchedAt: now, unknownAt, failedAt: never }, mostIssuers)
    unreached.delete(uri)
    return { keys }
  }
  const usable = asking && isWithin(usableWhileDown, asking.fetchedAt, now) ? asking : null
  fetching.failed?.(keys, usable !== null)
  if (usable === null) {
    keepNewest(unreached, uri, { at: now, why: keys }, mostIssuers)
    return { unreached: keys }
  }
  keepNewest(cache, uri, { ...usable, failedAt: now }, mostIssuers)
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
