import { idempotencyProblems } from '../core/problems/index.ts'

/**
 * The `Idempotency-Key` of a write, bare or quoted as an RFC 8941 string; null without the header.
 * @throws 400 `idempotency.malformed_key`
 */
export function idempotencyKeyIn(headers: Headers): string | null {
  const written = headers.get('idempotency-key')
  if (written === null) return null
  const key = /^"([\x21\x23-\x5b\x5d-\x7e]*)"$/.exec(written)?.[1] ?? written
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw idempotencyProblems.malformed_key()
  return key
}

/** The SHA-256 of a write: method, path, query, body, and the locale and version (`speech`) in which the body is meant. */
export async function fingerprintOf(
  { method }: Request,
  url: URL,
  body: Uint8Array,
  speech: string,
): Promise<string> {
  const head = new TextEncoder().encode(`${method} ${url.pathname}${url.search}\n${speech}\n`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
