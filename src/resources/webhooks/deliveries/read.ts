import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { Access } from '../../../core/access.ts'
import type { Members } from '../../../core/document.ts'
import { listQuery } from '../../../core/list-query.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../../core/paging.ts'
import { type SelectedMembers, selects } from '../../../core/select.ts'
import { instantText } from '../../../db/columns.ts'
import { columnsOf, type RowOf, type Statement, statement } from '../../../db/query.ts'
import { textArray, withSequence } from '../../../db/sql.ts'
import { apiVersionNamed } from '../../../versions/index.ts'
import type { EventRow } from '../../events/event-sql.ts'
import type { ProductHistory } from '../../events/product-history.ts'
import { eventsOf, eventsQueryFor } from '../../events/read-events.ts'
import { iriOfResource, topicsMatching } from '../../events/topics.ts'
import { embeddedVariantsOnItem } from '../../products/document.ts'
import { webhookId } from '../dispatch/attempt.ts'
import { isUnsent, payloadOf, refreshSettings, settingsRow } from '../dispatch/payload.ts'
import { webhookProblems } from '../problems.ts'
import { pathsToVersion } from '../subscriptions/include-fields.ts'
import { subscriptionStatement } from '../subscriptions/read.ts'
import { topicText, webhookSubscriptionIri } from '../subscriptions/schema.ts'
import { deliveryStatuses, deliveryWaits, webhookDelivery, webhookDeliveryBody } from './schema.ts'

/** An attempt `a`. A response is read only for a caller who may see it. */
function attemptObject(caller: Pick<Access, 'may'>): SQL {
  return sql`jsonb_build_object('number', a.number, 'callbackUrl', a.callback_url,
  'startedAt', ${instantText(sql`a.started_at`)}, 'latency', a.milliseconds, 'httpStatus', a.http_status, 'error', a.error,
  'durations', jsonb_build_object('address', a.address_milliseconds,
    'headers', case when a.http_status is not null then a.milliseconds end, 'body', a.body_milliseconds))${
      caller.may('webhook_responses:read') ? sql` || jsonb_build_object('response', a.response)` : sql``
    }`
}

/**
 * The reason for which a pending delivery `d` waits, in the order in which `deliveries_ready()` excludes deliveries. A host that is attempted as often
 * at once as it may be counts as no free worker.
 */
const waitsFor = sql`case when d.status <> 'PENDING' then null when is_attempted(d, now()) then 'response' else (
  select case
      when not can_receive(s) then 'subscription'
      when d.next_attempt_at > now() then 'next_attempt'
      when attempts_at_once(h.failures, h.open_until, now()) = 0 then 'callback_host'
      when (select true from earlier_deliveries(
              d.tenant_id, d.subscription_id, same_url.ids, d.kind, d.resource_id, d.event_sequence, now()) limit 1) then 'earlier_delivery'
      else 'worker' end
    from webhook_subscriptions s left join webhook_hosts h on h.tenant_id = s.tenant_id and h.host = s.callback_host
   cross join lateral subscriptions_of_url(s.tenant_id, s.callback_host, s.callback_url) same_url
   where s.tenant_id = d.tenant_id and s.id = d.subscription_id) end`

/** The columns of a delivery's document, or of its selected members. `d` is its row. */
function deliveryColumns(caller: Pick<Access, 'may'>, outline: SelectedMembers = null): SQL {
  return sql`d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId",
  d.event_sequence::float8 as sequence, d.topic, d.kind, d.resource_id as "resourceId",
  (select e.owner_id from events e where e.tenant_id = d.tenant_id and e.sequence = d.event_sequence) as "ownerId",
  d.resource_version as "resourceVersion", d.payload_version as "payloadVersion", d.locale,
  ${selects(outline, 'includeFields') ? sql`d.include_fields` : sql`null::jsonb`} as "includeFields", d.status, d.earlier_attempts + d.attempts as attempts, d.deferred_for as "deferredFor",
  case when d.status = 'PENDING' then ${instantText(sql`d.next_attempt_at`)} end as "nextAttemptAt",
  ${selects(outline, 'waitsFor') ? waitsFor : sql`null::text`} as "waitsFor",
  ${instantText(sql`d.created_at`)} as "createdAt", ${instantText(sql`d.completed_at`)} as "completedAt",
  (select ${attemptObject(caller)} from webhook_attempts a
    where a.tenant_id = d.tenant_id and a.delivery_id = d.id order by a.number desc limit 1) as last`
}

/** The rows of a subscription's deliveries, `d`. */
function deliveriesOf(subscriptionId: string): SQL {
  return sql`from webhook_deliveries d where d.tenant_id = current_tenant() and d.subscription_id = ${subscriptionId}::uuid`
}

/** Selects a delivery of a subscription, without responses of the receiver. */
export function deliveryStatement(subscriptionId: string, id: string): Statement<DeliveryParts> {
  return statement(deliveryRow)`
    select ${deliveryColumns(Access.from([]))} ${deliveriesOf(subscriptionId)} and d.id = ${id}::uuid`
}

/** Selects a delivery of a subscription with the log of its attempts, oldest first. */
function loggedStatement(subscriptionId: string, id: string, caller: Access) {
  return statement(loggedRow)`select ${deliveryColumns(caller)}, (
      select coalesce(jsonb_agg(${attemptObject(caller)} order by a.number), '[]') from webhook_attempts a
       where a.tenant_id = d.tenant_id and a.delivery_id = d.id) as log
    ${deliveriesOf(subscriptionId)} and d.id = ${id}::uuid`
}

type SentSettings = RowOf<typeof sentSettingsRow>
const sentSettingsRow = { ...settingsRow, eventId: z.string() }

/**
 * Selects the payload settings of a delivery. Until a body has been sent, they contain no more than the
 * subscription's last writer could read.
 */
function sentSettingsStatement(subscriptionId: string, id: string): Statement<SentSettings> {
  return statement(sentSettingsRow)`
    select d.event_id as "eventId", d.payload_version as "payloadVersion", d.locale,
    d.include_fields as "includeFields", to_jsonb(case when ${isUnsent} then array(
      select unnest(d.scopes) intersect select unnest(s.scopes)
        from webhook_subscriptions s where s.tenant_id = d.tenant_id and s.id = d.subscription_id) else d.scopes end) as scopes
    ${deliveriesOf(subscriptionId)} and d.id = ${id}::uuid`
}

/**
 * Assignments that reopen a delivery `d`. It is due at once. A finished delivery starts its schedule again.
 * If nothing has been sent, it takes the current settings of its subscription.
 */
export function reopenAssignments(now: Date): SQL {
  const moment = now.toISOString()
  return sql`${refreshSettings(now)}, status = 'PENDING', completed_at = null, next_attempt_at = ${moment}::timestamptz, queued_until = null,
    deferrals = 0, deferred_for = null,
    earlier_attempts = case d.status when 'PENDING' then d.earlier_attempts else d.earlier_attempts + d.attempts end,
    attempts = case d.status when 'PENDING' then d.attempts else 0 end`
}

/** Whether no worker is attempting a delivery at this time, as a condition on `d`. */
export function isIdle(moment: string): SQL {
  return sql`(d.leased_until is null or d.leased_until <= ${moment}::timestamptz)`
}

/** An attempt. Its outcome is null while it is in progress or if it was interrupted. */
export type AttemptParts = z.infer<typeof attempt>
const attempt = z
  .object({
    number: z.number(),
    callbackUrl: z.string(),
    startedAt: z.string(),
    latency: z.number().nullable(),
    httpStatus: z.number().nullable(),
    error: z.string().nullable(),
    durations: z.record(z.enum(['address', 'headers', 'body']), z.number().nullable()).readonly(),
    /** Absent if the caller may not see it. */
    response: z.string().nullish(),
  })
  .readonly()

/** A delivery's row with its last attempt, as plain JSON. */
export type DeliveryParts = RowOf<typeof deliveryRow>
const deliveryRow = {
  ...columnsOf(
    z.string(),
    'id',
    'subscriptionId',
    'eventId',
    'topic',
    'kind',
    'resourceId',
    'payloadVersion',
    'locale',
    'status',
    'createdAt',
  ),
  ...columnsOf(z.number(), 'sequence', 'resourceVersion', 'attempts'),
  /** The product of an option, a value or a variant. */
  ownerId: z.string().nullable(),
  includeFields: settingsRow.includeFields,
  nextAttemptAt: z.string().nullable(),
  waitsFor: z.enum(deliveryWaits).nullable(),
  completedAt: z.string().nullable(),
  /** The reason of the current deferral. Null if the delivery is not deferred. */
  deferredFor: z.string().nullable(),
  last: attempt.nullable(),
}
const loggedRow = { ...deliveryRow, log: z.array(attempt).readonly() }

/** The document of a delivery, with its log if the caller passes one. */
export function deliveryDocument(parts: DeliveryParts, log?: readonly AttemptParts[]): Members {
  const { id, subscriptionId, eventId, topic, kind, resourceId, ownerId, payloadVersion, deferredFor } = parts
  const last = deferredFor === null ? parts.last : null
  return {
    '@id': `${webhookSubscriptionIri(subscriptionId)}/deliveries/${id}`,
    '@type': webhookDelivery.type,
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
      parts.includeFields && pathsToVersion(parts.includeFields, topic, apiVersionNamed(payloadVersion)),
    status: parts.status,
    attempts: parts.attempts,
    httpStatus: last?.httpStatus ?? null,
    latency: last?.latency ?? null,
    error: deferredFor ?? last?.error ?? null,
    durations: last?.durations ?? null,
    response: last === null ? null : last.response,
    nextAttemptAt: parts.nextAttemptAt,
    waitsFor: parts.waitsFor,
    createdAt: parts.createdAt,
    completedAt: parts.completedAt,
    log: log?.map((attempt) => ({ ...attempt })),
  }
}

const orders: Orders = {
  createdAt: { column: sql`d.created_at`, type: 'timestamptz' },
  id: { column: sql`d.id`, type: 'uuid' },
}

export const deliveryListParameters = {
  ...pageParameters,
  ...orderParameters(Object.keys(orders)),
  status: z.enum(deliveryStatuses).optional(),
  topic: topicText.optional(),
  ...dateParameters('createdAt'),
}

type Query = { query: typeof deliveryListParameters }

function conditions(query: Input<Query>['query']): SQL[] {
  return [
    ...(query.status === undefined ? [] : [sql`d.status = ${query.status}`]),
    ...(query.topic === undefined ? [] : [sql`d.topic = any(${textArray(topicsMatching(query.topic))})`]),
    ...dateConditions('createdAt', sql`d.created_at`, query),
  ]
}

/** Lists a subscription's deliveries, newest first, each with the outcome of its last attempt. */
export async function listDeliveries(
  context: Context,
  { params: { id }, query }: Input<Query & { params: 'id' }>,
): Promise<Answer> {
  const page = planPage(query, context.url, orders, [['createdAt', 'desc']])
  const rowsSql = sql`${sql.join([deliveriesOf(id), ...conditions(query)], sql` and `)}`
  const { subscriptions, list } = await context.db.read({
    subscriptions: subscriptionStatement(id),
    list: listQuery(page, {
      row: deliveryRow,
      from: rowsSql,
      columns: deliveryColumns(context.access, context.selectedMembers),
      bytes: sql`coalesce(octet_length("includeFields"::text), 0) + coalesce(octet_length(last ->> 'response'), 0)`,
      totalName: null,
    }),
  })
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  return {
    kind: 'collection',
    members: list.rows.map((row) => deliveryDocument(row)),
    ...list.paging,
    sequence: list.sequence,
  }
}

/** Reads one delivery with the log of its attempts. */
export async function getDelivery(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const { subscriptions, deliveries } = await context.db.read({
    subscriptions: subscriptionStatement(id),
    deliveries: withSequence(loggedStatement(id, deliveryId, context.access)),
  })
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  const {
    rows: [delivery],
    sequence,
  } = deliveries
  if (!delivery) throw webhookProblems.delivery_not_found({ id: deliveryId })
  return { kind: 'item', document: deliveryDocument(delivery, delivery.log), version: null, sequence }
}

/**
 * Returns the body of a delivery, limited to the members that the caller may read. Bodies are not stored. The
 * body is rendered again from the delivery's event, even if the resource has changed since.
 */
export async function getDeliveryBody(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const sequences = sql`select d.event_sequence ${deliveriesOf(id)} and d.id = ${deliveryId}::uuid`
  const eventsQuery = { sequences, most: 1, embeddedVariants: embeddedVariantsOnItem, now: context.now }
  const { events, subscriptions, deliveries } = await context.db.read({
    events: eventsQueryFor(eventsQuery),
    subscriptions: subscriptionStatement(id),
    deliveries: sentSettingsStatement(id, deliveryId),
  })
  if (subscriptions.length === 0) throw webhookProblems.subscription_not_found({ id })
  const [settings] = deliveries
  if (!settings) throw webhookProblems.delivery_not_found({ id: deliveryId })
  const { rows, history, sequence } = await eventsOf(events, context.db.read)
  const subscription = webhookSubscriptionIri(id)
  const delivery = `${subscription}/deliveries/${deliveryId}`
  const document = {
    '@id': `${delivery}/body`,
    '@type': webhookDeliveryBody.type,
    subscription,
    delivery,
    webhookId: webhookId(settings.eventId, id),
    ...visibleBody(context, settings, rows[0], history),
  }
  return { kind: 'item', document, version: null, sequence }
}

function visibleBody(
  { access: callerAccess, tenant }: Context,
  settings: SentSettings,
  event: EventRow | undefined,
  history: ProductHistory,
) {
  if (!event) return { body: null, error: 'event_expired' }
  const scopes = Access.from(settings.scopes).within(callerAccess).scopes
  const { body, fault } = payloadOf(event, history, { ...settings, scopes }, tenant.locales)
  return { body, error: fault ?? (body === null ? 'event_expired' : null) }
}
