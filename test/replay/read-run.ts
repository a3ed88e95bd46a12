/** Sends the requests that change nothing. */
import { isRecorded } from './catalogue.ts'
import { Ordinals } from './ordinals.ts'
import { outcomeOf, type Target } from './outcome.ts'
import type { Read } from './reads.ts'
import type { Entry, Outcome } from './recording.ts'
import type { Received, Service, TokenClaims } from './service.ts'

export const host = 'catalogue.test'
export const locales = ['en-US', 'fr-FR', 'de-DE', 'es-ES'] as const

/** The tenant does not declare the last one. */
const requestLocales = ['en-US', 'fr-FR', 'ja-JP']
const versions = ['2026-01', '2026-04', '2026-07', '2026-10', 'unstable']

export type Callers = Readonly<Record<string, string | null>>

/** A token for each kind of caller; null means that the request has no token. */
export async function callersAt(service: Service, at: string): Promise<Callers> {
  const { text } = await service.send(at, { method: 'GET', path: '/.well-known/oauth-protected-resource' })
  const every: string = JSON.parse(text).scopes_supported.join(' ')
  const token = (claims: TokenClaims) => service.token(at, claims)
  return {
    full: await token({ scope: every }),
    reader: await token({ scope: 'products:read categories:read' }),
    person: await token({
      scope: every,
      sub: 'person-7',
      permissions: ['identity:products:read', 'identity:sale_offers:read', 'identity:events:read'],
    }),
    editor: await token({ scope: every, sub: 'person-8', permissions: ['identity:products:*'] }),
    nobody: null,
  }
}

type Case = { readonly caller: string; readonly locale?: string; readonly version?: string }

const casesOf = (request: string): Readonly<Record<'all' | 'some' | 'one', readonly Case[]>> => ({
  all: ['full', 'person', 'reader', 'nobody'].flatMap((caller) =>
    versions.flatMap((version) => requestLocales.map((locale) => ({ caller, locale, version }))),
  ),
  some: /^(?:POST|PUT|PATCH|DELETE) /.test(request)
    ? [{ caller: 'nobody' }, { caller: 'reader' }, { caller: 'person', locale: 'fr-FR' }]
    : [
        { caller: 'full' },
        { caller: 'full', locale: 'fr-FR', version: '2026-04' },
        { caller: 'reader', locale: 'ja-JP' },
      ],
  one: [{ caller: 'full' }],
})

/** Sends one request for all its callers, versions and locales. */
export async function readEntry(service: Service, callers: Callers, read: Read): Promise<Entry> {
  const [, method = 'GET', path = ''] = /^(?:([A-Z]+) )?(.*)$/s.exec(read.request) ?? []
  const outcomes: Outcome[] = []
  let etag: string | null = null
  const cases = casesOf(read.request)[read.for ?? 'some']
  for (const item of path === '/mcp' && read.for === undefined ? casesOf('GET').some : cases) {
    const target = { host, context: contextOf(item), version: item.version, locale: item.locale }
    const headers = headersOf(read, callers[item.caller] ?? null, item)
    const body = read.body === undefined ? undefined : JSON.stringify(read.body)
    const received = await service.send(host, { method, path, headers, ...(body !== undefined && { body }) })
    // The headers of a previewed webhook contain a random id.
    const replace = received.text.includes('"traceparent"') ? new Ordinals(isRecorded).replace : undefined
    outcomes.push(outcomeOf(target, received, replace))
    etag ??= method === 'GET' && received.status === 200 ? headerIn(received, 'etag') : null
  }
  if (etag !== null && read.for === 'all') {
    outcomes.push(await again(service, callers, read, {}))
    outcomes.push(await again(service, callers, read, { 'if-none-match': etag }))
  }
  const bodyText = read.body === undefined ? '' : ` ${JSON.stringify(read.body)}`
  const headers = read.headers ? ` ${JSON.stringify(read.headers)}` : ''
  return { title: `${method} ${path}${headers}${bodyText}`.slice(0, 600).toWellFormed(), outcomes }
}

const headerIn = ({ headers }: Received, wanted: string) =>
  headers.find(([name]) => name === wanted)?.[1] ?? null

/** Repeats the first case. The response may come from the service's memory now; with an entity tag it has no body. */
async function again(
  service: Service,
  callers: Callers,
  { request }: Read,
  more: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const [first] = casesOf(request).all
  if (!first) throw new Error('a request has no cases')
  const words = Object.keys(more).map((name) => `with ${name}`)
  const target: Target = { host, context: ['again', ...words].join(' '), ...casePart(first) }
  const headers = { ...headersOf({ request }, callers[first.caller] ?? null, first), ...more }
  return outcomeOf(target, await service.send(host, { method: 'GET', path: request, headers }))
}

const casePart = ({ locale, version }: Case) => ({ locale, version })

function contextOf({ caller, locale, version }: Case): string {
  return [caller, ...(version ? [version] : []), ...(locale ? [locale] : [])].join('/')
}

function headersOf(read: Read, token: string | null, { locale, version }: Case): Record<string, string> {
  return {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(read.body !== undefined && {
      'content-type': read.request.startsWith('PATCH ')
        ? 'application/merge-patch+json'
        : 'application/ld+json',
    }),
    ...(locale && { 'service-locale': locale }),
    ...(version && { 'service-api-version': version }),
    ...read.headers,
  }
}
