import { Lru, oncePer } from '../core/cache.ts'
import { epochOf, type Tenant } from '../core/context.ts'
import { instantOf } from '../core/instant.ts'
import type { Context } from '../core/operation.ts'
import { CacheIsCurrent } from '../db/client.ts'
import type { AppEnv } from './request.ts'

/**
 * The cache of responses in an isolate. Each is stored with the tenant's clock at which it was rendered. Every commit moves the
 * clock, so a response is current while its clock has not moved. The one round trip of a request compares the two clocks.
 */

/** A rendered response without the headers that depend on the request. */
export type RenderedResponse = {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly etag: string
  readonly body: Uint8Array
  /** The moment until which prices of now stay the same, null if always; absent without prices of now. */
  readonly cachedUntil?: string | null
}

/** The header with the moment of the prices in a response. */
export const pricedAtHeader = 'Service-Priced-At'

/** A cached response. */
export type CachedResponse = {
  readonly made: RenderedResponse
  /** The tenant's clock when it was rendered. */
  readonly clock: string
  /** When the clock was last read with this value, in ms since the epoch. */
  readonly seen: number
}

/** Bytes of a cached response in addition to its body, approximately. */
const overhead = 1000

/** A cache of responses with at most so many bytes; with 0 bytes it caches nothing. */
export function newResponseCache(maximumBytes: number): Lru<CachedResponse> {
  return new Lru(maximumBytes, (key, { made }) => made.body.byteLength + 2 * key.length + overhead)
}

/**
 * Returns a cached response if the tenant's clock has not moved since, or if the caller accepts a response of its age, which
 * may also come from the cache of the data centre. Otherwise creates a response and caches it.
 */
export async function cachedResponse(
  { memory, dataCentre }: { readonly memory: Lru<CachedResponse>; readonly dataCentre: DataCentre | null },
  variables: AppEnv['Variables'],
  { db, access, runAfterResponse }: Pick<Context, 'db' | 'access' | 'runAfterResponse'>,
  headers: Headers,
  create: () => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const { maxAge, isNew } = requestedFreshness(headers)
  const key = responseKey(variables, access.scopes)
  const now = variables.now.getTime()
  const ageOf = ({ seen }: CachedResponse) => Math.max(0, (now - seen) / 1000)
  const isYoung = (response: CachedResponse) => maxAge !== null && ageOf(response) <= maxAge
  const isUsable = ({ made: { cachedUntil } }: CachedResponse) =>
    !cachedUntil || instantOf(variables.now) < cachedUntil
  const usable = (response: CachedResponse | undefined) =>
    response && isUsable(response) ? response : undefined
  const local = isNew ? undefined : usable(memory.get(key))
  const shared = maxAge !== null && !(local && isYoung(local)) ? usable(await dataCentre?.at(key)) : undefined
  const newest = shared && (!local || shared.seen > local.seen) ? shared : local
  if (newest && isYoung(newest)) {
    if (newest !== local) memory.set(key, newest)
    variables.responseHeaders.set('Age', String(Math.floor(ageOf(newest))))
    return newest.made
  }
  const store = (response: CachedResponse) => {
    memory.set(key, response)
    // Only callers that accept an age read from the data centre's cache.
    if (maxAge !== null && dataCentre) runAfterResponse(() => dataCentre.keep(key, response))
    return response.made
  }
  db.setCachedClock(newest?.clock ?? null)
  try {
    const made = await create()
    // Rows that were read in two round trips may belong to two moments.
    return db.clock !== null && db.stats.trips === 1 ? store({ made, clock: db.clock, seen: now }) : made
  } catch (error) {
    if (!(error instanceof CacheIsCurrent) || !newest) throw error
    return store({ ...newest, seen: now, made: atMoment(newest.made, variables.now) })
  }
}

/** A response with prices of now, at a later moment at which they are the same. */
function atMoment(response: RenderedResponse, now: Date): RenderedResponse {
  if (response.cachedUntil === undefined) return response
  const headers = response.headers.map(
    ([name, value]) => [name, name === pricedAtHeader ? instantOf(now) : value] as const,
  )
  return { ...response, headers }
}

/** Everything that a response depends on in addition to the tenant's rows: settings, access and request. */
function responseKey(
  { tenant, url, locale, apiVersion, isVersionRequested, isMinimal }: AppEnv['Variables'],
  grants: readonly string[],
): string {
  return [
    settingsText(tenant),
    url.origin,
    grants.join(' '),
    locale.requested,
    `${apiVersion.version.name}${isVersionRequested ? '!' : ''}${isMinimal ? ' minimal' : ''}`,
    url.pathname + url.search,
  ].join('\n')
}

const settingsText = oncePer((tenant: Tenant) => {
  const { id, locales, arriving, leaving, defaultApiVersion, priorPriceDays, pricePolicies, referenceUnits } =
    tenant
  // A host can become a storefront host.
  const isPublic = tenant.storefront !== undefined
  const prices = [priorPriceDays, pricePolicies, referenceUnits]
  return JSON.stringify([
    id,
    isPublic,
    locales,
    arriving,
    leaving,
    defaultApiVersion,
    prices,
    epochOf(tenant),
  ])
})

/** The maximum age of a cached response: `max-age` and `no-cache` of `Cache-Control` (RFC 9111 §5.2.1). */
export function requestedFreshness(headers: Headers): {
  readonly maxAge: number | null
  readonly isNew: boolean
} {
  const directives = (headers.get('cache-control') ?? '').toLowerCase().split(',')
  const ages = directives.flatMap((directive) => /^\s*max-age=(\d{1,9})\s*$/.exec(directive)?.[1] ?? [])
  const isNew = directives.some((directive) => /^\s*no-(?:cache|store)\b/.test(directive))
  return { maxAge: ages.length > 0 && !isNew ? Math.min(...ages.map(Number)) : null, isNew }
}

/**
 * A cache of responses in a data centre, for callers that accept an age (`Cache-Control: max-age`). All isolates of the data
 * centre share it. The cache's URL is a hash of everything that the response depends on, and of the deployment.
 */
export type DataCentre = {
  /** The response of a key (see `responseKey()`), or undefined. */
  at(key: string): Promise<CachedResponse | undefined>
  keep(key: string, answer: CachedResponse): Promise<void>
}

/** Maximum seconds in the data centre's cache. */
const longest = 60

const description = 'x-answer'

/** The cache of the data centre; null without a cache or a deployment id. */
export function dataCentreOf(deployment: { readonly id: string } | undefined): DataCentre | null {
  // Node has no `caches`.
  const cache = typeof caches === 'undefined' ? undefined : caches.default
  if (!cache || !deployment) return null
  const addressOf = async (key: string) => {
    const bytes = new TextEncoder().encode(`${deployment.id}\n${key}`)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return `https://answers.invalid/${btoa(String.fromCharCode(...digest)).replaceAll('/', '_')}`
  }
  return {
    async at(key) {
      // A failure counts as a miss.
      const entry = await cache.match(await addressOf(key)).catch(() => undefined)
      const text = entry?.headers.get(description)
      if (!entry || !text) return undefined
      const { clock, seen, ...made }: Description = JSON.parse(text)
      return { clock, seen, made: { ...made, body: new Uint8Array(await entry.arrayBuffer()) } }
    },
    async keep(key, { clock, seen, made: { body, ...made } }) {
      const data: Description = { clock, seen, ...made }
      const headers = { [description]: JSON.stringify(data), 'Cache-Control': `max-age=${longest}` }
      await cache.put(await addressOf(key), new Response(body, { headers }))
    },
  }
}

type Description = Omit<CachedResponse, 'made'> & Omit<RenderedResponse, 'body'>
