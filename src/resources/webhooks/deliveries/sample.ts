import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { Access } from '../../../core/access.ts'
import { RawJson } from '../../../core/document.ts'
import { instantOf } from '../../../core/instant.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { log } from '../../../core/log.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { type Trace, traceOf, traceparentOf } from '../../../core/trace.ts'
import { write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { textArray } from '../../../db/write-steps.ts'
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
import { embeddedOnItem } from '../../products/document.ts'
import { attempt, headersOf, type Sendable, type Sending } from '../dispatch/attempt.ts'
import { wantsTopic } from '../dispatch/fan-out.ts'
import { type DeliverySettings, type Payload, payloadOf, payloadText } from '../dispatch/payload.ts'
import { webhookProblems } from '../problems.ts'
import { type Sender, senderStatement } from '../subscriptions/read.ts'
import { webhookSubscriptionIri } from '../subscriptions/schema.ts'
import { type Aimed, requireScopesOfTopic } from '../subscriptions/scopes.ts'
import { webhookPreview, webhookTest } from './schema.ts'

/** What a subscription would be sent now of a past event: as a delivery has it, but for none being kept. */

type Told = {
  readonly sender: Aimed<Sender>
  readonly frozen: DeliverySettings
  /** Null when there is no such event. */
  readonly event: EventRow | null
  /** Null when there is none, or when it is too old to have a document. */
  readonly body: string | null
}

/**
 * Reads the event of a sequence (a subquery) for a subscription.
 * @throws 404 `webhook.subscription_not_found`; 403 without the scopes of its topic; 409 `webhook.incomplete`, or
 * `webhook.withheld` or `event.too_large` for an event that it would not be sent
 */
async function lastEvent(
  context: Context,
  read: Session['read'],
  subscriptionId: string,
  sequence: SQL,
): Promise<Told> {
  const events = { sequences: sequence, most: 1, embeddedVariants: embeddedOnItem, now: context.now }
  const { senders, found } = await read({
    senders: senderStatement(subscriptionId),
    found: eventsQueryFor(events),
  })
  const [sender] = senders
  if (!sender) throw webhookProblems.subscription_not_found({ id: subscriptionId })
  const aimed = requireScopesOfTopic(context, sender)
  const { tenant, now } = context
  const { payloadVersion, locale, includeFields, scopes } = aimed
  const frozen = {
    payloadVersion: liveApiVersion(payloadVersion ?? tenant.defaultApiVersion, now).version.name,
    locale: locale ?? tenant.locales[0],
    includeFields,
    // Whoever asks is shown no more than it could read itself, even where the receiver is told more.
    scopes: Access.from(scopes).within(context.sight).grants,
  }
  const { rows, history } = await eventsOf(found, events, read)
  const [event = null] = rows
  const body = event && sentBody(payloadOf(event, history, frozen, tenant.locales))
  return { sender: aimed, frozen, event, body }
}

/** The body of a payload. @throws 409 `webhook.withheld` or `event.too_large` where it would not be sent */
function sentBody<Body>(payload: Payload<Body>): Body {
  if (payload.fault === null) return payload.body
  throw payload.fault === 'withheld' ? webhookProblems.withheld() : eventProblems.too_large()
}

/** For what is kept as it was shown to one caller: with a key of its own, one who may read otherwise is not shown it again. */
function boundToScopes(context: Context): Context {
  const { idempotency } = context
  if (idempotency === null) return context
  const scopes = context.sight.grants.join(' ')
  return { ...context, idempotency: { ...idempotency, fingerprint: `${idempotency.fingerprint} ${scopes}` } }
}

/** The world of a request, as far as an attempt needs it. */
function sendingOf({ callbacks }: Context): Sending {
  return { callbacks, now: () => new Date() }
}

/** A first attempt to tell an event, in a trace. */
function sendable(
  trace: Trace,
  { sender, frozen }: Told,
  event: Pick<Sendable, 'eventId' | 'sequence' | 'topic' | 'resourceVersion' | 'effectiveAt'>,
): Sendable {
  const { id: subscriptionId, callbackUrl, secret, previousSecret, previousSecretUntil } = sender
  const { payloadVersion } = frozen
  const secrets = { secret, previousSecret, previousSecretUntil }
  const traceparent = traceparentOf(trace)
  return { ...event, ...secrets, subscriptionId, callbackUrl, payloadVersion, number: 1, traceparent }
}

/** The answer of what is kept as its document's text: Postgres would bring an object's members into an order of its own. */
export function textAnswer({ result, replayed }: { result: string; replayed: boolean }): Answer {
  return { kind: 'item', document: new RawJson(result, {}), version: null, replayed }
}

/** The address of something that is done to a subscription, and the subscription's own. */
export function identityOf({ id }: Pick<Sender, 'id'>, type: string, action: string) {
  const subscription = webhookSubscriptionIri(id)
  return { '@id': `${subscription}/${action}`, '@type': type, subscription }
}

/** Shows the headers and the body in which a subscription would be told a resource's last event now; nothing is sent. */
export async function previewWebhook(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof webhookPreview }>,
): Promise<Answer> {
  const resource = bodies[0]?.resource ?? ''
  const written = await write<string>(boundToScopes(context), 'previewWebhook', async (read) => ({
    unchanged: JSON.stringify(await preview(context, read, id, resource)),
  }))
  return textAnswer(written)
}

async function preview(
  context: Context,
  read: Session['read'],
  subscriptionId: string,
  resource: string,
): Promise<Json> {
  const found = resourceIn(resource)
  if (!found) throw unknownReference(resource)
  const { kind, id } = found
  context.demand(scopesOfResource(resource))
  const sequence = sql`select max(sequence) from events
    where tenant_id = current_tenant() and kind = ${kind} and resource_id = ${id}::uuid`
  const told = await lastEvent(context, read, subscriptionId, sequence)
  const { sender, event, body } = told
  if (!event || iriOfResource(kind, id, event.ownerId) !== resource) throw unknownReference(resource)
  if (body === null) throw eventProblems.expired()
  const { id: eventId, sequence: place, topic, version: resourceVersion, effectiveAt } = event
  const delivery = sendable(traceOf(event), told, {
    eventId,
    sequence: place,
    topic,
    resourceVersion,
    effectiveAt,
  })
  const headers = await headersOf(sendingOf(context), context.tenant.id, delivery, body)
  if (headers === null) log('secret_unreadable', context.about(), { subscription: sender.id, delivery: null })
  const { callbackUrl } = sender
  return {
    ...identityOf(sender, webhookPreview.type, 'preview'),
    resource,
    callbackUrl,
    headers: headers ?? {},
    body,
  }
}

function unknownReference(iri: string): Error {
  const violations = [validationProblems.unknown_reference.at('resource', { iri })]
  return validationProblems.unknown_reference({ iri }, { violations })
}

/**
 * Sends a sample now and tells what came of it: the topic's last event, or a made-up one where there is none, under an id of
 * its own. Nothing follows from it, so paused and disabled subscriptions can be tried too.
 */
export async function testWebhook(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const every = textArray(topics.map(({ name }) => name))
  const sequence = sql`
    select max(each.last) from webhook_subscriptions s cross join unnest(${every}) as asked(topic) cross join lateral (
      select max(e.sequence) as last from events e where e.tenant_id = s.tenant_id and e.topic = asked.topic
    ) each where s.tenant_id = current_tenant() and s.id = ${id}::uuid and ${wantsTopic(sql`asked.topic`)}`
  const written = await write<string>(boundToScopes(context), 'testWebhook', async (read) => {
    const told = await lastEvent(context, read, id, sequence)
    return { perform: async () => JSON.stringify(await sendSample(context, told)) }
  })
  return textAnswer(written)
}

async function sendSample(context: Context, told: Told): Promise<Json> {
  const { sender, event } = told
  const { body, topic } = event && told.body !== null ? { body: told.body, topic: event.topic } : madeUp(told)
  const isBoundary = topics.some((each) => each.name === topic && each.isBoundary)
  const delivery = sendable(context.trace, told, {
    eventId: `test-${uuidv7()}`,
    sequence: event?.sequence ?? 0,
    resourceVersion: event?.version ?? 1,
    effectiveAt: event?.effectiveAt ?? (isBoundary ? instantOf(context.now) : null),
    topic,
  })
  const sending = sendingOf(context)
  const headers = await headersOf(sending, context.tenant.id, delivery, body)
  if (headers === null) log('secret_unreadable', context.about(), { subscription: sender.id, delivery: null })
  const { httpStatus, milliseconds, error } = await attempt(sending, context.tenant.id, delivery, body)
  return {
    ...identityOf(sender, webhookTest.type, 'test'),
    status: error === null ? 'DELIVERED' : 'FAILED',
    httpStatus,
    latency: Math.round(milliseconds),
    error,
    callbackUrl: sender.callbackUrl,
    headers: headers ?? {},
    body,
  }
}

/** A document of the first topic that is asked for, with the standard of each property. */
function madeUp({ sender, frozen }: Told): { body: string; topic: string } {
  const [known] = topicsMatching(sender.topic).flatMap((topic) => {
    const kind = kindOf(topic)
    return kind ? [{ topic, of: kind.shape }] : []
  })
  if (!known) throw new Error(`no resource has the topic ${sender.topic}`)
  const { topic, of } = known
  const id = uuidv7()
  const values = Object.entries(of.properties).flatMap(([name, { standard, writeOnly }]) =>
    writeOnly ? [] : [[name, standard] as const],
  )
  const document: JsonObject = {
    '@id': `${of.collection}/${id}`,
    '@type': of.type,
    id,
    ...Object.fromEntries(values),
  }
  return { topic, body: sentBody(payloadText(document, of, frozen)) }
}
