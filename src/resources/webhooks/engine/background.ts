/** Attempts that continue after their queue messages were acknowledged. Each isolate has a bounded number of them. */
import { budgets } from '../../../core/budgets.ts'
import { bytesOf } from '../../../core/document.ts'
import type { Claim } from './claim.ts'

/** Limits of one isolate: the number of attempts, and the bytes of their bodies, which are those of one batch. */
const maximumAttempts = 50
const maximumBytes = 3 * budgets.event
/** Milliseconds after which an attempt is no longer counted. The platform may have cancelled it, and then it never ends. */
const maximumAge = 45_000

/** A claim, of which the body takes memory. */
type Attempt = Pick<Claim, 'body'>

/** The claims that continue in the background, each with the time from which it no longer counts. */
const claimsInBackground = new Map<Attempt, number>()

/** Counts claims as background work. Returns false, and counts none of them, if they exceed the limits of the isolate. */
export function continueInBackground(claims: Iterable<Attempt>, now: Date): boolean {
  const moment = now.getTime()
  for (const [claim, end] of claimsInBackground) if (end <= moment) claimsInBackground.delete(claim)
  const added = [...claims]
  const all = [...claimsInBackground.keys(), ...added]
  const bytes = all.reduce((sum, { body }) => sum + bytesOf(body ?? ''), 0)
  if (all.length > maximumAttempts || bytes > maximumBytes) return false
  for (const claim of added) claimsInBackground.set(claim, moment + maximumAge)
  return true
}

/** Removes a claim from the background work of this isolate. */
export function endInBackground(claim: Attempt): void {
  claimsInBackground.delete(claim)
}
