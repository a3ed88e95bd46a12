import type { Callbacks } from '../../../core/operation.ts'
import { attemptFault, hostWithoutAddress, ResolverUnavailable } from '../subscriptions/callback-url.ts'
import { type SecretColumns, signingSecrets } from '../subscriptions/secrets.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { Outcome } from './record.ts'
import { type Deferral, type Failure, retryAfterIn } from './schedule.ts'

/** The dependencies of an attempt, from a Worker's runtime or from a request. */
export type AttemptContext = { readonly callbacks: Callbacks; readonly now: () => Date }

/** The fields of a delivery that its headers contain. `number` is that of the attempt, from 1. */
type SignedDelivery = Pick<
  ClaimedDelivery,
  'eventId' | 'subscriptionId' | 'topic' | 'payloadVersion' | 'sequence' | 'resourceVersion' | 'number'
> & {
  /** The time of an offer boundary. Null if the event is a change. */
  readonly effectiveAt: string | null
  /** W3C Trace Context: the trace of the write, with a new span for this attempt. */
  readonly traceparent: string
}

/** The fields of a delivery and its event that an attempt uses. */
export type AttemptInput = SignedDelivery & SecretColumns & Pick<ClaimedDelivery, 'callbackUrl'>

/** The webhook-id of an event for a subscription, the same on every attempt and replay. */
export function webhookId(eventId: string, subscriptionId: string): string {
  return `${eventId}_${subscriptionId}`
}

/**
 * The headers of a delivery: Standard Webhooks, and headers that a receiver routes by without reading the
 * body. Every live secret (`whsec_…`) signs, newest first. During a rotation, a receiver that knows either
 * secret accepts the delivery.
 */
export async function signedHeaders(
  delivery: SignedDelivery,
  body: string,
  secrets: readonly string[],
  now: Date,
): Promise<Record<string, string>> {
  const { effectiveAt, traceparent } = delivery
  const id = webhookId(delivery.eventId, delivery.subscriptionId)
  const timestamp = Math.floor(now.getTime() / 1000)
  const content = new Uint8Array(new TextEncoder().encode(`${id}.${timestamp}.${body}`))
  const signatures = await Promise.all(secrets.map((secret) => signatureOf(content, secret)))
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Product-Catalogue-Webhooks/1.0',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
    'Service-Topic': delivery.topic,
    'Service-Api-Version': delivery.payloadVersion,
    'Service-Sequence': String(delivery.sequence),
    'Service-Resource-Version': String(delivery.resourceVersion),
    ...(effectiveAt === null ? {} : { 'Service-Effective-At': effectiveAt }),
    'Service-Delivery-Attempt': String(delivery.number),
    traceparent,
  }
}

async function signatureOf(content: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    'raw',
    decodeBase64(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
  return `v1,${btoa(String.fromCharCode(...digest))}`
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Milliseconds until a receiver must have sent the status and headers of its response. */
const responseTimeoutMs = 15_000
/**
 * Maximum milliseconds and bytes for reading a response body. The body is not used, but a connection can be
 * reused only after its end.
 */
const bodyTimeoutMs = 250
const responseBytesRead = 4096

/**
 * Sends a delivery once: checks the URL, signs, posts, and returns the outcome. A deferral is not the
 * receiver's fault. `body` is null if the event is too old to have one.
 */
export async function attempt(
  attemptContext: AttemptContext,
  tenantId: string,
  delivery: AttemptInput,
  body: string | null,
): Promise<Outcome<Failure | Deferral>> {
  // The latency measures the receiver only. Without a request it is 0, whatever time the DNS lookup took.
  let started: Date | null = null
  const outcomeOf = (
    error: Failure | Deferral | null,
    httpStatus: number | null = null,
    retryAfter: number | null = null,
  ) => ({
    milliseconds: started === null ? 0 : Math.max(0, attemptContext.now().getTime() - started.getTime()),
    httpStatus,
    error,
    retryAfter,
  })
  if (body === null) return outcomeOf('event_expired')
  const refusal = await refusalOf(attemptContext, delivery.callbackUrl)
  if (refusal !== null) return outcomeOf(refusal)
  try {
    const headers = await headersOf(attemptContext, tenantId, delivery, body)
    if (headers === null) return outcomeOf('secret_unreadable')
    started = attemptContext.now()
    const response = await attemptContext.callbacks.fetch(delivery.callbackUrl, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    })
    const { status } = response
    const retryAfter = retryAfterIn(response.headers.get('retry-after'), attemptContext.now())
    const isDelivered = status >= 200 && status < 300
    const outcome = isDelivered
      ? outcomeOf(null, status)
      : outcomeOf(status >= 300 && status < 400 ? 'redirect' : 'http_status', status, retryAfter)
    await drain(response)
    return outcome
  } catch (error) {
    const isTimeout = error instanceof Error && /^(?:Timeout|Abort)Error$/.test(error.name)
    return outcomeOf(isTimeout ? 'timeout' : 'connection')
  }
}

/** Checks the URL before each attempt, because DNS records change. `fetch` resolves the name itself. */
async function refusalOf(
  { callbacks, now }: AttemptContext,
  url: string,
): Promise<Failure | Deferral | null> {
  try {
    const fault = await attemptFault(url, callbacks, now())
    if (fault === hostWithoutAddress) return 'unknown_host'
    return fault === null ? null : 'blocked_address'
  } catch (error) {
    if (error instanceof ResolverUnavailable) return 'resolver_unavailable'
    throw error
  }
}

/** The headers of an attempt, signed at the current time. Null if the secrets cannot be decrypted. */
export async function headersOf(
  { callbacks, now }: AttemptContext,
  tenantId: string,
  delivery: AttemptInput,
  body: string,
): Promise<Record<string, string> | null> {
  const owner = { tenantId, id: delivery.subscriptionId }
  const moment = now()
  // A secret encrypted with a key that this Worker lacks is an operator's mistake. A later attempt may find
  // it fixed.
  const secrets = await signingSecrets(delivery, callbacks.secretKeys, owner, moment).catch(() => null)
  return secrets && signedHeaders(delivery, body, secrets, moment)
}

/** Reads a short body to its end, and cancels one that is long or slow. */
async function drain({ body }: Response): Promise<void> {
  if (!body) return
  const reader = body.getReader()
  const { promise: deadline, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, bodyTimeoutMs)
  // The status has already arrived, so an error of the body does not matter.
  await Promise.race([readBytes(reader, responseBytesRead).catch(() => {}), deadline])
  clearTimeout(timer)
  reader.cancel().catch(() => {})
}

/** Reads a stream until it ends or has returned `maximum` bytes. */
async function readBytes(reader: ReadableStreamDefaultReader<Uint8Array>, maximum: number): Promise<void> {
  for (let length = 0; length < maximum; ) {
    const { done, value } = await reader.read()
    if (done) return
    length += value.length
  }
}
