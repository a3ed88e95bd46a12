import type { Tenant } from '../core/context.ts'
import { httpProblems } from '../core/problems/http.ts'
import {
  anyOrigin,
  type DocumentName,
  type DocumentReader,
  fileOf,
  isContext,
  type Reader,
} from '../docs/published.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { allScopes } from '../resources/index.ts'
import { metadataPath, toolPath } from './auth.ts'
import { namedVersion } from './headers.ts'
import { type RequestContext, required } from './request.ts'
import { hashOf, isNotModified } from './response.ts'
import { serviceRuntimeOf } from './runtime.ts'

/** A document that needs no token. It holds no catalogue data, so shared caches may keep it. */
export type PublicPage = {
  /** `/api/contexts/{type}` */
  readonly path: string
  readonly answer: (
    call: RequestContext,
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
      const { migrated, isAhead, ...ages } = await serviceRuntimeOf(env).readiness.state(now)
      const migrations = migrated === null ? 'unknown' : isAhead ? 'ahead' : 'current'
      return Response.json({ status: 'ready', database: 'ok', migrations, ...ages }, { headers: unkept })
    },
  },
]

const unkept = { 'Cache-Control': 'no-store' }

/** The documents in front of the token. */
export function publicPages(libraries: DocumentReaders): readonly PublicPage[] {
  /** A document with its entity tag; 304 for whoever has it already. Each has one media type, whatever is accepted. */
  async function published(name: DocumentName, type: string, call: RequestContext, { request, env }: Asked) {
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
      answer: ({ tenant }) => resourceMetadata(required(tenant), required(tenant).audience),
    },
    {
      // RFC 9728 §3.3: the resource is the address whose path follows the well-known part.
      path: `${metadataPath}${toolPath}`,
      answer: ({ tenant, url }) => resourceMetadata(required(tenant), `${url.origin}${toolPath}`),
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
function readerOf(call: RequestContext): Reader {
  const { url, tenant, now } = call
  const named = url.searchParams.get('version')
  if (named !== null) {
    const { dialect, problem } = namedVersion(named, required(tenant).defaultApiVersion, now)
    Object.assign(call, { dialect, versionProblem: problem })
  }
  if (call.versionProblem) throw call.versionProblem
  return {
    dialect: required(call.dialect),
    origin: url.origin,
    everyName: named === null && !call.versionAsked,
  }
}

/** What is published as `npm run build` made it: files that the platform keeps, in which the host is written when they are asked for. */

/** The library behind a set of bindings. */
export type DocumentReaders = (bindings: Bindings) => DocumentReader

type File = { readonly tag: string; readonly content: string }

/** The built documents. Those that were asked for stay in the isolate: all of them are 5 MB. */
export function publishedDocuments(): DocumentReaders {
  const kept = new Map<string, File>()
  async function read(path: string, origin: string, bindings: Bindings): Promise<File | null> {
    const { ASSETS } = settingsOf(bindings)
    if (!ASSETS) throw new Error('without ASSETS nothing is published')
    const found = await ASSETS.fetch(new URL(path, origin).href)
    if (found.status === 404) return null
    if (found.status !== 200) throw new Error(`ASSETS answered ${found.status}`)
    const content = await found.text()
    const file = { tag: found.headers.get('ETag') ?? content, content }
    kept.set(path, file)
    return file
  }
  return (bindings) => async (name, reader) => {
    const path = fileOf(name, reader)
    // A type comes from the address of the request.
    if (!plain.test(path)) return null
    const file = kept.get(path) ?? (await read(path, reader.origin, bindings))
    if (file === null && !isContext(name)) throw new Error(`${path} is not there: npm run build`)
    return (
      file && {
        tag: `${file.tag} ${reader.origin}`,
        text: () => file.content.replaceAll(anyOrigin, reader.origin),
      }
    )
  }
}

const plain = /^\/published\/[\w-]+\.json$/
