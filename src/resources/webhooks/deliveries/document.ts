import type { Members } from '../../../core/document.ts'
import { dialectNamed } from '../../../versions/index.ts'
import { iriOfResource } from '../../events/index.ts'
import { webhookId } from '../engine/index.ts'
import { pathsToVersion } from '../subscriptions/index.ts'
import { webhookSubscriptionIri } from '../subscriptions/iri.ts'
import { webhookDelivery as shape } from './schema.ts'

/** A delivery's row with its last attempt. Plain JSON. */
export type DeliveryParts = {
  readonly id: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly sequence: number
  readonly topic: string
  readonly kind: string
  readonly resourceId: string
  /** The product of an option, a value or a variant. */
  readonly ownerId: string | null
  readonly resourceVersion: number
  readonly payloadVersion: string
  readonly locale: string
  readonly includeFields: readonly string[] | null
  readonly status: string
  readonly attempts: number
  readonly nextAttemptAt: string | null
  readonly createdAt: string
  readonly completedAt: string | null
  /** Why it waits since without an attempt; null when it does not. */
  readonly deferredFor: string | null
  readonly last: AttemptParts | null
}

/** An attempt; what came of one that is under way, or was cut off, is not known. */
export type AttemptParts = {
  readonly number: number
  readonly callbackUrl: string
  readonly startedAt: string
  readonly latency: number | null
  readonly httpStatus: number | null
  readonly error: string | null
}

/** A delivery as it is shown; with its log where that is asked for. */
export function deliveryDocument(parts: DeliveryParts, log?: readonly AttemptParts[]): Members {
  const { id, subscriptionId, eventId, topic, kind, resourceId, ownerId, payloadVersion, deferredFor } = parts
  const last = deferredFor === null ? parts.last : null
  return {
    '@id': `${webhookSubscriptionIri(subscriptionId)}/deliveries/${id}`,
    '@type': shape.type,
    id,
    subscription: webhookSubscriptionIri(subscriptionId),
    webhookId: webhookId(eventId, subscriptionId),
    event: `/api/events/${eventId}`,
    sequence: parts.sequence,
    topic,
    resource: iriOfResource(kind, resourceId, ownerId),
    resourceVersion: parts.resourceVersion,
    version: payloadVersion,
    locale: parts.locale,
    includeFields:
      parts.includeFields && pathsToVersion(parts.includeFields, topic, dialectNamed(payloadVersion)),
    status: parts.status,
    attempts: parts.attempts,
    httpStatus: last?.httpStatus ?? null,
    latency: last?.latency ?? null,
    error: deferredFor ?? last?.error ?? null,
    nextAttemptAt: parts.nextAttemptAt,
    createdAt: parts.createdAt,
    completedAt: parts.completedAt,
    log: log?.map((each) => ({ ...each })),
  }
}
