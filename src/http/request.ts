import type { Actor, Tenant } from '../core/context.ts'
import { byteLimits } from '../core/limits.ts'
import type { Locale } from '../core/locale.ts'
import type { LogFields } from '../core/log.ts'
import type { Problem } from '../core/problem.ts'
import type { Scope } from '../core/scopes.ts'
import type { Trace } from '../core/trace.ts'
import type { ApiVersion } from '../core/versions.ts'
import type { Session } from '../db/client.ts'
import { type Bindings, settingsOf } from '../env.ts'

/** What is known of a request so far. Every step of the door adds its part; a problem is rendered from what there is. */
export type RequestContext = {
  readonly requestId: string
  readonly trace: Trace
  /** The operation's name, or a page's path; null where nothing is at this address. */
  readonly operation: string | null
  readonly url: URL
  /** The origins that are the tenant's own where IRIs are read. */
  origins: readonly string[]
  readonly now: Date
  /** `performance.now()` when the request came in. */
  readonly started: number
  locale: Locale
  /** Why the locale asked for is refused, once it is known that the token is good. */
  localeProblem: Problem | null
  tenant: Tenant | null
  dialect: ApiVersion | null
  versionProblem: Problem | null
  /** Whether the request names its version itself. */
  readonly versionAsked: boolean
  actor: Actor | null
  /** Every scope that the request needs, as far as it tells itself. */
  demanded: readonly Scope[]
  session: Session | null
  /** Through which the tenant was looked up, where that was not known. */
  lookUp: Session | null
  /** `Prefer: handling=strict` (RFC 7240 §4.4). */
  readonly strict: boolean
  /** Paths of members of the body that mean nothing. */
  readonly ignored: Set<string>
  /** Of the answer's body, where it is known. */
  bytes: number
  /** What goes on after the answer. */
  readonly later: Promise<unknown>[]
  /** Headers that the answer carries whatever it is. */
  readonly headers: Headers
}

/** The types of the door's Hono. */
export type AppEnv = { Bindings: Bindings; Variables: { call: RequestContext } }

/** A member of the call that an earlier step has set. */
export function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('a step of the door ran before the one that it leans on')
  return value
}

/** What the log tells of a request, as far as it is known. */
export function logFieldsOf({
  tenant,
  requestId,
  operation,
  dialect,
  started,
  session,
  lookUp,
  trace,
}: RequestContext): LogFields {
  return {
    tenant: tenant?.id ?? null,
    requestId,
    operation,
    version: dialect?.version.name ?? null,
    durationMs: performance.now() - started,
    statements: (session?.spent.statements ?? 0) + (lookUp?.spent.statements ?? 0),
    traceId: trace.id,
  }
}

/**
 * The address of a request; null if its Host header is not a host with an optional port (RFC 9110 §7.2). The runtime puts that header into
 * the address as it is: `Host: a.example:99999` makes an invalid one, and `Host: a.example/b` would change the path.
 */
export function urlOf({ url, headers }: Request): URL | null {
  if (/[\s/?#@,\\]/.test(headers.get('host') ?? '')) return null
  return URL.parse(url)
}

/** Replaces an invalid address; no host has this name (RFC 2606). */
export const unknownUrl = new URL('http://unknown.invalid')

const loopback = new Set(['localhost', '127.0.0.1'])

/**
 * The host by which a tenant is looked up: exact, lower case, without port and trailing dot. On a developer's machine, and
 * nowhere else, the names of the machine itself stand for one tenant's host.
 */
export function hostOf(url: URL, bindings: Bindings): string {
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  const { LOCALHOST_TENANT } = settingsOf(bindings)
  return LOCALHOST_TENANT !== undefined && loopback.has(host) ? LOCALHOST_TENANT : host
}

/** What was asked last of a tenant's hosts: nearly always the same. */
const lastOf = new WeakMap<
  readonly string[],
  { readonly asked: string; readonly origins: readonly string[] }
>()

/** The origins of a tenant that is asked: each of its hosts, and what else stands for one, with the scheme and port that are asked. */
export function originsOf(url: URL, hosts: readonly string[], bindings: Bindings): readonly string[] {
  const last = lastOf.get(hosts)
  if (last?.asked === url.origin) return last.origins
  const origins = madeOrigins(url, hosts, bindings)
  lastOf.set(hosts, { asked: url.origin, origins })
  return origins
}

function madeOrigins(url: URL, hosts: readonly string[], bindings: Bindings): readonly string[] {
  const { LOCALHOST_TENANT } = settingsOf(bindings)
  const others = LOCALHOST_TENANT !== undefined && hosts.includes(LOCALHOST_TENANT) ? [...loopback] : []
  const origins = [...hosts, ...others].map(
    (hostname) => Object.assign(new URL(url.origin), { hostname }).origin,
  )
  // As it was asked for, for instance with a dot at its end.
  return [...new Set([url.origin, ...origins])]
}

/** Names members of the body that mean nothing in `Service-Ignored-Properties`: in their order, before those that are named already. */
export function ignoreProperties(
  call: Pick<RequestContext, 'ignored' | 'headers'>,
  paths: readonly string[],
): void {
  const names = [...paths, ...call.ignored]
  call.ignored.clear()
  for (const name of names) call.ignored.add(name)
  if (call.ignored.size > 0) call.headers.set('Service-Ignored-Properties', namesHeader([...call.ignored]))
}

const more = '...'
const longestName = 100

/** Names as a header value: visible ASCII, in all within what a header may repeat; what is left out or cut ends in `...`. */
export function namesHeader(names: readonly string[]): string {
  const shown: string[] = []
  let length = more.length
  for (const name of names) {
    const cut = name.length > longestName ? more : ''
    const each = name.slice(0, longestName).replace(/[^\x21-\x2b\x2d-\x7e]/gu, escaped) + cut
    length += each.length + 2
    if (length > byteLimits.echoedHeader) return [...shown, more].join(', ')
    shown.push(each)
  }
  return shown.join(', ')
}

/** Percent-encoded UTF-8; half a surrogate pair has none. */
function escaped(character: string): string {
  return character === ',' ? '%2C' : encodeURIComponent(character.toWellFormed())
}
