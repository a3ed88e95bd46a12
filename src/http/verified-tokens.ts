/**
 * Tokens whose signature this isolate has verified. A client sends the same token until it expires, and verifying it takes half of
 * the CPU time of a small response. A result is used only for the same key and settings until the token expires. Revocation is
 * checked on each request.
 */
import { Lru } from '../core/lru.ts'
import type { UnverifiedToken } from './jwt.ts'

type Verified = {
  /** The parsed token. */
  readonly parts: UnverifiedToken
  readonly key: CryptoKey
  /** The settings that it was verified against. */
  readonly against: string
  /** The result is valid from `from` until before `until`, in ms since the epoch. */
  readonly from: number
  readonly until: number
}

/** Of at most 8 kB each. */
const verified = new Lru<Verified>(200)

/** The parsed token if its signature was verified before, possibly with another key; else undefined. */
export function takenApart(token: string): UnverifiedToken | undefined {
  return verified.get(token)?.parts
}

/** Whether verifying a token again would have the same result. */
export function isVerified(token: string, key: CryptoKey, against: string, now: Date): boolean {
  const result = verified.get(token)
  const at = now.getTime()
  return result?.key === key && result.against === against && result.from <= at && at < result.until
}

/** Stores a verified token. */
export function rememberVerified(token: string, found: Verified): void {
  verified.set(token, found)
}
