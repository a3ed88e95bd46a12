import type { About } from '../core/log.ts'
import type { Call } from './call.ts'

/** What the log tells of a request, as far as it is known. */
export function aboutCall({
  tenant,
  requestId,
  operation,
  dialect,
  started,
  session,
  lookUp,
  trace,
}: Call): About {
  return {
    tenant: tenant?.id ?? null,
    requestId,
    operation,
    version: dialect?.version.name ?? null,
    durationMs: performance.now() - started,
    statements: (session?.spent.statements ?? 0) + (lookUp?.spent.statements ?? 0),
    traceId: trace.id,
  }
}
