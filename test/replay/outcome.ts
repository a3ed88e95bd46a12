/** Reduces a response to the parts that are compared: no durations, no request ids, and only the unusual headers. */
import type { Outcome } from './recording.ts'
import type { Received } from './service.ts'

/** The headers of a request that its response depends on. */
export type Target = {
  readonly host: string
  readonly context: string
  readonly version?: string | undefined
  readonly locale?: string | undefined
}

/** The headers of nearly every response. The recording contains them only if they differ. */
export const usualHeaders: readonly string[] = [
  'content-type: application/ld+json, or application/problem+json from 400 on',
  'content-language and service-api-version: as requested, or en-US and 2026-10',
  'link: the API documentation · cache-control: private, no-cache · x-content-type-options: nosniff',
  'vary: Accept, Authorization, Service-Locale, Service-Api-Version, Origin',
  'deprecation, sunset, and a link to the versions: as of 2026-01, 2026-04 or 2026-07, if that was requested',
  'ratelimit-policy: "reads";q=500;w=10, "writes";q=200;w=10 · server-timing · x-request-id',
]

const deprecated: Readonly<Record<string, { readonly since: number; readonly sunset: string }>> = {
  '2026-01': { since: 1775001600, sunset: 'Thu, 01 Jul 2027 00:00:00 GMT' },
  '2026-04': { since: 1782864000, sunset: 'Fri, 01 Oct 2027 00:00:00 GMT' },
  '2026-07': { since: 1790812800, sunset: 'Sat, 01 Jan 2028 00:00:00 GMT' },
}

/** The usual value of a header; null if the header is usually absent. */
const usual: Readonly<Record<string, (target: Target, status: number) => string | null>> = {
  'content-type': (_, status) => (status < 400 ? 'application/ld+json' : 'application/problem+json'),
  'content-language': ({ locale = 'en-US' }) => locale,
  'service-api-version': ({ version = '2026-10' }) => version,
  link: ({ host, version = '' }) =>
    [
      `<http://${host}/api/docs.jsonld>; rel="http://www.w3.org/ns/hydra/core#apiDocumentation"`,
      ...(deprecated[version] ? [`<http://${host}/api/versions>; rel="deprecation"`] : []),
    ].join(', '),
  deprecation: ({ version = '' }) => (deprecated[version] ? `@${deprecated[version].since}` : null),
  sunset: ({ version = '' }) => deprecated[version]?.sunset ?? null,
  'cache-control': () => 'private, no-cache',
  'x-content-type-options': () => 'nosniff',
  vary: () => 'Accept, Authorization, Service-Locale, Service-Api-Version, Origin',
  'ratelimit-policy': () => '"reads";q=500;w=10, "writes";q=200;w=10',
  'server-timing': () => '<durations>',
  'x-request-id': () => '<request>',
}

const durations = /^total;dur=\d+(?:\.\d+)?, db;dur=\d+(?:\.\d+)?;desc="\d+"$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `replace` replaces ids and times that differ from run to run, in headers and in the body. */
export function outcomeOf(
  target: Target,
  { status, headers, text }: Received,
  replace: (text: string) => string = (unchanged) => unchanged,
): Outcome {
  const requestId = headers.find(([name]) => name === 'x-request-id')?.[1]
  const withoutId = (part: string) =>
    requestId !== undefined && uuid.test(requestId) ? part.replaceAll(requestId, '<request>') : part
  const headerValues = new Map(
    headers.map(([name, value]) => [
      name,
      name === 'server-timing' && durations.test(value) ? '<durations>' : withoutId(value),
    ]),
  )
  const hasBody = text !== ''
  const missing = Object.keys(usual).filter(
    (name) =>
      !headerValues.has(name) &&
      usual[name]?.(target, status) !== null &&
      (name !== 'content-type' || hasBody),
  )
  const unusual = [...headerValues]
    .filter(([name, value]) => usual[name]?.(target, status) !== value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${replace(value)}`)
  return {
    context: target.context,
    head: [String(status), ...missing.map((name) => `no ${name}`), ...unusual].join(' · '),
    body: replace(withoutId(text)),
  }
}
