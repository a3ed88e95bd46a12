import { parseAccept } from 'hono/utils/accept'
import { type Locale, localeOf, localePattern } from '../core/locale.ts'
import type { Idempotency } from '../core/operation.ts'
import { messageLanguageOf, type Problem } from '../core/problem.ts'
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
  const text = headers.get('service-locale')
  if (text === null || localePattern.test(text)) return { locale: localeOf(declared, text), problem: null }
  return { locale: localeOf(declared, null), problem: localeProblems.malformed({ locale: text }) }
}

/**
 * The locale of a problem's message: that of the request, or without `Service-Locale` the preferred language of `Accept-Language` that has
 * messages.
 */
export function messageLocale(headers: Headers, { requested }: Locale): string {
  const accepted = headers.get('accept-language')
  if (accepted === null || headers.has('service-locale')) return requested
  const tags = parseAccept(accepted).map(({ type }) => type)
  return tags.find((tag) => languageTag.test(tag) && hasMessages(tag)) ?? requested
}

/** The tags of BCP 47 that `Intl.Locale` takes: a language, a script and a region. */
const languageTag = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i

const hasMessages = (tag: string) => /^en\b/i.test(tag) || messageLanguageOf(tag) !== null

/**
 * The API version of a request: that of its header, else the tenant's default. A default past its sunset is replaced by the
 * oldest supported version. A header that names a retired or unknown version is a returned problem.
 */
export function requestedVersion(
  headers: Headers,
  defaultVersion: string,
  now: Date,
): { apiVersion: ApiVersion; problem: Problem | null } {
  const name = headers.get('service-api-version')
  if (name === null) return { apiVersion: liveApiVersion(defaultVersion, now), problem: null }
  return namedVersion(name, defaultVersion, now)
}

/** The version of a name, as `requestedVersion()` reads it from the header. */
export function namedVersion(
  name: string,
  defaultVersion: string,
  now: Date,
): { apiVersion: ApiVersion; problem: Problem | null } {
  const apiVersion = apiVersions.get(name)
  const supportedVersions = versions
    .filter((version) => !isRetired(version, now))
    .map((version) => version.name)
  const help = `Send Service-Api-Version with one of ${supportedVersions.join(', ')}, or without it for the default of the tenant.`
  if (!apiVersion) {
    const problem = versionProblems.unknown({ version: name }, { help, members: { supportedVersions } })
    return { apiVersion: liveApiVersion(defaultVersion, now), problem }
  }
  if (!isRetired(apiVersion.version, now)) return { apiVersion, problem: null }
  const sunset = apiVersion.version.sunset ?? ''
  return {
    apiVersion: liveApiVersion(defaultVersion, now),
    problem: versionProblems.retired({ version: name, sunset }, { help }),
  }
}

/**
 * The preferences that the service applies (RFC 7240): `handling=strict` rejects unknown input, `handling=lenient`
 * ignores frequent mistakes as well, and `return=minimal` leaves `search` out of lists.
 */
const preferences = ['handling=strict', 'handling=lenient', 'return=minimal'] as const
type Preference = (typeof preferences)[number]

/** Those of a request's preferences that the service applies. */
export function preferencesIn(headers: Headers): ReadonlySet<Preference> {
  const requested = (headers.get('prefer') ?? '')
    .toLowerCase()
    .split(/[,;]/)
    .map((preference) => preference.replace(/^\s*(\w+)\s*=\s*"?(\w+)"?\s*$/, '$1=$2'))
  return new Set(preferences.filter((preference) => requested.includes(preference)))
}

/**
 * The `Idempotency-Key` of a write, bare or quoted as an RFC 8941 string; null without the header.
 * @throws 400 `idempotency.malformed_key`
 */
export function idempotencyKeyIn(headers: Headers): string | null {
  const text = headers.get('idempotency-key')
  if (text === null) return null
  const key = /^"([\x21\x23-\x5b\x5d-\x7e]*)"$/.exec(text)?.[1] ?? text
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    const help = `The key has ${text.length} characters. Send 1 to 255 characters of visible ASCII, for example a fresh UUID per operation.`
    throw idempotencyProblems.malformed_key(undefined, { help })
  }
  return key
}

/** The SHA-256 of a write: method, path, query, body, and the locale and version in which the body is meant; and the same in parts. */
export async function fingerprintOf(
  { method }: Request,
  { pathname, search }: URL,
  body: Uint8Array,
  locale: string,
  version: string,
): Promise<Pick<Idempotency, 'fingerprint' | 'parts'>> {
  const path = new TextEncoder().encode(`${pathname}${search}`)
  const head = new TextEncoder().encode(`${method} ${pathname}${search}\n${locale} ${version}\n`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  const [fingerprint, pathDigest, bodyDigest] = await Promise.all([whole, path, body].map(sha256))
  return {
    fingerprint: fingerprint ?? '',
    parts: { method, path: pathDigest ?? '', body: bodyDigest ?? '', locale, version },
  }
}

/** The SHA-256 of bytes in lower-case hexadecimal. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.slice()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
