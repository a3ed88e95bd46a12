import type { Resource } from '../core/operation.ts'
import { httpProblems } from '../core/problems/index.ts'
import { allScopes } from '../core/scopes.ts'
import { contextOf } from '../docs/contexts.ts'
import { type Call, settled } from './call.ts'

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
      // RFC 9728: where a client that was answered 401 learns who issues tokens for this host.
      path: '/.well-known/oauth-protected-resource',
      answer({ tenant }) {
        const { name, audience, issuer } = settled(tenant)
        const metadata = {
          resource: audience,
          resource_name: name,
          authorization_servers: [issuer],
          bearer_methods_supported: ['header'],
          scopes_supported: allScopes,
        }
        return Response.json(metadata, { headers: shared })
      },
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
