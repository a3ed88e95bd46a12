import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { Access } from '../../../core/access.ts'
import { instantOf } from '../../../core/instant.ts'
import { type Json, type JsonObject, jsonObject } from '../../../core/json.ts'
import { log } from '../../../core/log.ts'
import type { Answer, Context, Input, ItemInput } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { type Trace, traceOf, traceparentOf } from '../../../core/trace.ts'
import { problemOfViolation } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { parseStored } from '../../../db/row-types.ts'
import { textArray } from '../../../db/sql.ts'
import { liveApiVersion } from '../../../versions/index.ts'
import type { EventRow } from '../../events/event-sql.ts'
import { eventProblems } from '../../events/problems.ts'
import { eventsOf, eventsQueryFor } from '../../events/read-events.ts'
import {
  iriOfResource,
  kindOf,
  resourceIn,
  scopesOfResource,
  topics,
  topicsMatching,
} from '../../events/topics.ts'
import { embeddedVariantsOnItem } from '../../products/document.ts'
import { type AttemptContext, type AttemptInput, attempt, headersOf } from '../dispatch/attempt.ts'
import { wantsTopic } from '../dispatch/fan-out.ts'
import { type DeliverySettings, type Payload, payloadOf, payloadText } from '../dispatch/payload.ts'
import { webhookProblems } from '../problems.ts'
import { type Sender, senderStatement } from '../subscriptions/read.ts'
import { webhookSubscriptionIri } from '../subscriptions/schema.ts'
import { type CompleteSubscription, requireScopesOfTopic } from '../subscriptions/scopes.ts'
import { webhookPreview, webhookTest } from './schema.ts'

type RenderedEvent = {
  readonly sender: CompleteSubscription<Sender>
  readonly settings: DeliverySettings
  /** Null if the event does not exist. */
  readonly event: EventRow | null
  /** Null if the event does not exist, or if it is too old to have a document. */
  readonly body: string | null
}

/**
 * Reads the event with a sequence (a subquery) and renders its body for a subscription, without a delivery.
 * @throws 404 `webhook.subscription_not_found`; 403 without the scopes of its topic; 409
 * `webhook.incomplete`, or `webhook.withheld` or `event.too_large` for an event that would not be sent
 */
async function lastEvent(
  context: Context,
  read: Session['read'],
  subscriptionId: string,
  sequence: SQL,
): Promise<RenderedEvent> {
  const events = { sequences: sequence, most: 1, embeddedVariants: embeddedVariantsOnItem, now: context.now }
  const { senders, eventRows } = await read({
    senders: senderStatement(subscriptionId),
    eventRows: eventsQueryFor(events),
  })
  const [sender] = senders
  if (!sender) throw webhookProblems.subscription_not_found({ id: subscriptionId })
  const subscription = requireScopesOfTopic(context, sender)
  const { tenant, now } = context
  const { payloadVersion, locale, includeFields, scopes } = subscription
  const settings = {
    payloadVersion: liveApiVersion(payloadVersion ?? tenant.defaultApiVersion, now).version.name,
    locale: locale ?? tenant.locales[0],
    includeFields,
    // The caller receives no more than it may read itself, even if the receiver gets more.
    scopes: Access.from(scopes).within(context.access).scopes,
  }
  const { rows, history } = await eventsOf(eventRows, read)
  const [event = null] = rows
  const body = event && sentBody(payloadOf(event, history, settings, tenant.locales))
  return { sender: subscription, settings, event, body }
}

/** The body of a payload. @throws 409 `webhook.withheld` or `event.too_large` if it would not be sent */
function sentBody<Body>(payload: Payload<Body>): Body {
  if (payload.fault === null) return payload.body
  throw payload.fault === 'withheld' ? webhookProblems.withheld() : eventProblems.too_large()
}

/**
 * Binds an idempotency key to the caller's scopes, because the stored response shows what one caller may
 * read. A caller with other scopes does not get that response.
 */
function boundToScopes(context: Context): Context {
  const { idempotency } = context
  if (idempotency === null) return context
  const scopes = context.access.scopes.join(' ')
  return { ...context, idempotency: { ...idempotency, fingerprint: `${idempotency.fingerprint} ${scopes}` } }
}

function attemptContextOf({ callbacks }: Context): AttemptContext {
  return { callbacks, now: () => new Date() }
}

function attemptInput(
  trace: Trace,
  { sender, settings }: RenderedEvent,
  { id: eventId, version: resourceVersion, ...event }: SentEvent,
): AttemptInput {
  const { payloadVersion } = settings
  const origin = { eventId, resourceVersion, subscriptionId: sender.id, traceparent: traceparentOf(trace) }
  return { ...sender, ...event, ...origin, payloadVersion, number: 1 }
}

type SentEvent = Pick<EventRow, 'id' | 'sequence' | 'topic' | 'version' | 'effectiveAt'>

/** The response from its stored text. Postgres would change the order of an object's members. */
export function textAnswer({ result, replayed }: { result: string; replayed: boolean }): Answer {
  return { kind: 'item', document: parseStored(jsonObject, result), version: null, replayed }
}

/** The IRI of an action on a subscription, and the subscription's IRI. */
export function actionIdentity({ id }: Pick<Sender, 'id'>, type: string, action: string) {
  const subscription = webhookSubscriptionIri(id)
  return { '@id': `${subscription}/${action}`, '@type': type, subscription }
}

/**
 * Returns the headers and the body that a subscription would receive for a resource's last event. It sends
 * nothing.
 */
export async function previewWebhook(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof webhookPreview }>,
): Promise<Answer> {
  const resource = bodies[0]?.resource ?? ''
  const result = await write<string>(boundToScopes(context), 'previewWebhook', async (read) => ({
    unchanged: JSON.stringify(await preview(context, read, id, resource)),
  }))
  return textAnswer(result)
}

async function preview(
  context: Context,
  read: Session['read'],
  subscriptionId: string,
  resource: string,
): Promise<Json> {
  const target = resourceIn(resource)
  if (!target) throw unknownReference(resource)
  const { kind, id } = target
  context.requireScopes(scopesOfResource(resource))
  const sequence = sql`select max(sequence) from events
    where tenant_id = current_tenant() and kind = ${kind} and resource_id = ${id}::uuid`
  const rendered = await lastEvent(context, read, subscriptionId, sequence)
  const { sender, event, body } = rendered
  if (!event || iriOfResource(kind, id, event.ownerId) !== resource) throw unknownReference(resource)
  if (body === null) throw eventProblems.expired()
  const headers = await sampleHeaders(context, attemptInput(traceOf(event), rendered, event), body)
  const { callbackUrl } = sender
  return {
    ...actionIdentity(sender, webhookPreview.type, 'preview'),
    resource,
    callbackUrl,
    headers,
    body,
  }
}

/** The headers of a sample. Empty if the secrets cannot be decrypted. */
async function sampleHeaders(context: Context, delivery: AttemptInput, body: string) {
  const headers = await headersOf(attemptContextOf(context), context.tenant.id, delivery, body)
  if (headers === null)
    log('secret_unreadable', context.logFields(), { subscription: delivery.subscriptionId, delivery: null })
  return headers ?? {}
}

function unknownReference(iri: string): Error {
  return problemOfViolation(validationProblems.unknown_reference.at('resource', { iri }))
}

/**
 * Sends a sample now and returns the outcome: the topic's last event, or a made-up one if there is no event,
 * under a new id. The outcome changes neither the subscription nor a delivery, so paused and disabled
 * subscriptions can be tested too.
 */
export async function testWebhook(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const topicNames = textArray(topics.map(({ name }) => name))
  const sequence = sql`
    select max(each.last) from webhook_subscriptions s cross join unnest(${topicNames}) as asked(topic) cross join lateral (
      select max(e.sequence) as last from events e where e.tenant_id = s.tenant_id and e.topic = asked.topic
    ) each where s.tenant_id = current_tenant() and s.id = ${id}::uuid and ${wantsTopic(sql`asked.topic`)}`
  const result = await write<string>(boundToScopes(context), 'testWebhook', async (read) => {
    const rendered = await lastEvent(context, read, id, sequence)
    return { perform: async () => JSON.stringify(await sendSample(context, rendered)) }
  })
  return textAnswer(result)
}

async function sendSample(context: Context, rendered: RenderedEvent): Promise<Json> {
  const { sender, event } = rendered
  const { body, topic } =
    event && rendered.body !== null ? { body: rendered.body, topic: event.topic } : madeUpEvent(rendered)
  const isBoundary = topics.some((candidate) => candidate.name === topic && candidate.isBoundary)
  const delivery = attemptInput(context.trace, rendered, {
    id: `test-${uuidv7()}`,
    sequence: event?.sequence ?? 0,
    version: event?.version ?? 1,
    effectiveAt: event?.effectiveAt ?? (isBoundary ? instantOf(context.now) : null),
    topic,
  })
  const headers = await sampleHeaders(context, delivery, body)
  const outcome = await attempt(attemptContextOf(context), context.tenant.id, delivery, body)
  const { httpStatus, milliseconds, error, addressMs, bodyMs, response } = outcome
  const latency = Math.round(milliseconds)
  return {
    ...actionIdentity(sender, webhookTest.type, 'test'),
    status: error === null ? 'DELIVERED' : 'FAILED',
    httpStatus,
    latency,
    error,
    durations: { address: addressMs, headers: httpStatus === null ? null : latency, body: bodyMs },
    // The document is stored for the caller's idempotency key.
    ...(context.access.may('webhook_responses:read') && { response }),
    callbackUrl: sender.callbackUrl,
    headers,
    body,
  }
}

/** A document of the subscription's first topic, with the default of each property. */
function madeUpEvent({ sender, settings }: RenderedEvent): { body: string; topic: string } {
  const [first] = topicsMatching(sender.topic).flatMap((topic) => {
    const kind = kindOf(topic)
    return kind ? [{ topic, kind }] : []
  })
  if (!first) throw new Error(`no resource has the topic ${sender.topic}`)
  const { topic, kind } = first
  const { shape } = kind
  const id = uuidv7()
  const values = Object.entries(shape.properties).flatMap(([name, { defaultValue, writeOnly }]) =>
    writeOnly ? [] : [[name, defaultValue] as const],
  )
  const document: JsonObject = {
    '@id': iriOfResource(kind.name, id, null),
    '@type': shape.type,
    id,
    ...Object.fromEntries(values),
  }
  return { topic, body: sentBody(payloadText(document, shape, settings)) }
}
