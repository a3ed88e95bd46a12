import { KnownError } from '../core/cause.ts'
import type { PublishedKey } from './signing-key.ts'
import { isObject, jsonObject } from './token-json.ts'

const longestBody = 64 * 1024

/** Milliseconds for the whole answer, its body included. */
const patience = 3000

/** What an issuer's keys could not be fetched for: `timeout`, `connection`, `http_404`, `too_large` or `no_key_set`. */
export class IssuerUnreachable extends KnownError {
  constructor(reason: string) {
    super('IssuerUnreachable', reason)
  }
}

/**
 * The keys served at `uri` (RFC 7517 §5), or why there are none: it does not answer 200 with a key set of at most 64 kB in time.
 * Redirects are not followed: whoever could plant one would choose our keys.
 */
export async function fetchJwks(
  uri: string,
  fetch: typeof globalThis.fetch,
): Promise<readonly PublishedKey[] | IssuerUnreachable> {
  const abort = new AbortController()
  const late = Promise.withResolvers<IssuerUnreachable>()
  const timer = setTimeout(() => {
    abort.abort()
    late.resolve(new IssuerUnreachable('timeout'))
  }, patience)
  try {
    return await Promise.race([readKeys(uri, fetch, abort.signal), late.promise])
  } catch {
    return new IssuerUnreachable('connection')
  } finally {
    clearTimeout(timer)
    // Lets go of a connection whose answer was refused half-read.
    abort.abort()
  }
}

async function readKeys(
  uri: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<readonly PublishedKey[] | IssuerUnreachable> {
  const headers = { accept: 'application/jwk-set+json, application/json' }
  const response = await fetch(uri, { headers, redirect: 'manual', signal })
  if (response.status !== 200 || response.redirected || !response.body)
    return new IssuerUnreachable(`http_${response.status}`)
  const bytes = await bounded(response.body)
  if (bytes === null) return new IssuerUnreachable('too_large')
  const set = jsonObject(bytes)
  if (!set || !Array.isArray(set.keys)) return new IssuerUnreachable('no_key_set')
  return set.keys.filter(isPublishedKey)
}

function isPublishedKey(key: unknown): key is PublishedKey {
  return isObject(key) && typeof key.kty === 'string'
}

/** The whole body, or null as soon as it proves longer than allowed, whatever length it announced. */
async function bounded(body: ReadableStream<Uint8Array>): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(longestBody)
  let length = 0
  for await (const chunk of body) {
    if (length + chunk.length > longestBody) return null
    bytes.set(chunk, length)
    length += chunk.length
  }
  return bytes.subarray(0, length)
}
