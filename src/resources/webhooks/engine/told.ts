import { type About, noRequest } from '../../../core/log.ts'
import type { Trace } from '../../../core/trace.ts'

/** What lines tell of a delivery. */
type Named = {
  readonly id: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly topic: string
  readonly payloadVersion: string
}

/** Which delivery a line tells of. */
export function namesOf({ subscriptionId, id, eventId, topic }: Omit<Named, 'payloadVersion'>) {
  return { subscription: subscriptionId, delivery: id, eventId, topic }
}

/** What the log tells of work on a delivery: in the request and the trace of the write that it tells of. */
export function aboutDelivery(
  tenant: string,
  { payloadVersion }: Pick<Named, 'payloadVersion'>,
  { requestId, trace }: { readonly requestId: string; readonly trace: Trace },
  spent: Partial<Pick<About, 'durationMs' | 'statements'>> = {},
): About {
  return {
    ...noRequest,
    tenant,
    requestId,
    traceId: trace.id,
    operation: 'deliver',
    version: payloadVersion,
    ...spent,
  }
}
