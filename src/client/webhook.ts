import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { Webhooks } from './types/index.ts'

/** The document that a webhook sends. */
export type PayloadOf<Hook> = Hook extends {
  post: { requestBody: { content: { 'application/json': infer Payload } } }
}
  ? Payload
  : never

/** The body of a delivery in a version: a union with one member for each topic, discriminated by `topic`. */
export type Delivery<V extends keyof Webhooks> = {
  [Topic in keyof Webhooks[V]]: {
    /** The same on every attempt, to recognize duplicates. */
    readonly id: string
    readonly topic: Topic
    /** Its place in the changes of the tenant. */
    readonly sequence: number
    /** The version of the resource after the change. */
    readonly resourceVersion: number
    readonly attempt: number
    readonly payload: PayloadOf<Webhooks[V][Topic]>
  }
}[keyof Webhooks[V]]

/**
 * Reads a delivery whose signature one of the subscription's secrets made within five minutes of now. `body` is the text as
 * it came, before anything parses it. @throws WebhookVerificationError for any other
 */
export function verifyWebhook<V extends keyof Webhooks>(
  body: string,
  headers: Headers,
  secrets: string | readonly string[],
): Delivery<V> {
  const payload = verified(body, Object.fromEntries(headers), [secrets].flat())
  return {
    id: headers.get('webhook-id'),
    topic: headers.get('service-topic'),
    sequence: Number(headers.get('service-sequence')),
    resourceVersion: Number(headers.get('service-resource-version')),
    attempt: Number(headers.get('service-delivery-attempt')),
    payload,
    // The signature proves that the service wrote the body, so the documented type is correct.
  } as Delivery<V>
}

function verified(body: string, headers: Record<string, string>, secrets: readonly string[]): unknown {
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(body, headers)
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
    }
  }
  throw new WebhookVerificationError('No secret of the subscription made the signature')
}
