import { type About, noRequest } from '../../../core/log.ts'
import type { Trace } from '../../../core/trace.ts'
import type { Claimed } from './claim.ts'

/** Which delivery a line tells of. */
export function namesOf({ subscriptionId, id, eventId, topic }: Claimed) {
  return { subscription: subscriptionId, delivery: id, eventId, topic }
}

/** What the log tells of work on a delivery: in the request and the trace of the write that it tells of. */
export function aboutDelivery(
  tenant: string,
  { payloadVersion }: Claimed,
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
