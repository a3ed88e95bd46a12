/** What a subscription would be sent now of a past event: as a delivery has it, but for none being kept. */
import type { SQL } from 'drizzle-orm'
import { Fragment } from '../../../core/document.ts'
import type { Answer, Context } from '../../../core/operation.ts'
import { Sight } from '../../../core/sight.ts'
import { type Trace, traceparentOf } from '../../../core/trace.ts'
import type { Session } from '../../../db/client.ts'
import { standingDialect } from '../../../versions/index.ts'
import { type EventRow, eventsOf, eventsReading } from '../../events/index.ts'
import { eventProblems } from '../../events/problems.ts'
import { embeddedOnItem } from '../../products/index.ts'
import type { Sendable, Sending } from '../engine/index.ts'
import { type Frozen, type Payload, payloadOf } from '../engine/index.ts'
import { type Aimed, demandAimed, type Sender, senderStatement } from '../subscriptions/index.ts'
import { webhookSubscriptionIri } from '../subscriptions/iri.ts'
import { webhookProblems } from '../subscriptions/problems.ts'

export type Told = {
  readonly sender: Aimed<Sender>
  readonly frozen: Frozen
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
export async function lastEvent(
  context: Context,
  read: Session['read'],
  subscriptionId: string,
  sequence: SQL,
): Promise<Told> {
  const events = { sequences: sequence, most: 1, embeddedVariants: embeddedOnItem, now: context.now }
  const { senders, found } = await read({
    senders: senderStatement(subscriptionId),
    found: eventsReading(events),
  })
  const [sender] = senders
  if (!sender) throw webhookProblems.subscription_not_found({ id: subscriptionId })
  const aimed = demandAimed(context, sender)
  const { tenant, now } = context
  const { payloadVersion, locale, includeFields, scopes } = aimed
  const frozen = {
    payloadVersion: standingDialect(payloadVersion ?? tenant.defaultApiVersion, now).version.name,
    locale: locale ?? tenant.locales[0],
    includeFields,
    // Whoever asks is shown no more than it could read itself, even where the receiver is told more.
    scopes: Sight.from(scopes).within(context.sight).grants,
  }
  const { rows, history } = await eventsOf(found, events, read)
  const [event = null] = rows
  const body = event && sentBody(payloadOf(event, history, frozen, tenant.locales))
  return { sender: aimed, frozen, event, body }
}

/** The body of a payload. @throws 409 `webhook.withheld` or `event.too_large` where it would not be sent */
export function sentBody<Body>(payload: Payload<Body>): Body {
  if (payload.fault === null) return payload.body
  throw payload.fault === 'withheld' ? webhookProblems.withheld() : eventProblems.too_large()
}

/** For what is kept as it was shown to one caller: with a key of its own, one who may read otherwise is not shown it again. */
export function boundToScopes(context: Context): Context {
  const { idempotency } = context
  if (idempotency === null) return context
  const scopes = context.sight.grants.join(' ')
  return { ...context, idempotency: { ...idempotency, fingerprint: `${idempotency.fingerprint} ${scopes}` } }
}

/** The world of a request, as far as an attempt needs it. */
export function sendingOf({ callbacks }: Context): Sending {
  return { callbacks, now: () => new Date() }
}

/** A first attempt to tell an event, in a trace. */
export function sendable(
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
  return { kind: 'item', document: new Fragment(result, {}), version: null, replayed }
}

/** The address of something that is done to a subscription, and the subscription's own. */
export function identityOf({ id }: Pick<Sender, 'id'>, type: string, action: string) {
  const subscription = webhookSubscriptionIri(id)
  return { '@id': `${subscription}/${action}`, '@type': type, subscription }
}
