/**
 * Which addresses were refused too often. The platform's counter knows only by counting, so an isolate remembers for a window
 * what it said: until then an address is told 429 wherever it would be refused again, and nothing is asked for it. What is good
 * is never refused for its address, which it may share with others: a good token passes, and a host that has been a tenant's
 * is looked up.
 */
import type { Problem } from '../core/problem.ts'
import type { Bindings } from '../env.ts'
import type { Call } from './call.ts'
import { keepNewest } from './newest.ts'
import { countRefusal, refusalLimit, refusedTooOften } from './rate-limit.ts'

/** Addresses remembered; they come from outside, so memory must not grow with them. */
const mostAddresses = 1000
/**
 * Look-ups in a window, of all addresses that were refused too often together, of hosts that this isolate has not met: for
 * somebody with a token who shares such an address.
 */
const lookUps = 10
const window = refusalLimit.seconds * 1000

export type Refusals = {
  /** Whether an address has been refused too often in this window. */
  isBeyond(address: string | null, now: Date): boolean
  /** Takes one of the look-ups that are left in this window; false when there is none. */
  mayLookUp(now: Date): boolean
  remember(address: string, now: Date): void
}

/** Remembers nobody yet. */
export function newRefusals(): Refusals {
  const until = new Map<string, number>()
  const taken = { since: Number.NEGATIVE_INFINITY, amount: 0 }
  return {
    isBeyond(address, now) {
      // A clock that steps back must not lock anybody out.
      const left = address === null ? 0 : (until.get(address) ?? 0) - now.getTime()
      return left > 0 && left <= window
    },
    mayLookUp(now) {
      if (Math.abs(now.getTime() - taken.since) >= window)
        Object.assign(taken, { since: now.getTime(), amount: 0 })
      taken.amount += 1
      return taken.amount <= lookUps
    },
    remember(address, now) {
      keepNewest(until, address, now.getTime() + window, mostAddresses)
    },
  }
}

/**
 * The address that a request came from, as Cloudflare says; null on a developer's machine. Whoever has an address of IPv6 has
 * a network of 2^64 of them, so the network stands for all.
 */
export function addressOf(headers: Headers): string | null {
  const address = headers.get('cf-connecting-ip')
  if (address === null || !address.includes(':')) return address
  const [before = '', after] = address.toLowerCase().split('::')
  const groups = before === '' ? [] : before.split(':')
  const behind = after === undefined || after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => '0')
  return [...groups, ...zeros, ...behind].slice(0, 4).join(':')
}

/** What a request is told that is refused: the problem given, or 429 when its address is refused too often. */
export async function refusal(
  problem: Problem,
  headers: Headers,
  call: Call,
  refusals: Refusals,
  bindings: Bindings,
): Promise<Problem> {
  const address = addressOf(headers)
  if (address === null) return problem
  if (refusals.isBeyond(address, call.now)) return refusedTooOften(call)
  if (await countRefusal(address, call, bindings)) return problem
  refusals.remember(address, call.now)
  return refusedTooOften(call)
}
