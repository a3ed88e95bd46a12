/**
 * Tokens whose signature was verified in this isolate, since that is half of what a small answer costs: a client sends the same token
 * with each request until it expires. Only time could make one that was good no longer so, or another key, or other settings; what
 * is kept is good for none of these. Who is revoked is asked at each request.
 */
import { Lru } from '../core/lru.ts'
import type { UnverifiedToken } from './jwt.ts'

type Verified = {
  /** What it says, taken apart. */
  readonly parts: UnverifiedToken
  readonly key: CryptoKey
  /** The settings that it was verified against. */
  readonly against: string
  /** From when on and until when nothing else could be found: milliseconds since 1970, the second not included. */
  readonly from: number
  readonly until: number
}

/** Of at most 8 kB each. */
const verified = new Lru<Verified>(200)

/** What a token says that was verified once, whatever may have become of its key meanwhile; undefined where none was. */
export function takenApart(token: string): UnverifiedToken | undefined {
  return verified.get(token)?.parts
}

/** Whether verifying a token anew could only give what it gave before. */
export function isVerified(token: string, key: CryptoKey, against: string, now: Date): boolean {
  const known = verified.get(token)
  const at = now.getTime()
  return known?.key === key && known.against === against && known.from <= at && at < known.until
}

/** Keeps what was verified. */
export function rememberVerified(token: string, found: Verified): void {
  verified.set(token, found)
}
