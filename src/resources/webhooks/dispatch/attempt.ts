import type { Callbacks } from '../../../core/operation.ts'
import { callbackFault, hostWithoutAddress, ResolverUnavailable } from '../subscriptions/callback-url.ts'
import { signingSecrets } from '../subscriptions/secrets.ts'
import type { Claimed } from './claim.ts'
import type { Deferral, Outcome } from './record.ts'
import { type Failure, retryAfterIn } from './schedule.ts'

/** The headers of a delivery: Standard Webhooks, and what a receiver routes by without reading the body. */

export type Signed = {
  /** `webhookId(…)`: the same on every attempt and replay. */
  readonly id: string
  readonly body: string
  readonly topic: string
  readonly apiVersion: string
  readonly sequence: number
  readonly resourceVersion: number
  /** The moment that the event tells of, where it is of no change. */
  readonly effectiveAt: string | null
  /** From 1. */
  readonly attempt: number
  /** W3C Trace Context: the trace of the write, with a span of this attempt's own. */
  readonly traceparent: string
}

/** The one id under which an event ever reaches a subscription. */
export function webhookId(eventId: string, subscriptionId: string): string {
  return `${eventId}_${subscriptionId}`
}

/**
 * Signs at a moment with every live secret (`whsec_…`), newest first, so that a receiver that knows either of two accepts it
 * while a secret is being replaced.
 */
export async function signedHeaders(
  signed: Signed,
  secrets: readonly string[],
  now: Date,
): Promise<Record<string, string>> {
  const timestamp = Math.floor(now.getTime() / 1000)
  const content = new Uint8Array(new TextEncoder().encode(`${signed.id}.${timestamp}.${signed.body}`))
  const signatures = await Promise.all(secrets.map((secret) => signatureOf(content, secret)))
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Product-Catalogue-Webhooks/1.0',
    'webhook-id': signed.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
    'Service-Topic': signed.topic,
    'Service-Api-Version': signed.apiVersion,
    'Service-Sequence': String(signed.sequence),
    'Service-Resource-Version': String(signed.resourceVersion),
    ...(signed.effectiveAt === null ? {} : { 'Service-Effective-At': signed.effectiveAt }),
    'Service-Delivery-Attempt': String(signed.attempt),
    traceparent: signed.traceparent,
  }
}

async function signatureOf(content: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
  return `v1,${btoa(String.fromCharCode(...digest))}`
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** One attempt: is the address good, sign, POST, what came of it. Nothing thrown leaves. */

/** What an attempt runs on: a Worker's runtime, or a request. */
export type Sending = { readonly callbacks: Callbacks; readonly now: () => Date }

/** What an attempt needs of a delivery and its event, and the `traceparent` that it carries. */
export type Sendable = { readonly traceparent: string; readonly effectiveAt: string | null } & Omit<
  Claimed,
  | 'id'
  | 'lease'
  | 'attempt'
  | 'deferrals'
  | 'callbackHost'
  | 'locale'
  | 'includeFields'
  | 'scopes'
  | 'allowed'
>

/** Milliseconds until a receiver must have sent the status and headers of its response. */
const patience = 15_000
/** A body is not used. Reading a short one to its end lets the connection serve again, so it gets these milliseconds and bytes. */
const bodyPatience = 250
const mostBytes = 4096

/** Sends a delivery once; an outcome that is a deferral was none of the receiver's making. `body` is null where its event is too old to have one. */
export async function attempt(
  sending: Sending,
  tenantId: string,
  delivery: Sendable,
  body: string | null,
): Promise<Outcome<Failure | Deferral>> {
  // The latency is the receiver's. Without a request it is 0, however long the look-up of the host took.
  let started: Date | null = null
  const ended = (
    error: Failure | Deferral | null,
    httpStatus: number | null = null,
    retryAfter: number | null = null,
  ) => ({
    milliseconds: started === null ? 0 : Math.max(0, sending.now().getTime() - started.getTime()),
    httpStatus,
    error,
    retryAfter,
  })
  if (body === null) return ended('event_expired')
  const refusal = await refusalOf(sending, delivery.callbackUrl)
  if (refusal !== null) return ended(refusal)
  try {
    const headers = await headersOf(sending, tenantId, delivery, body)
    if (headers === null) return ended('secret_unreadable')
    started = sending.now()
    const response = await sending.callbacks.fetch(delivery.callbackUrl, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    })
    const { status } = response
    const retryAfter = retryAfterIn(response.headers.get('retry-after'), sending.now())
    const isDelivered = status >= 200 && status < 300
    const outcome = isDelivered
      ? ended(null, status)
      : ended(status >= 300 && status < 400 ? 'redirect' : 'http_status', status, retryAfter)
    await drain(response)
    return outcome
  } catch (error) {
    const isOver = error instanceof Error && /^(?:Timeout|Abort)Error$/.test(error.name)
    return ended(isOver ? 'timeout' : 'connection')
  }
}

/** Names change, so the address is looked at each time. */
async function refusalOf({ callbacks }: Sending, url: string): Promise<Failure | Deferral | null> {
  try {
    const fault = await callbackFault(url, callbacks)
    if (fault === hostWithoutAddress) return 'unknown_host'
    return fault === null ? null : 'blocked_address'
  } catch (error) {
    if (error instanceof ResolverUnavailable) return 'resolver_unavailable'
    throw error
  }
}

/** The headers of an attempt, signed at this moment; null when the secrets cannot be read. */
export async function headersOf(
  { callbacks, now }: Sending,
  tenantId: string,
  delivery: Sendable,
  body: string,
): Promise<Record<string, string> | null> {
  const { subscriptionId, eventId, topic, sequence, resourceVersion, effectiveAt } = delivery
  const { payloadVersion, number, traceparent } = delivery
  const owner = { tenantId, id: subscriptionId }
  const moment = now()
  // Encrypted with another key than this Worker's: an operator's mistake, which a later attempt may find mended.
  const secrets = await signingSecrets(delivery, callbacks.secretKeys, owner, moment).catch(() => null)
  if (secrets === null) return null
  const id = webhookId(eventId, subscriptionId)
  const about = { topic, apiVersion: payloadVersion, sequence, resourceVersion, effectiveAt }
  const signed = { id, body, ...about, attempt: number, traceparent }
  return signedHeaders(signed, secrets, moment)
}

/** Reads a short body to its end, and cancels one that is long or slow. */
async function drain({ body }: Response): Promise<void> {
  if (!body) return
  const reader = body.getReader()
  const { promise: deadline, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, bodyPatience)
  // The status has come already, so an error of the body does not matter.
  await Promise.race([readBytes(reader, mostBytes).catch(() => {}), deadline])
  clearTimeout(timer)
  reader.cancel().catch(() => {})
}

/** Reads a stream until it ends or has given so many bytes. */
async function readBytes(reader: ReadableStreamDefaultReader<Uint8Array>, most: number): Promise<void> {
  for (let length = 0; length < most; ) {
    const { done, value } = await reader.read()
    if (done) return
    length += value.length
  }
}
