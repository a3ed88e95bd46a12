import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { byteLimits } from '../../../core/limits.ts'
import { type LogFields, log, noRequest } from '../../../core/log.ts'
import { bytesOf } from '../../../core/sizes.ts'
import { type Trace, traceOf } from '../../../core/trace.ts'
import type { Session } from '../../../db/client.ts'
import { columnsOf, combineQueries, type ResultOf, type RowOf, statement } from '../../../db/query.ts'
import { uuidArray } from '../../../db/sql.ts'
import type { EventRow } from '../../events/event-sql.ts'
import type { ProductHistory } from '../../events/product-history.ts'
import { type EventsRequest, eventsOf, eventsQueryFor } from '../../events/read-events.ts'
import { embeddedVariantsOnItem } from '../../products/document.ts'
import { secretRow } from '../subscriptions/secrets.ts'
import { isUnsent, type Payload, payloadOf, settingsRow, withheldPayload } from './payload.ts'
import { delaysWithoutOutcome, leaseLifetimeMs, maximumAttempts } from './schedule.ts'

type LoggedDelivery = {
  readonly id: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly topic: string
  readonly payloadVersion: string
}

/** The ids of a delivery and its subscription for a log event. */
export function deliveryIds({ subscriptionId, id, eventId, topic }: Omit<LoggedDelivery, 'payloadVersion'>) {
  return { subscription: subscriptionId, delivery: id, eventId, topic }
}

/**
 * The log fields for work on a delivery, with the request and the trace of the write that caused the event.
 */
export function deliveryLogFields(
  tenant: string,
  { payloadVersion }: Pick<LoggedDelivery, 'payloadVersion'>,
  { requestId, trace }: { readonly requestId: string; readonly trace: Trace },
  measurements: Partial<Pick<LogFields, 'durationMs' | 'statements'>> = {},
): LogFields {
  return {
    ...noRequest,
    tenant,
    requestId,
    traceId: trace.id,
    operation: 'deliver',
    version: payloadVersion,
    ...measurements,
  }
}

/**
 * Claims deliveries: takes them under a lease and reads everything that an attempt needs, in one batch. The
 * result of the batch is bounded, whatever the events contain. Rows that are too large for it are read in a
 * second round trip. Deliveries that exceed the memory of a worker are left to the next one.
 */

/** A claimed delivery. */
export type ClaimedDelivery = RowOf<typeof claimedRow>
const claimedRow = {
  ...settingsRow,
  ...secretRow,
  ...columnsOf(
    z.string(),
    'id',
    'lease',
    'subscriptionId',
    'eventId',
    'topic',
    'callbackUrl',
    'callbackHost',
  ),
  sequence: z.number(),
  resourceVersion: z.number(),
  /** The number of this attempt since the delivery was last reopened, from 1. The schedule depends on it. */
  attempt: z.number(),
  /** The number of this attempt among all attempts, from 1. It identifies the attempt. */
  number: z.number(),
  /** The number of consecutive deferrals without an attempt. */
  deferrals: z.number(),
  recordResponses: z.boolean(),
  /**
   * The scopes of the subscription's last writer, who may have changed its URL since the event was fanned
   * out.
   */
  allowed: z.array(z.string()).readonly(),
}

const tenantRow = {
  settings: z.object({
    locales: z.tuple([z.string()], z.string()).readonly(),
    defaultApiVersion: z.string(),
  }),
}

type ClaimsFound = ResultOf<ReturnType<typeof claimQuery>>

/** Maximum bytes of bodies that a worker holds at once. Six workers may share the memory of one isolate. */
export const heldBodyBytes = 3 * byteLimits.event

/**
 * Claims the deliveries that may be attempted now, within the limits of their hosts. `lease` is a new id. A
 * claim counts as an attempt. If the worker never records an outcome, the delivery becomes due again.
 * `claimsOf` renders the bodies.
 */
export function claimQuery(ids: readonly string[], lease: string, now: Date) {
  const moment = now.toISOString()
  const claimed = sql`
      with ready as materialized (
        select * from deliveries_ready(${moment}::timestamptz, ${maximumAttempts}, ${uuidArray(ids)}, null, null)
      ), claimed as (
        update webhook_deliveries d
           set attempts = d.attempts + 1, scopes = case when ${needsNarrowing} then ${narrowedScopes} else d.scopes end, lease = ${lease}::uuid, queued_until = null,
               leased_until = ${moment}::timestamptz + ${leaseLifetimeMs} * interval '1 millisecond',
               next_attempt_at = ${moment}::timestamptz + (${`{${delaysWithoutOutcome.join()}}`}::float8[])[d.attempts + 1] * interval '1 millisecond'
          from ready
         where d.tenant_id = current_tenant() and d.id = any(${uuidArray(ids)}) and d.id = ready.id and d.completed_at is null and d.attempts = ready.attempts
        returning d.*, ready.url
      ), refused as (
        -- The messages of unclaimed deliveries have been consumed, so these deliveries are no longer queued.
        update webhook_deliveries set queued_until = null
         where tenant_id = current_tenant() and id = any(${uuidArray(ids)}) and queued_until is not null
           and id not in (select ready.id from ready)
      ), begun as (
        insert into webhook_attempts (tenant_id, delivery_id, number, callback_url, started_at)
        select tenant_id, id, earlier_attempts + attempts, url, ${moment}::timestamptz from claimed
      )
      select c.id, ${lease}::text as lease, c.subscription_id as "subscriptionId", c.event_id as "eventId", c.event_sequence::float8 as sequence,
             c.topic, c.resource_version as "resourceVersion", c.payload_version as "payloadVersion", c.locale,
             c.include_fields as "includeFields", to_jsonb(c.scopes) as scopes, to_jsonb(s.scopes) as allowed,
             c.attempts as attempt, c.earlier_attempts + c.attempts as number, c.deferrals,
             coalesce((s.document::json ->> 'recordResponses')::boolean, false) as "recordResponses",
             coalesce(s.callback_url, '') as "callbackUrl", coalesce(s.callback_host, '') as "callbackHost", s.secret, s.previous_secret as "previousSecret",
             instant_text(s.previous_secret_until) as "previousSecretUntil"
        from claimed c join webhook_subscriptions s on s.tenant_id = current_tenant() and s.id = c.subscription_id`
  return combineQueries({
    // Only one worker claims for a host at a time, so that the host's limit is respected. The fixed order of
    // hosts prevents deadlocks.
    locked: statement(sql`
      with hosts as materialized (
        select distinct s.callback_host as host from webhook_subscriptions s
          join webhook_deliveries d on d.tenant_id = s.tenant_id and d.subscription_id = s.id
         where d.tenant_id = current_tenant() and d.id = any(${uuidArray(ids)}) order by 1
      )
      select pg_advisory_xact_lock(hashtextextended('callback:' || current_tenant() || ':' || host, 0)) from hosts`),
    claimed: statement(claimed, claimedRow),
    tenants: statement(sql`select own_tenant() as settings`, tenantRow),
    events: eventsQueryFor(eventsOfLease(lease, ids.length, now)),
  })
}

/** The query for the events of the deliveries under a lease. */
function eventsOfLease(lease: string, limit: number, now: Date): EventsRequest {
  const sequences = sql`select distinct event_sequence from webhook_deliveries where tenant_id = current_tenant() and lease = ${lease}::uuid`
  return { sequences, most: limit, embeddedVariants: embeddedVariantsOnItem, now }
}

/**
 * Until a body has been sent under its id, a delivery contains no more than the subscription's last writer
 * could read.
 */
const needsNarrowing = sql`not d.scopes <@ ready.allowed and ${isUnsent}`
const narrowedScopes = sql`array(select unnest(d.scopes) intersect select unnest(ready.allowed))`

/**
 * A claimed delivery and its body, or the reason why it cannot be sent. The body is null if the event is too
 * old to have one.
 */
export type Claim = {
  readonly delivery: ClaimedDelivery
  readonly body: string | null
  readonly fault: Payload['fault'] | 'not_sent'
  /** The request and the trace of the write that caused the event, and the time of an offer boundary. */
  readonly requestId: string
  readonly trace: Trace
  readonly effectiveAt: string | null
}

/** The claims with their bodies, oldest first, and the deliveries that exceed the memory of one worker. */
export type Claims = { readonly claims: readonly Claim[]; readonly surplus: readonly ClaimedDelivery[] }

/**
 * Renders the bodies of claimed deliveries, at least one and as many as a worker may hold. It calls `read`
 * again if the rows are large.
 */
export async function claimsOf(
  { claimed, tenants, events }: ClaimsFound,
  tenantId: string,
  read: Session['read'],
): Promise<Claims> {
  const [first] = claimed
  if (!first) return { claims: [], surplus: [] }
  const { rows, history } = await eventsOf(events, read)
  const bySequence = new Map(rows.map((event) => [event.sequence, event]))
  const { locales } = tenants[0]?.settings ?? { locales: ['en-US'] }
  const sorted = claimed.toSorted((a, b) => a.sequence - b.sequence)
  const claims: Claim[] = []
  let size = 0
  for (const delivery of sorted) {
    const event = bySequence.get(delivery.sequence)
    // Events are read in order, so all events after a missing one are missing too.
    if (!event) break
    const claim = claimOf(tenantId, delivery, event, history, locales)
    size += bytesOf(claim.body ?? '')
    if (claims.length > 0 && size > heldBodyBytes) break
    claims.push(claim)
  }
  return { claims, surplus: sorted.slice(claims.length) }
}

function claimOf(
  tenantId: string,
  delivery: ClaimedDelivery,
  event: EventRow,
  history: ProductHistory,
  locales: readonly [string, ...string[]],
): Claim {
  const origin = {
    requestId: event.requestId,
    trace: traceOf(event),
    effectiveAt: event.effectiveAt,
  }
  try {
    return { delivery, ...origin, ...allowedPayload(delivery, event, history, locales) }
  } catch (error) {
    // A defect in rendering one document. The other deliveries continue, and this one is sent once the defect
    // is fixed.
    log('delivery_unrendered', deliveryLogFields(tenantId, delivery, origin), deliveryIds(delivery), error)
    return { delivery, ...origin, body: null, fault: 'not_sent' }
  }
}

/**
 * The payload with the settings of the fan-out. It is withheld if the subscription's last writer may not see
 * all of it.
 */
function allowedPayload(
  delivery: ClaimedDelivery,
  event: EventRow,
  history: ProductHistory,
  locales: readonly [string, ...string[]],
): Payload {
  const payload = payloadOf(event, history, delivery, locales)
  const scopes = delivery.scopes.filter((scope) => delivery.allowed.includes(scope))
  if (payload.fault !== null || scopes.length === delivery.scopes.length) return payload
  // One id has one body. A body that may not be sent unchanged is therefore withheld instead of reduced.
  return payloadOf(event, history, { ...delivery, scopes }, locales).body === payload.body
    ? payload
    : withheldPayload
}
