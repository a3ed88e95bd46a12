import type { Tenant } from '../core/context.ts'
import { Lru } from '../core/lru.ts'
import type { Context } from '../core/operation.ts'
import { NotModified } from '../db/client.ts'
import type { AppEnv } from './request.ts'

/**
 * Answers that an isolate has made, each with the moment of the tenant's clock at which it was made. Every commit moves that clock,
 * so an answer whose clock still stands is what would be made now: it is given again after one look at the clock, in the one trip
 * that the request takes anyway. Data alone is kept, never a promise; which bytes are left over when room runs out is decided by
 * when they were last asked for.
 */

/** An answer as it was sent, but for what is of each request alone. */
export type RenderedResponse = {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly etag: string
  readonly body: Uint8Array
}

/** An answer in memory. */
export type CachedResponse = {
  readonly made: RenderedResponse
  /** The tenant's clock that it was made at. */
  readonly clock: string
  /** When the clock was last seen to stand there, in ms since the epoch. */
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
  { db, access: sight, runAfterResponse: later }: Pick<Context, 'db' | 'access' | 'runAfterResponse'>,
  headers: Headers,
  create: () => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const { maxAge, isNew } = requestedFreshness(headers)
  const key = responseKey(variables, sight.scopes)
  const now = variables.now.getTime()
  const ageOf = ({ seen }: CachedResponse) => Math.max(0, (now - seen) / 1000)
  const isYoung = (response: CachedResponse) => maxAge !== null && ageOf(response) <= maxAge
  const local = isNew ? undefined : memory.get(key)
  const shared = maxAge !== null && !(local && isYoung(local)) ? await dataCentre?.at(key) : undefined
  const newest = shared && (!local || shared.seen > local.seen) ? shared : local
  if (newest && isYoung(newest)) {
    if (newest !== local) memory.set(key, newest)
    variables.responseHeaders.set('Age', String(Math.floor(ageOf(newest))))
    return newest.made
  }
  const store = (response: CachedResponse) => {
    memory.set(key, response)
    // Only callers that accept an age read from the data centre's cache.
    if (maxAge !== null && dataCentre) later(() => dataCentre.keep(key, response))
    return response.made
  }
  db.followClock(newest?.clock ?? null)
  try {
    const made = await create()
    // Rows that were read in two round trips may belong to two moments.
    return db.clock !== null && db.stats.trips === 1 ? store({ made, clock: db.clock, seen: now }) : made
  } catch (error) {
    if (!(error instanceof NotModified) || !newest) throw error
    return store({ ...newest, seen: now })
  }
}

/** Everything that an answer is made of beside the tenant's rows: whose they are and how it is set, what the caller may see and asks for. */
function responseKey(
  { tenant, url, locale, apiVersion, isVersionRequested }: AppEnv['Variables'],
  grants: readonly string[],
): string {
  return [
    settingsOf(tenant),
    url.origin,
    grants.join(' '),
    locale.requested,
    `${apiVersion.version.name}${isVersionRequested ? '!' : ''}`,
    url.pathname + url.search,
  ].join('\n')
}

const settings = new WeakMap<Tenant, string>()

/** What of a tenant's settings answers are made of; tokens are judged by the others on every request. */
function settingsOf(tenant: Tenant): string {
  const known = settings.get(tenant)
  if (known !== undefined) return known
  const { id, locales, arriving, leaving, defaultApiVersion, priorPriceDays } = tenant
  const own = JSON.stringify([id, locales, arriving, leaving, defaultApiVersion, priorPriceDays])
  settings.set(tenant, own)
  return own
}

/** How old an answer a request takes: `Cache-Control` of RFC 9111 §5.2.1, of which `max-age` and `no-cache` are read. */
export function requestedFreshness(headers: Headers): {
  readonly maxAge: number | null
  readonly isNew: boolean
} {
  const directives = (headers.get('cache-control') ?? '').toLowerCase().split(',')
  const ages = directives.flatMap((each) => /^\s*max-age=(\d{1,9})\s*$/.exec(each)?.[1] ?? [])
  const isNew = directives.some((each) => /^\s*no-(?:cache|store)\b/.test(each))
  return { maxAge: ages.length > 0 && !isNew ? Math.min(...ages.map(Number)) : null, isNew }
}

/**
 * Answers in the cache of the data centre, for callers who take one of an age (`Cache-Control: max-age`): isolates beside each other
 * have what one of them made. An address that nobody can ask stands for an answer: a hash of everything that it is made of, and of the
 * deployment that made it.
 */

/** What a data centre keeps of answers. */
export type DataCentre = {
  /** The answer by its key (see `answerKey()`), with the tenant's clock that it was made at; undefined where there is none. */
  at(key: string): Promise<CachedResponse | undefined>
  keep(key: string, answer: CachedResponse): Promise<void>
}

/** Seconds for which an answer is kept there at most: who takes older ones has it made again. */
const longest = 60

const description = 'x-answer'

/** The cache of the data centre; null where there is none, or no deployment is known whose answers they are. */
export function dataCentreOf(deployment: { readonly id: string } | undefined): DataCentre | null {
  // Node has none, and nothing says so but its absence.
  const cache = typeof caches === 'undefined' ? undefined : caches.default
  if (!cache || !deployment) return null
  const addressOf = async (key: string) => {
    const bytes = new TextEncoder().encode(`${deployment.id}\n${key}`)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return `https://answers.invalid/${btoa(String.fromCharCode(...digest)).replaceAll('/', '_')}`
  }
  return {
    async at(key) {
      // One that fails has nothing.
      const found = await cache.match(await addressOf(key)).catch(() => undefined)
      const described = found?.headers.get(description)
      if (!found || !described) return undefined
      const { clock, seen, ...made }: Description = JSON.parse(described)
      return { clock, seen, made: { ...made, body: new Uint8Array(await found.arrayBuffer()) } }
    },
    async keep(key, { clock, seen, made: { body, ...made } }) {
      const told: Description = { clock, seen, ...made }
      const headers = { [description]: JSON.stringify(told), 'Cache-Control': `max-age=${longest}` }
      await cache.put(await addressOf(key), new Response(body, { headers }))
    },
  }
}

type Description = Omit<CachedResponse, 'made'> & Omit<RenderedResponse, 'body'>
