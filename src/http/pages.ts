import type { Context } from 'hono'
import type { Tenant } from '../core/context.ts'
import { toolPaths } from '../core/operation.ts'
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
import { metadataPath } from './auth.ts'
import { namedVersion } from './headers.ts'
import { metricsPage } from './metrics.ts'
import type { AppEnv } from './request.ts'
import { hashOf, isNotModified } from './response.ts'
import { serviceRuntimeOf } from './runtime.ts'

/** A document that needs no token. It holds no catalogue data, so shared caches may keep it. */
export type PublicPage = {
  /** `/api/contexts/{type}` */
  readonly path: string
  readonly answer: (c: Context<AppEnv>) => Response | Promise<Response>
}

const shared = { 'Cache-Control': 'public, max-age=300' }

/** Pages of any host, for load balancers and monitors. They contain no data of a tenant but ids. */
export const hostlessPages: readonly PublicPage[] = [
  { path: '/health', answer: () => Response.json({ status: 'ok' }, { headers: unkept }) },
  {
    path: '/ready',
    async answer({ env, var: { now } }) {
      const { readiness, wakeUp } = serviceRuntimeOf(env)
      // So operators start the work that their commands left.
      await wakeUp.announce()
      const { migrated, isAhead, ...ages } = await readiness.state(now)
      const migrations = migrated === null ? 'unknown' : isAhead ? 'ahead' : 'current'
      const state = { status: 'ready', version: settingsOf(env).DEPLOYMENT?.id, database: 'ok', migrations }
      return Response.json({ ...state, ...ages }, { headers: unkept })
    },
  },
  { path: '/metrics', answer: metricsPage },
]

const unkept = { 'Cache-Control': 'no-store' }

/** The documents in front of the token. */
export function publicPages(libraries: DocumentReaders): readonly PublicPage[] {
  /** A document with its entity tag, or 304. Each document has one media type, whatever `Accept` says. */
  async function published(c: Context<AppEnv>, name: DocumentName, type: string) {
    const document = await libraries(c.env)(name, readerOf(c))
    if (document === null) throw httpProblems.not_found()
    const etag = `"${await hashOf(new TextEncoder().encode(document.tag))}"`
    const headers = { ...shared, ETag: etag }
    if (isNotModified(c.req.raw.headers, etag)) return new Response(null, { status: 304, headers })
    const body = new TextEncoder().encode(document.text())
    c.set('responseBytes', body.byteLength)
    return new Response(body, { headers: { ...headers, 'Content-Type': type } })
  }
  return [
    {
      path: metadataPath,
      answer: ({ var: { tenant } }) => resourceMetadata(tenant, tenant.audience),
    },
    // RFC 9728 §3.3: the resource is the address whose path follows the well-known part.
    ...toolPaths.map(
      (path): PublicPage => ({
        path: `${metadataPath}${path}`,
        answer: ({ var: { tenant, url } }) => resourceMetadata(tenant, `${url.origin}${path}`),
      }),
    ),
    {
      path: '/api',
      async answer(c) {
        const answer = await published(c, 'entrypoint', linkedData)
        answer.headers.set('Link', descriptions)
        return answer
      },
    },
    {
      path: '/api/docs.jsonld',
      answer: (c) => published(c, 'hydra', linkedData),
    },
    {
      path: '/api/openapi.json',
      answer: (c) => published(c, 'openapi', 'application/json'),
    },
    {
      path: '/api/contexts/{type}',
      answer: (c) => published(c, `context-${c.req.param('type')}`, linkedData),
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

/** The version is that of the parameter, for clients that cannot send a header, else of the header, else the tenant's default. */
function readerOf(c: Context<AppEnv>): Reader {
  const { url, tenant, now, isVersionRequested } = c.var
  const name = url.searchParams.get('version')
  if (name !== null) {
    const { apiVersion, problem } = namedVersion(name, tenant.defaultApiVersion, now)
    c.set('apiVersion', apiVersion)
    c.set('versionProblem', problem)
  }
  const { versionProblem, apiVersion } = c.var
  if (versionProblem) throw versionProblem
  return { apiVersion, origin: url.origin, everyName: name === null && !isVersionRequested }
}

/** The library behind a set of bindings. */
export type DocumentReaders = (bindings: Bindings) => DocumentReader

type File = { readonly tag: string; readonly content: string }

/**
 * Reads the documents that `npm run build` has made, and replaces their placeholder of the host. The isolate caches each
 * document that it has read; all of them have 5 MB.
 */
export function publishedDocuments(): DocumentReaders {
  const files = new Map<string, File>()
  async function read(path: string, origin: string, bindings: Bindings): Promise<File | null> {
    const { ASSETS } = settingsOf(bindings)
    if (!ASSETS) throw new Error('without ASSETS nothing is published')
    const response = await ASSETS.fetch(new URL(path, origin).href)
    if (response.status === 404) return null
    if (response.status !== 200) throw new Error(`ASSETS answered ${response.status}`)
    const content = await response.text()
    const file = { tag: response.headers.get('ETag') ?? content, content }
    files.set(path, file)
    return file
  }
  return (bindings) => async (name, reader) => {
    const path = fileOf(name, reader)
    // A type comes from the address of the request.
    if (!documentPath.test(path)) return null
    const file = files.get(path) ?? (await read(path, reader.origin, bindings))
    if (file === null && !isContext(name)) throw new Error(`${path} is not there: npm run build`)
    return (
      file && {
        tag: `${file.tag} ${reader.origin}`,
        text: () => file.content.replaceAll(anyOrigin, () => reader.origin),
      }
    )
  }
}

const documentPath = /^\/published\/[\w-]+\.json$/
