import { type Locale, localeOf, localePattern } from '../core/locale.ts'
import type { Problem } from '../core/problem.ts'
import { idempotencyProblems } from '../core/problems/server.ts'
import { localeProblems, versionProblems } from '../core/problems/validation.ts'
import type { ApiVersion } from '../core/versions.ts'
import { apiVersions, isRetired, liveApiVersion, versions } from '../versions/index.ts'

/**
 * The locale of a request. A malformed one is replaced by the default; its problem is returned, because an invalid token is
 * reported first.
 */
export function requestedLocale(
  headers: Headers,
  declared: readonly [string, ...string[]],
): { locale: Locale; problem: Problem | null } {
  const asked = headers.get('service-locale')
  if (asked === null || localePattern.test(asked)) return { locale: localeOf(declared, asked), problem: null }
  return { locale: localeOf(declared, null), problem: localeProblems.malformed({ locale: asked }) }
}

/**
 * The API version of a request: that of its header, else the tenant's default. A default past its sunset is replaced by the
 * oldest supported version. A header that names a retired or unknown version is a returned problem.
 */
export function requestedVersion(
  headers: Headers,
  standard: string,
  now: Date,
): { apiVersion: ApiVersion; problem: Problem | null } {
  const asked = headers.get('service-api-version')
  if (asked === null) return { apiVersion: liveApiVersion(standard, now), problem: null }
  return namedVersion(asked, standard, now)
}

/** The version of a name, as `askedVersion` reads it from the header. */
export function namedVersion(
  asked: string,
  standard: string,
  now: Date,
): { apiVersion: ApiVersion; problem: Problem | null } {
  const named = apiVersions.get(asked)
  if (!named) {
    const supportedVersions = versions.filter((each) => !isRetired(each, now)).map((each) => each.name)
    const problem = versionProblems.unknown({ version: asked }, { members: { supportedVersions } })
    return { apiVersion: liveApiVersion(standard, now), problem }
  }
  if (!isRetired(named.version, now)) return { apiVersion: named, problem: null }
  const sunset = named.version.sunset ?? ''
  return {
    apiVersion: liveApiVersion(standard, now),
    problem: versionProblems.retired({ version: asked, sunset }),
  }
}

/** Whether the request prefers strict handling over tolerance (`Prefer: handling=strict`, RFC 7240 §4.4). */
export function prefersStrictHandling(headers: Headers): boolean {
  const preferences = (headers.get('prefer') ?? '').toLowerCase().split(/[,;]/)
  return preferences.some((each) => /^\s*handling\s*=\s*"?strict"?\s*$/.test(each))
}

/**
 * The `Idempotency-Key` of a write, bare or quoted as an RFC 8941 string; null without the header.
 * @throws 400 `idempotency.malformed_key`
 */
export function idempotencyKeyIn(headers: Headers): string | null {
  const written = headers.get('idempotency-key')
  if (written === null) return null
  const key = /^"([\x21\x23-\x5b\x5d-\x7e]*)"$/.exec(written)?.[1] ?? written
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw idempotencyProblems.malformed_key()
  return key
}

/** The SHA-256 of a write: method, path, query, body, and the locale and version (`speech`) in which the body is meant. */
export async function fingerprintOf(
  { method }: Request,
  url: URL,
  body: Uint8Array,
  speech: string,
): Promise<string> {
  const head = new TextEncoder().encode(`${method} ${url.pathname}${url.search}\n${speech}\n`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
