/**
 * Tokens whose signature was verified in this isolate, since that is half of what a small answer costs: a client sends the same token
 * with each request until it expires. Only time could make one that was good no longer so, or another key, or other settings; what
 * is kept is good for none of these. Who is revoked is asked at each request.
 */
import { keepNewest } from './newest.ts'

type Verified = {
  readonly key: CryptoKey
  /** The settings that it was verified against. */
  readonly against: string
  /** Milliseconds since 1970, the second not included. */
  readonly from: number
  readonly until: number
}

const verified = new Map<string, Verified>()
/** Of 8 kB each at most. */
const mostVerified = 200

/** Whether verifying a token anew could only give what it gave before. */
export function wasVerified(token: string, key: CryptoKey, against: string, now: Date): boolean {
  const known = verified.get(token)
  const at = now.getTime()
  return known?.key === key && known.against === against && known.from <= at && at < known.until
}

/** Keeps that a token was verified, until it expires or is too old; both in seconds since 1970. */
export function keepVerified(
  token: string,
  key: CryptoKey,
  against: string,
  now: Date,
  ends: { readonly expires: number; readonly tooOld: number },
): void {
  const until = Math.min(ends.expires, ends.tooOld) * 1000
  keepNewest(verified, token, { key, against, from: now.getTime(), until }, mostVerified)
}
