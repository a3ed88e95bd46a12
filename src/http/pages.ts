import type { Tenant } from '../core/context.ts'
import { httpProblems } from '../core/problems/index.ts'
import type { DocumentName, Reader } from '../docs/library.ts'
import type { Bindings } from '../env.ts'
import { allScopes } from '../resources/index.ts'
import { namedVersion } from './asked-version.ts'
import { type Call, established } from './call.ts'
import { metadataPath, toolPath } from './challenge.ts'
import { hashOf } from './entity-tag.ts'
import { isolateOf } from './isolate.ts'
import type { Libraries } from './kept-documents.ts'
import { isNotModified } from './preconditions.ts'

/** A document that needs no token. It holds no catalogue data, so shared caches may keep it. */
export type PublicPage = {
  /** `/api/contexts/{type}` */
  readonly path: string
  readonly answer: (
    call: Call,
    params: Readonly<Record<string, string>>,
    asked: Asked,
  ) => Response | Promise<Response>
}

type Asked = { readonly request: Request; readonly env: Bindings }

const shared = { 'Cache-Control': 'public, max-age=300' }

/** What a load balancer or a monitor asks of any host, known or not: nothing in it is a tenant's. */
export const hostlessPages: readonly PublicPage[] = [
  { path: '/health', answer: () => Response.json({ status: 'ok' }, { headers: unkept }) },
  {
    path: '/ready',
    async answer({ now }, _, { env }) {
      const { migrated, isAhead, ...ages } = await isolateOf(env).readiness.state(now)
      const migrations = migrated === null ? 'unknown' : isAhead ? 'ahead' : 'current'
      return Response.json({ status: 'ready', database: 'ok', migrations, ...ages }, { headers: unkept })
    },
  },
]

const unkept = { 'Cache-Control': 'no-store' }

/** The documents in front of the token. */
export function publicPages(libraries: Libraries): readonly PublicPage[] {
  /** A document with its entity tag; 304 for whoever has it already. Each has one media type, whatever is accepted. */
  async function published(name: DocumentName, type: string, call: Call, { request, env }: Asked) {
    const document = await libraries(env)(name, readerOf(call))
    if (document === null) throw httpProblems.not_found()
    const etag = `"${await hashOf(new TextEncoder().encode(document.tag))}"`
    const headers = { ...shared, ETag: etag }
    if (isNotModified(request.headers, etag)) return new Response(null, { status: 304, headers })
    const body = new TextEncoder().encode(document.text())
    call.bytes = body.byteLength
    return new Response(body, { headers: { ...headers, 'Content-Type': type } })
  }
  return [
    {
      path: metadataPath,
      answer: ({ tenant }) => resourceMetadata(established(tenant), established(tenant).audience),
    },
    {
      // RFC 9728 §3.3: the resource is the address whose path follows the well-known part.
      path: `${metadataPath}${toolPath}`,
      answer: ({ tenant, url }) => resourceMetadata(established(tenant), `${url.origin}${toolPath}`),
    },
    {
      path: '/api',
      async answer(call, _, asked) {
        const answer = await published('entrypoint', linkedData, call, asked)
        answer.headers.set('Link', descriptions)
        return answer
      },
    },
    {
      path: '/api/docs.jsonld',
      answer: (call, _, asked) => published('hydra', linkedData, call, asked),
    },
    {
      path: '/api/openapi.json',
      answer: (call, _, asked) => published('openapi', 'application/json', call, asked),
    },
    {
      path: '/api/contexts/{type}',
      answer: (call, { type = '' }, asked) => published(`context-${type}`, linkedData, call, asked),
    },
  ]
}

/** RFC 9728: where a client that was answered 401 learns who issues tokens. */
function resourceMetadata({ name, issuer }: Tenant, resource: string): Response {
  const metadata = {
    resource,
    resource_name: name,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: allScopes,
  }
  return Response.json(metadata, { headers: shared })
}

const linkedData = 'application/ld+json'

/** Where the service is described in other ways (RFC 8631). */
const descriptions =
  '</api/openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html"'

/** The version is the parameter's, for whoever cannot send a header, else the header's, else the tenant's default. */
function readerOf(call: Call): Reader {
  const { url, tenant, now } = call
  const named = url.searchParams.get('version')
  if (named !== null) {
    const { dialect, problem } = namedVersion(named, established(tenant).defaultApiVersion, now)
    Object.assign(call, { dialect, versionProblem: problem })
  }
  if (call.versionProblem) throw call.versionProblem
  return {
    dialect: established(call.dialect),
    origin: url.origin,
    everyName: named === null && !call.versionAsked,
  }
}
