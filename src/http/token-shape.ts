import { base64url } from 'jose'
import { TokenRefused } from './token-check.ts'
import { jsonObject } from './token-json.ts'

/** A token taken apart and not yet believed: nothing here says that its signature holds. */
export type UnverifiedToken = {
  readonly header: TokenHeader
  readonly claims: Readonly<Record<string, unknown>>
}

export type TokenHeader = {
  readonly alg: string
  readonly kid: string
  /** Whatever stands there, undefined when nothing does. */
  readonly typ: unknown
}

/** Header members that let a token bring its own key, be compressed or change how it is read (RFC 8725 §3). */
const forbiddenMembers = ['jku', 'jwk', 'x5u', 'x5c', 'zip', 'b64', 'crit']

const longestKeyId = 128

/** Takes a compact JWS apart. @throws TokenRefused when its spelling or header is not what an issuer of ours would write */
export function unverifiedToken(token: string): UnverifiedToken {
  const parts = token.split('.').map(canonicalBytes)
  const [headerBytes, claimBytes, signature] = parts
  if (parts.length !== 3 || !headerBytes || !claimBytes || !signature) throw new TokenRefused('form')
  const header = tokenHeader(jsonObject(headerBytes))
  if (header === null) throw new TokenRefused('header')
  const claims = jsonObject(claimBytes)
  if (claims === null) throw new TokenRefused('payload')
  return { header, claims }
}

function tokenHeader(members: Readonly<Record<string, unknown>> | null): TokenHeader | null {
  if (members === null || forbiddenMembers.some((name) => Object.hasOwn(members, name))) return null
  const { alg, kid, typ } = members
  if (typeof alg !== 'string' || typeof kid !== 'string') return null
  if (kid === '' || kid.length > longestKeyId) return null
  return { alg, kid, typ }
}

/**
 * Decodes base64url, or null when the same bytes have another spelling (RFC 4648 §3.5): two spellings of one token
 * would be two tokens to whoever compares them as text.
 */
function canonicalBytes(part: string): Uint8Array | null {
  try {
    const bytes = base64url.decode(part)
    return base64url.encode(bytes) === part ? bytes : null
  } catch {
    return null
  }
}
