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

/** Milliseconds for an answer, and the bytes of it that are read so that the connection can serve again. */
const patience = 15_000
const mostBytes = 4096

/** Sends a delivery once; an outcome that is a deferral was none of the receiver's making. `body` is null where its event is too old to have one. */
export async function attempt(
  sending: Sending,
  tenantId: string,
  delivery: Sendable,
  body: string | null,
): Promise<Outcome<Failure | Deferral>> {
  const started = sending.now()
  const ended = (
    error: Failure | Deferral | null,
    httpStatus: number | null = null,
    retryAfter: number | null = null,
  ) => ({
    milliseconds: Math.max(0, sending.now().getTime() - started.getTime()),
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
    const response = await sending.callbacks.fetch(delivery.callbackUrl, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    })
    await drain(response)
    const { status } = response
    const retryAfter = retryAfterIn(response.headers.get('retry-after'), sending.now())
    if (status >= 200 && status < 300) return ended(null, status)
    return ended(status >= 300 && status < 400 ? 'redirect' : 'http_status', status, retryAfter)
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

/** Reads the little that a good receiver answers, and hangs up on the rest. */
async function drain(response: Response): Promise<void> {
  const reader = response.body?.getReader()
  try {
    for (let read = 0; reader && read < mostBytes; ) {
      const { done, value } = await reader.read()
      if (done) return
      read += value.length
    }
  } catch {
    // The status has come already.
  }
  await reader?.cancel().catch(() => {})
}
