import type { Context } from 'hono'
import type { Access } from '../core/access.ts'
import type { IgnoredMember } from '../core/body.ts'
import type { Actor, Tenant } from '../core/context.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import type { Locale } from '../core/locale.ts'
import type { LogFields } from '../core/log.ts'
import type { Messages, Problem, Violation } from '../core/problem.ts'
import type { Scope } from '../core/scopes.ts'
import type { Trace } from '../core/trace.ts'
import type { ApiVersion } from '../core/versions.ts'
import type { Session } from '../db/client.ts'
import { type Bindings, settingsOf } from '../env.ts'

/** Variables of every request, set by the first middleware. */
export type RequestVariables = {
  readonly requestId: string
  readonly trace: Trace
  /** The operation's name, or the path of a page; null if nothing exists at this address. */
  readonly operation: string | null
  readonly url: URL
  readonly now: Date
  /** `performance.now()` at the start of the request. */
  readonly started: number
  /** The locale of the response: English before the tenant is resolved. */
  readonly locale: Locale
  /** Reads the messages of problems in the language of a locale. */
  readonly messagesIn: (locale: string) => Promise<Messages>
  /** Whether the request names its version itself. */
  readonly isVersionRequested: boolean
  /** `Prefer: handling=strict` (RFC 7240 §4.4). */
  readonly isStrict: boolean
  /** `Prefer: handling=lenient`. */
  readonly isLenient: boolean
  /** `Prefer: return=minimal` (RFC 7240 §4.2). */
  readonly isMinimal: boolean
  readonly ignoredProperties: Set<string>
  readonly backgroundWork: Promise<unknown>[]
  readonly responseHeaders: Headers
  /** Bytes of the response's body, 0 if unknown. */
  readonly responseBytes: number
}

/** The session of a dry run, and the effects that its last write would have had. */
export type DryRun = {
  readonly session: Session
  effects(context: { readonly access: Access }): JsonObject
}

type TenantVariables = {
  readonly tenant: Tenant
  readonly session: Session
  /** Of a write that stores nothing; its session is `session` too. */
  readonly dryRun: DryRun | null
  /** The session that looked up the tenant. */
  readonly lookupSession: Session
  readonly apiVersion: ApiVersion
  /** Thrown after authentication, so that an invalid token is reported first. */
  readonly localeProblem: Problem | null
  readonly versionProblem: Problem | null
}

type CallerVariables = {
  readonly actor: Actor
  /** Every scope that the request needs, as far as it follows from the request alone. */
  readonly requiredScopes: readonly Scope[]
}

type WriteVariables = {
  readonly idempotencyKey: string | null
  /** Of an element of a batch: the digest of the whole body, for which its idempotency key counts. */
  readonly batchDigest?: Uint8Array
  readonly received: Json
  /** The JSON body in current names, and violations for names of other versions. */
  readonly body: { readonly body: Json; readonly violations: readonly Violation[] }
  readonly ignoredMembers: readonly IgnoredMember[]
}

/** Hono's types of the service. Middleware sets the variables in the order in which they are declared. */
export type AppEnv = {
  Bindings: Bindings
  Variables: RequestVariables & TenantVariables & CallerVariables & WriteVariables
}

/** The variables of a request at any time, also if an early middleware has thrown. */
export type VariablesSoFar = RequestVariables &
  Partial<TenantVariables & CallerVariables & Pick<WriteVariables, 'received'>>

/** The log fields of a request, as far as its variables are set. */
export function logFieldsOf(variables: VariablesSoFar): LogFields {
  const { tenant, requestId, operation, apiVersion, started, session, lookupSession, trace } = variables
  return {
    tenant: tenant?.id ?? null,
    requestId,
    operation,
    version: apiVersion?.version.name ?? null,
    durationMs: performance.now() - started,
    statements: (session?.stats.statements ?? 0) + (lookupSession?.stats.statements ?? 0),
    traceId: trace.id,
  }
}

/**
 * The address of a request; null if its Host header is not a host with an optional port (RFC 9110 §7.2). The runtime puts that header into
 * the address as it is: `Host: a.example:99999` makes an invalid one, and `Host: a.example/b` would change the path. Escapes of
 * unreserved characters are decoded (RFC 3986 §6.2.2.2), so that `/api/%70roducts` is `/api/products`.
 */
export function urlOf({ url, headers }: Request): URL | null {
  if (/[\s/?#@,\\]/.test(headers.get('host') ?? '')) return null
  const parsed = URL.parse(url)
  if (parsed?.pathname.includes('%'))
    parsed.pathname = parsed.pathname.replaceAll(
      /%(?:[46][1-9a-f]|[57][0-9a]|3\d|2d|5f|7e)/gi,
      decodeURIComponent,
    )
  return parsed
}

/** Replaces an invalid address; no host has this name (RFC 2606). */
export const unknownUrl = new URL('http://unknown.invalid')

const loopback = new Set(['localhost', '127.0.0.1'])

/**
 * The host by which a tenant is looked up: exact, lower case, without port and trailing dot. Only on a developer's machine,
 * the names of the machine itself mean one tenant's host.
 */
export function hostOf(url: URL, bindings: Bindings): string {
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  const { LOCALHOST_TENANT } = settingsOf(bindings)
  return LOCALHOST_TENANT !== undefined && loopback.has(host) ? LOCALHOST_TENANT : host
}

/** Whether an origin is a tenant's: one of its hosts, or a name of a developer's machine, with the scheme and port of the request. */
export function isOriginOf(origin: URL, url: URL, hosts: readonly string[], bindings: Bindings): boolean {
  // The request's own host may differ from all of these, for instance by a dot at its end.
  if (origin.origin === url.origin) return true
  if (origin.protocol !== url.protocol || origin.port !== url.port) return false
  const { LOCALHOST_TENANT } = settingsOf(bindings)
  if (hosts.includes(origin.hostname)) return true
  return loopback.has(origin.hostname) && LOCALHOST_TENANT !== undefined && hosts.includes(LOCALHOST_TENANT)
}

/** Adds paths to `Service-Ignored-Properties`, in front of those that it already contains. */
export function reportIgnoredProperties(
  { ignoredProperties, responseHeaders }: Pick<RequestVariables, 'ignoredProperties' | 'responseHeaders'>,
  paths: readonly string[],
): void {
  const names = [...paths, ...ignoredProperties]
  ignoredProperties.clear()
  for (const name of names) ignoredProperties.add(name)
  if (ignoredProperties.size > 0)
    responseHeaders.set('Service-Ignored-Properties', namesHeader([...ignoredProperties]))
}

const more = '...'
const longestName = 100

/** Names as a header value in visible ASCII, at most 2,000 bytes. Longer names and lists end in `...`. */
export function namesHeader(names: readonly string[]): string {
  const shown: string[] = []
  let length = more.length
  for (const name of names) {
    const cut = name.length > longestName ? more : ''
    const text = name.slice(0, longestName).replace(/[^\x21-\x2b\x2d-\x7e]/gu, escaped) + cut
    length += text.length + 2
    if (length > byteLimits.echoedHeader) return [...shown, more].join(', ')
    shown.push(text)
  }
  return shown.join(', ')
}

/** Percent-encoded UTF-8, which a lone surrogate does not have. */
function escaped(character: string): string {
  return character === ',' ? '%2C' : encodeURIComponent(character.toWellFormed())
}

/** Whether a request came over plain HTTP, on which others can read its token; never of a local service. */
export function isReadableByOthers({ var: { url }, env }: Context<AppEnv>): boolean {
  return url.protocol === 'http:' && settingsOf(env).ENVIRONMENT !== 'local'
}
