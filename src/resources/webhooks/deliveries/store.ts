import { type SQL, sql } from 'drizzle-orm'
import { type Outline, reads } from '../../../core/outline.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { instantText } from '../../../db/columns.ts'
import { type Frozen, frozenAnew, isUnsent } from '../engine/index.ts'
import type { AttemptParts, DeliveryParts } from './document.ts'

const attemptObject = sql`jsonb_build_object('number', a.number, 'callbackUrl', a.callback_url,
  'startedAt', ${instantText(sql`a.started_at`)}, 'latency', a.milliseconds, 'httpStatus', a.http_status, 'error', a.error)`

/** The columns of a delivery that are shown; `d` is its row. */
const deliveryColumns = outlinedColumns(null)

/** The same columns where documents are reduced to an outline. */
export function outlinedColumns(outline: Outline): SQL {
  return sql`d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId",
  d.event_sequence::float8 as sequence, d.topic, d.kind, d.resource_id as "resourceId",
  (select e.owner_id from events e where e.tenant_id = d.tenant_id and e.sequence = d.event_sequence) as "ownerId",
  d.resource_version as "resourceVersion", d.payload_version as "payloadVersion", d.locale,
  ${reads(outline, 'includeFields') ? sql`d.include_fields` : sql`null::jsonb`} as "includeFields", d.status, d.earlier_attempts + d.attempts as attempts, d.deferred_for as "deferredFor",
  case when d.status = 'PENDING' then ${instantText(sql`d.next_attempt_at`)} end as "nextAttemptAt",
  ${instantText(sql`d.created_at`)} as "createdAt", ${instantText(sql`d.completed_at`)} as "completedAt",
  (select ${attemptObject} from webhook_attempts a
    where a.tenant_id = d.tenant_id and a.delivery_id = d.id order by a.number desc limit 1) as last`
}

/** The rows of a subscription's deliveries, `d`. */
export function deliveriesOf(subscriptionId: string): SQL {
  return sql`from webhook_deliveries d where d.tenant_id = current_tenant() and d.subscription_id = ${subscriptionId}::uuid`
}

/** Selects a delivery of a subscription. */
export function deliveryStatement(subscriptionId: string, id: string): Statement<DeliveryParts> {
  return statement<DeliveryParts>(
    sql`select ${deliveryColumns} ${deliveriesOf(subscriptionId)} and d.id = ${id}::uuid`,
  )
}

/** Selects a delivery of a subscription with every attempt on it, oldest first. */
export function loggedStatement(
  subscriptionId: string,
  id: string,
): Statement<DeliveryParts & { readonly log: readonly AttemptParts[] }> {
  return statement(sql`select ${deliveryColumns}, (
      select coalesce(jsonb_agg(${attemptObject} order by a.number), '[]') from webhook_attempts a
       where a.tenant_id = d.tenant_id and a.delivery_id = d.id) as log
    ${deliveriesOf(subscriptionId)} and d.id = ${id}::uuid`)
}

/** How a delivery is sent, and of which event. */
export type Sent = Frozen & { readonly eventId: string }

/** Selects how a delivery of a subscription is sent: until it was, no more than the subscription's last writer could read. */
export function sentStatement(subscriptionId: string, id: string): Statement<Sent> {
  return statement<Sent>(sql`select d.event_id as "eventId", d.payload_version as "payloadVersion", d.locale,
    d.include_fields as "includeFields", to_jsonb(case when ${isUnsent} then array(
      select unnest(d.scopes) intersect select unnest(s.scopes)
        from webhook_subscriptions s where s.tenant_id = d.tenant_id and s.id = d.subscription_id) else d.scopes end) as scopes
    ${deliveriesOf(subscriptionId)} and d.id = ${id}::uuid`)
}

/**
 * What opens a delivery anew, as assignments on `d`: it is due at once, its schedule begins from the start where it had ended,
 * and what was never sent is sent as its subscription is now.
 */
export function opened(now: Date): SQL {
  const moment = now.toISOString()
  return sql`${frozenAnew(now)}, status = 'PENDING', completed_at = null, next_attempt_at = ${moment}::timestamptz, queued_until = null,
    deferrals = 0, deferred_for = null,
    earlier_attempts = case d.status when 'PENDING' then d.earlier_attempts else d.earlier_attempts + d.attempts end,
    attempts = case d.status when 'PENDING' then d.attempts else 0 end`
}

/** Whether no worker is attempting a delivery at this moment, as a condition on `d`. */
export function isIdle(moment: string): SQL {
  return sql`(d.leased_until is null or d.leased_until <= ${moment}::timestamptz)`
}
