import { idempotencyProblems } from '../core/problems/index.ts'

/**
 * The `Idempotency-Key` of a write, bare or quoted as an RFC 8941 string, with the SHA-256 of its request: method, path,
 * query, body, and the locale and version (`speech`) in which the body is meant. Null without the header. @throws 400 `idempotency.malformed_key`
 */
export async function idempotencyOf(
  request: Request,
  url: URL,
  body: Uint8Array,
  speech: string,
): Promise<{ key: string; fingerprint: string } | null> {
  const written = request.headers.get('idempotency-key')
  if (written === null) return null
  const key = /^"([\x21\x23-\x5b\x5d-\x7e]*)"$/.exec(written)?.[1] ?? written
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw idempotencyProblems.malformed_key()
  const head = new TextEncoder().encode(`${request.method} ${url.pathname}${url.search}\n${speech}\n`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
  return { key, fingerprint: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') }
}
