import { type SQL, sql } from 'drizzle-orm'
import { bytesOf } from '../../../core/document.ts'
import { byteLimits } from '../../../core/limits.ts'
import { type LogFields, log, noRequest } from '../../../core/log.ts'
import { type Trace, traceOf } from '../../../core/trace.ts'
import type { Session } from '../../../db/client.ts'
import { combineQueries, type DatabaseQuery, statement } from '../../../db/query.ts'
import { uuidArray } from '../../../db/write-steps.ts'
import type { EventRow } from '../../events/event-sql.ts'
import type { History } from '../../events/product-history.ts'
import { type EventRows, type EventsRequest, eventsOf, eventsQueryFor } from '../../events/read-events.ts'
import { embeddedOnItem } from '../../products/document.ts'
import { type DeliverySettings, type Payload, payloadOf, withheld } from './payload.ts'
import { deliveryOrderGroup, freeSlotsAt, isFree, isUnsent } from './ready.ts'
import { gaps } from './schedule.ts'

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
  spent: Partial<Pick<LogFields, 'durationMs' | 'statements'>> = {},
): LogFields {
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

/**
 * Taking deliveries into work: under a lease, with everything that an attempt needs, in one batch. The batch reads no more
 * than the database answers, whatever the events hold: what a body is rendered from and is too large comes in a
 * second trip, and the deliveries that would be more than a worker holds are left to the next one.
 */

/** Milliseconds for which a worker holds a delivery: longer than any attempt takes. */
const leaseLife = 45_000

/** A delivery in work. */
export type Claimed = DeliverySettings & {
  readonly id: string
  readonly lease: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly sequence: number
  readonly topic: string
  readonly resourceVersion: number
  /** The number of this attempt since the delivery was last opened, from 1: by it the next one is scheduled. */
  readonly attempt: number
  /** Its number among all, from 1: by it the attempt is known. */
  readonly number: number
  /** How often in a row it was put back without an attempt. */
  readonly deferrals: number
  /** The scopes of the subscription's last writer, who may have moved it elsewhere since the event was fanned out. */
  readonly allowed: readonly string[]
  readonly callbackUrl: string
  readonly callbackHost: string
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousSecretUntil: string | null
}

type Settings = { readonly locales: readonly [string, ...string[]] }

/** The rows of `claimReading`. */
type ClaimsFound = {
  readonly claimed: readonly Claimed[]
  readonly tenants: readonly { readonly settings: Settings }[]
  readonly events: EventRows
}

/** Bytes of bodies that a worker holds at once: six workers may share the memory of one isolate. */
const bodiesAtOnce = 3 * byteLimits.event

/**
 * Claims what may be attempted now and no more than the hosts bear; `lease` is a new id. What is claimed counts as attempted,
 * and comes due again by itself when nothing more is heard of it; `claimsOf` renders it.
 */
export function claimQuery(ids: readonly string[], lease: string, now: Date): DatabaseQuery<ClaimsFound> {
  const moment = now.toISOString()
  return combineQueries({
    // One claim at a time for each host, in one order, so that its limit holds.
    locked: statement(sql`
      with hosts as materialized (
        select distinct s.callback_host as host from webhook_subscriptions s
          join webhook_deliveries d on d.tenant_id = s.tenant_id and d.subscription_id = s.id
         where d.tenant_id = current_tenant() and d.id = any(${uuidArray(ids)}) order by 1
      )
      select pg_advisory_xact_lock(hashtextextended('callback:' || current_tenant() || ':' || host, 0)) from hosts`),
    claimed: statement<Claimed>(sql`
      with asked as materialized (${candidatesOf(ids, moment)}),
      hosts as materialized (
        select a.host, ${freeSlotsAt(sql`a.host`, moment)} as room from (select distinct host from asked) a
          left join webhook_hosts h on h.tenant_id = current_tenant() and h.host = a.host
      ), claimed as (
        update webhook_deliveries d
           set attempts = d.attempts + 1, scopes = case when ${isToBeNarrowed} then ${narrowed} else d.scopes end, lease = ${lease}::uuid, queued_until = null,
               leased_until = ${moment}::timestamptz + ${leaseLife} * interval '1 millisecond',
               next_attempt_at = ${moment}::timestamptz
                 + greatest(${leaseLife}, (${`{${gaps.join(',')}}`}::float8[])[d.attempts + 1]) * interval '1 millisecond'
          from asked a join hosts using (host)
         where d.tenant_id = current_tenant() and d.id = a.id and d.status = 'PENDING' and d.attempts = a.attempts and a.n <= hosts.room
        returning d.*, a.url
      ), refused as (
        -- Deliveries whose message came and that are not claimed are on nobody's way any more.
        update webhook_deliveries set queued_until = null
         where tenant_id = current_tenant() and id = any(${uuidArray(ids)}) and queued_until is not null
           and id not in (select a.id from asked a join hosts using (host) where a.n <= hosts.room)
      ), begun as (
        insert into webhook_attempts (tenant_id, delivery_id, number, callback_url, started_at)
        select tenant_id, id, earlier_attempts + attempts, url, ${moment}::timestamptz from claimed
      )
      select c.id, c.lease, c.subscription_id as "subscriptionId", c.event_id as "eventId", c.event_sequence::float8 as sequence,
             c.topic, c.resource_version as "resourceVersion", c.payload_version as "payloadVersion", c.locale,
             c.include_fields as "includeFields", to_jsonb(c.scopes) as scopes, to_jsonb(s.scopes) as allowed,
             c.attempts as attempt, c.earlier_attempts + c.attempts as number, c.deferrals,
             s.callback_url as "callbackUrl", s.callback_host as "callbackHost", s.secret, s.previous_secret as "previousSecret",
             instant_text(s.previous_secret_until) as "previousSecretUntil"
        from claimed c join webhook_subscriptions s on s.tenant_id = current_tenant() and s.id = c.subscription_id`),
    tenants: statement<{ settings: Settings }>(sql`select own_tenant() as settings`),
    events: eventsQueryFor(eventsAsked(lease, ids.length, now)),
  })
}

/** The events of the deliveries under a lease. */
function eventsAsked(lease: string, most: number, now: Date): EventsRequest {
  const sequences = sql`select distinct event_sequence from webhook_deliveries where tenant_id = current_tenant() and lease = ${lease}::uuid`
  return { sequences, most, embeddedVariants: embeddedOnItem, now }
}

/** Deliveries with their attempts, host and address, numbered in the order in which they would be taken. */
function candidatesOf(ids: readonly string[], moment: string): SQL {
  return sql`
    select *, row_number() over (partition by host order by due, sequence) as n from (
      select d.*, s.callback_host as host, s.callback_url as url, s.scopes as allowed
        from webhook_subscriptions s
       cross join lateral ${deliveryOrderGroup}
       cross join lateral (
         select d.id, d.attempts, d.next_attempt_at as due, d.event_sequence as sequence from webhook_deliveries d
          where d.tenant_id = current_tenant() and d.subscription_id = s.id and d.id = any(${uuidArray(ids)}) and ${isFree(moment)}
       ) d
       where s.tenant_id = current_tenant() and not is_suspended()
    ) d`
}

/** Until something was sent under its id, a delivery shows no more than the subscription's last writer could read. */
const isToBeNarrowed = sql`not d.scopes <@ a.allowed and ${isUnsent}`
const narrowed = sql`array(select unnest(d.scopes) intersect select unnest(a.allowed))`

/** A delivery in work, its body (null where its event is too old to have one), and why it cannot be sent for our part. */
export type Claim = {
  readonly delivery: Claimed
  readonly body: string | null
  readonly fault: Payload['fault'] | 'not_sent'
  /** The request and the trace of the write that it tells of, or the moment. */
  readonly requestId: string
  readonly trace: Trace
  readonly effectiveAt: string | null
}

/** What was claimed: with their bodies, oldest first, and what is more than one worker holds. */
export type Claims = { readonly claims: readonly Claim[]; readonly surplus: readonly Claimed[] }

/** Renders what was claimed, as much as a worker holds at once but at least one; `read` is asked where it is large. */
export async function claimsOf(
  { claimed, tenants, events }: ClaimsFound,
  tenantId: string,
  now: Date,
  read: Session['read'],
): Promise<Claims> {
  const [first] = claimed
  if (!first) return { claims: [], surplus: [] }
  const { rows, history } = await eventsOf(events, eventsAsked(first.lease, claimed.length, now), read)
  const bySequence = new Map(rows.map((each) => [each.sequence, each]))
  const { locales } = tenants[0]?.settings ?? { locales: ['en-US'] }
  const inOrder = claimed.toSorted((a, b) => a.sequence - b.sequence)
  const claims: Claim[] = []
  let size = 0
  for (const delivery of inOrder) {
    const event = bySequence.get(delivery.sequence)
    // Events are read from the first on: what follows one that is missing is missing too.
    if (!event) break
    const claim = claimOf(tenantId, delivery, event, history, locales)
    size += bytesOf(claim.body ?? '')
    if (claims.length > 0 && size > bodiesAtOnce) break
    claims.push(claim)
  }
  return { claims, surplus: inOrder.slice(claims.length) }
}

function claimOf(
  tenantId: string,
  delivery: Claimed,
  event: EventRow,
  history: History,
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
    // A fault of ours in one document; the others go out, and this one when it is mended.
    log('delivery_unrendered', aboutDelivery(tenantId, delivery, origin), namesOf(delivery), error)
    return { delivery, ...origin, body: null, fault: 'not_sent' }
  }
}

/** What was frozen at the fan-out, as far as whoever aims the subscription now may see all of it. */
function allowedPayload(
  delivery: Claimed,
  event: EventRow,
  history: History,
  locales: readonly [string, ...string[]],
): Payload {
  const payload = payloadOf(event, history, delivery, locales)
  const scopes = delivery.scopes.filter((each) => delivery.allowed.includes(each))
  if (payload.fault !== null || scopes.length === delivery.scopes.length) return payload
  // One id has one body: what may not be shown as it was is not shown otherwise.
  return payloadOf(event, history, { ...delivery, scopes }, locales).body === payload.body
    ? payload
    : withheld
}
