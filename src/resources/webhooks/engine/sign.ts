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
