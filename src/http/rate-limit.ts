import { log } from '../core/log.ts'
import { setInLru } from '../core/lru.ts'
import type { Problem } from '../core/problem.ts'
import { rateLimitProblems } from '../core/problems/http.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { type AppEnv, logFieldsOf, type RequestVariables } from './request.ts'

/** How much one client may ask in a while; reads and writes are counted apart, and refusals by address. */

/** Requests in a window of so many seconds, as wrangler.toml tells the platform's counters. */
export const rateLimits = {
  reads: { requests: 500, seconds: 10 },
  writes: { requests: 200, seconds: 10 },
} as const

/** Refusals of one address in a window. Nothing else counts for it: an office has one address, and good requests of its own. */
export const rejectionLimit = { requests: 100, seconds: 10 } as const

/** Rows of a bulk that count as one request. */
const rowsOfARequest = 10

/**
 * The `RateLimit-Policy` header of every answer (draft-ietf-httpapi-ratelimit-headers). It names both policies
 * whatever was asked, since its value is meant to stay the same over a sequence of answers.
 */
export const rateLimitPolicy = Object.entries(rateLimits)
  .map(([name, { requests, seconds }]) => `"${name}";q=${requests};w=${seconds}`)
  .join(', ')

/** Counts a request whose token is good. @throws 429 `rate_limit.exceeded` */
export function countRequest(
  method: string,
  variables: AppEnv['Variables'],
  bindings: Bindings,
): Promise<void> {
  return count(/^(?:GET|HEAD|OPTIONS)$/.test(method) ? 'reads' : 'writes', 1, variables, bindings)
}

/** Counts what a bulk of so many rows costs beyond the request that brought it. @throws 429 `rate_limit.exceeded` */
export function countRows(rows: number, variables: AppEnv['Variables'], bindings: Bindings): Promise<void> {
  return count('writes', Math.ceil(rows / rowsOfARequest) - 1, variables, bindings)
}

async function count(
  policy: keyof typeof rateLimits,
  times: number,
  variables: AppEnv['Variables'],
  bindings: Bindings,
): Promise<void> {
  const { RATE_LIMITS, READ_LIMIT, WRITE_LIMIT } = settingsOf(bindings)
  const counter = policy === 'reads' ? READ_LIMIT : WRITE_LIMIT
  if (!counter || RATE_LIMITS === 'off') return
  const key = `${variables.tenant.id} ${variables.actor.client}`
  // One call for each, because the counter of a developer's machine takes no amount.
  for (let done = 0; done < times; done += 1) {
    if (!(await allows(counter, key, variables))) throw exceeded(policy, rateLimits[policy].seconds)
  }
}

/** Counts a refusal of an address: whether it is still within its limit. */
async function countRejection(
  address: string,
  variables: RequestVariables,
  bindings: Bindings,
): Promise<boolean> {
  const { RATE_LIMITS, REFUSED_LIMIT } = settingsOf(bindings)
  if (!REFUSED_LIMIT || RATE_LIMITS === 'off') return true
  return allows(REFUSED_LIMIT, address, variables)
}

/** What an address is told that was refused too often; the answer names the policy beside those of every answer. */
export function isRejectedTooOften({ responseHeaders }: RequestVariables): Problem {
  const { requests, seconds } = rejectionLimit
  responseHeaders.set('RateLimit-Policy', `${rateLimitPolicy}, "refusals";q=${requests};w=${seconds}`)
  return exceeded('refusals', seconds)
}

/** A counter that is away holds nobody up: it protects the service, and the service is well. */
async function allows(counter: RateLimit, key: string, variables: RequestVariables): Promise<boolean> {
  try {
    return (await counter.limit({ key })).success
  } catch (error) {
    log('rate_limit_unavailable', logFieldsOf(variables), {}, error)
    return true
  }
}

/** The counter tells only yes or no, so the time to come back is a whole window: never too early. */
function exceeded(policy: string, seconds: number): Problem {
  const headers = { RateLimit: `"${policy}";r=0;t=${seconds}`, 'Retry-After': String(seconds) }
  return rateLimitProblems.exceeded({ seconds }, { headers })
}

/**
 * Which addresses were refused too often. The platform's counter knows only by counting, so an isolate remembers for a window
 * what it said: until then an address is told 429 wherever it would be refused again, and nothing is asked for it. What is good
 * is never refused for its address, which it may share with others: a good token passes, and a host that has been a tenant's
 * is looked up.
 */

/** Addresses remembered; they come from outside, so memory must not grow with them. */
const mostAddresses = 1000
/**
 * Look-ups in a window, of all addresses that were refused too often together, of hosts that this isolate has not met: for
 * somebody with a token who shares such an address.
 */
const lookUps = 10
const window = rejectionLimit.seconds * 1000

export type RejectionCounters = {
  /** Whether an address has been refused too often in this window. */
  isBeyond(address: string | null, now: Date): boolean
  /** Takes one of the look-ups that are left in this window; false when there is none. */
  mayLookUp(now: Date): boolean
  remember(address: string, now: Date): void
}

/** Remembers nobody yet. */
export function newRejectionCounters(): RejectionCounters {
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
      setInLru(until, address, now.getTime() + window, mostAddresses)
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
  variables: RequestVariables,
  refusals: RejectionCounters,
  bindings: Bindings,
): Promise<Problem> {
  const address = addressOf(headers)
  if (address === null) return problem
  if (refusals.isBeyond(address, variables.now)) return isRejectedTooOften(variables)
  if (await countRejection(address, variables, bindings)) return problem
  refusals.remember(address, variables.now)
  return isRejectedTooOften(variables)
}
