import type { Tenant } from '../core/context.ts'
import type { Resource } from '../core/operation.ts'
import { httpProblems } from '../core/problems/index.ts'
import { allScopes } from '../core/scopes.ts'
import { contextOf } from '../docs/contexts.ts'
import { type Call, settled } from './call.ts'
import { metadataPath, toolPath } from './challenge.ts'

/** A document that needs no token. It holds no catalogue data, so shared caches may keep it. */
export type PublicPage = {
  /** `/api/contexts/{type}` */
  readonly path: string
  readonly answer: (call: Call, params: Readonly<Record<string, string>>) => Response
}

const shared = { 'Cache-Control': 'public, max-age=300' }

/** The documents in front of the token. */
export function publicPages(resources: readonly Resource[]): readonly PublicPage[] {
  return [
    {
      path: '/health',
      answer: () => Response.json({ status: 'ok' }, { headers: { 'Cache-Control': 'no-store' } }),
    },
    {
      path: metadataPath,
      answer: ({ tenant }) => resourceMetadata(settled(tenant), settled(tenant).audience),
    },
    {
      // RFC 9728 §3.3: the resource is the address whose path follows the well-known part.
      path: `${metadataPath}${toolPath}`,
      answer: ({ tenant, url }) => resourceMetadata(settled(tenant), `${url.origin}${toolPath}`),
    },
    {
      path: '/api/contexts/{type}',
      answer({ url }, { type = '' }) {
        const context = contextOf(type, url.origin, resources)
        if (!context) throw httpProblems.not_found()
        return Response.json(context, { headers: { ...shared, 'Content-Type': 'application/ld+json' } })
      },
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
