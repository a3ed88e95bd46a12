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

/** A request that is no delivery of the subscription. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/**
 * Reads a delivery whose signature one of the subscription's secrets made within five minutes of now, as Standard Webhooks specifies.
 * `body` is the received text, before anything parses it. @throws WebhookVerificationError for any other request
 */
export async function verifyWebhook<V extends keyof Webhooks>(
  body: string,
  headers: Headers,
  secrets: string | readonly string[],
): Promise<Delivery<V>> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headers.get(name),
  )
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A header is missing')
  const isRecent = Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) <= toleranceInSeconds
  if (!isRecent) throw new WebhookVerificationError('The timestamp is not within five minutes of now')
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  if (!(await isSigned(signed, signatures, [secrets].flat())))
    throw new WebhookVerificationError('No secret of the subscription made the signature')
  return {
    id,
    topic: headers.get('service-topic'),
    sequence: Number(headers.get('service-sequence')),
    resourceVersion: Number(headers.get('service-resource-version')),
    attempt: Number(headers.get('service-delivery-attempt')),
    payload: JSON.parse(body),
    // The signature proves that the service wrote the body, so the documented type is correct.
  } as Delivery<V>
}

const toleranceInSeconds = 300

/** Whether one of the signatures, which spaces separate, is by one of the secrets. The comparison takes constant time. */
async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, secrets: readonly string[]) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  for (const secret of secrets) {
    const bytes = bytesOf(secret.replace(/^whsec_/, ''))
    // An empty secret would sign as well.
    if (!bytes?.length) throw new TypeError('A secret is not the text that the service returned')
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
    for (const [version, text = ''] of signatures.split(' ').map((signature) => signature.split(','))) {
      const signature = version === 'v1' ? bytesOf(text) : null
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true
    }
  }
  return false
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
