/** One attempt: is the address good, sign, POST, what came of it. Nothing thrown leaves. */
import type { Callbacks } from '../../../core/operation.ts'
import {
  callbackFault,
  hostWithoutAddress,
  ResolverUnavailable,
  signingSecrets,
} from '../subscriptions/index.ts'
import type { Claimed } from './claim.ts'
import type { Failure } from './failure.ts'
import type { Deferral } from './put-back.ts'
import type { Outcome } from './record.ts'
import { retryAfterIn } from './schedule.ts'
import { signedHeaders, webhookId } from './sign.ts'

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
