import type { Callbacks } from '../../../core/operation.ts'
import { attemptFault, hostWithoutAddress, ResolverUnavailable } from '../subscriptions/callback-url.ts'
import { type SecretColumns, signingSecrets } from '../subscriptions/secrets.ts'
import type { ClaimedDelivery } from './claim.ts'
import { noResponse, type Outcome } from './record.ts'
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
export type AttemptInput = SignedDelivery &
  SecretColumns &
  Pick<ClaimedDelivery, 'callbackUrl' | 'recordResponses'>

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
/** Maximum milliseconds and bytes for reading a response body. A connection can be reused only after its end. */
const bodyTimeoutMs = 250
const responseBytesRead = 4096
/** Maximum number of a response body's bytes that a subscription records. */
export const recordedBytes = 1024
const recordedTypes = /^(?:text\/[^;]+|application\/(?:json|xml)|[^;]+\+(?:json|xml))\s*(?:;|$)/i

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
  const since = (start: Date) => Math.max(0, attemptContext.now().getTime() - start.getTime())
  // The latency measures the receiver only. Without a request it is 0, whatever time the DNS lookup took.
  let started: Date | null = null
  let addressMs: number | null = null
  const outcomeOf = (
    error: Failure | Deferral | null,
    httpStatus: number | null = null,
    retryAfter: number | null = null,
  ) => ({
    ...noResponse,
    milliseconds: started === null ? 0 : since(started),
    addressMs,
    httpStatus,
    error,
    retryAfter,
  })
  if (body === null) return outcomeOf('event_expired')
  const begun = attemptContext.now()
  const refusal = await refusalOf(attemptContext, delivery.callbackUrl)
  addressMs = since(begun)
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
    const answered = attemptContext.now()
    const start = await startOfBody(response)
    return {
      ...outcome,
      bodyMs: start.isWhole ? since(answered) : null,
      response: delivery.recordResponses ? recordedText(response, start) : null,
    }
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

/** The first bytes of a body, and whether it has no others. */
type BodyStart = { readonly chunks: Uint8Array[]; isWhole: boolean }

/** Reads a short body to its end, and cancels one that is long or slow. */
async function startOfBody({ body }: Response): Promise<BodyStart> {
  const start: BodyStart = { chunks: [], isWhole: body === null }
  if (!body) return start
  const reader = body.getReader()
  const { promise: deadline, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, bodyTimeoutMs)
  // The status has already arrived, so an error of the body does not matter.
  await Promise.race([readStart(reader, start).catch(() => {}), deadline])
  clearTimeout(timer)
  // A cancelled stream ends as well.
  const result = { ...start }
  reader.cancel().catch(() => {})
  return result
}

/** Reads a stream until it ends or has returned as many bytes as are read. */
async function readStart(reader: ReadableStreamDefaultReader<Uint8Array>, start: BodyStart): Promise<void> {
  for (let length = 0; length < responseBytesRead; ) {
    const { done, value } = await reader.read()
    if (done) {
      start.isWhole = true
      return
    }
    start.chunks.push(value)
    length += value.length
  }
}

/** The text that a subscription records of a response. Null if the receiver does not declare text. Postgres stores no NUL. */
function recordedText({ headers }: Response, { chunks, isWhole }: BodyStart): string | null {
  if (!recordedTypes.test(headers.get('content-type') ?? '')) return null
  const bytes = new Uint8Array(
    chunks.flatMap((chunk) => [...chunk.subarray(0, recordedBytes)]).slice(0, recordedBytes),
  )
  const isCut = !isWhole || chunks.reduce((sum, { length }) => sum + length, 0) > recordedBytes
  // With `stream`, the decoder omits a character of which only the first bytes are stored.
  return new TextDecoder().decode(bytes, { stream: isCut }).replaceAll('\0', '')
}
