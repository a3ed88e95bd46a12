import type { Call } from './call.ts'
import { exposedHeaders } from './cors.ts'
import { deprecationHeaders } from './deprecation.ts'

const documentationRelation = 'http://www.w3.org/ns/hydra/core#apiDocumentation'

/** Sets the headers that every answer carries, errors included. */
export function dress(response: Response, request: Request, call: Call): void {
  const { headers } = response
  const { url, locale, dialect, session } = call
  for (const [name, value] of call.headers) headers.set(name, value)
  const links = [`<${url.origin}/api/docs.jsonld>; rel="${documentationRelation}"`]
  if (dialect) {
    headers.set('Service-Api-Version', dialect.version.name)
    if (dialect.deprecated) links.push(`<${url.origin}/api/versions>; rel="deprecation"`)
    for (const [name, value] of Object.entries(deprecationHeaders(dialect))) headers.set(name, value)
  }
  headers.set('Link', [...links, headers.get('Link') ?? []].flat().join(', '))
  headers.set('Content-Language', locale.asked)
  headers.set('Vary', 'Accept, Authorization, Service-Locale, Service-Api-Version, Origin')
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'private, no-cache')
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('X-Request-Id', call.requestId)
  const { trips, milliseconds } = session?.spent ?? { trips: 0, milliseconds: 0 }
  const total = performance.now() - call.started
  headers.set(
    'Server-Timing',
    `total;dur=${total.toFixed(1)}, db;dur=${milliseconds.toFixed(1)};desc="${trips}"`,
  )
  if (!request.headers.has('origin')) return
  headers.set('Access-Control-Allow-Origin', '*')
  headers.set('Access-Control-Expose-Headers', exposedHeaders)
}
