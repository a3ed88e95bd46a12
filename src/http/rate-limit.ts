/** How much one client may ask in a while; reads and writes are counted apart, and refusals by address. */
import { log } from '../core/log.ts'
import type { Problem } from '../core/problem.ts'
import { rateLimitProblems } from '../core/problems/index.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { aboutCall } from './about.ts'
import { type Call, established } from './call.ts'

/** Requests in a window of so many seconds, as wrangler.toml tells the platform's counters. */
export const rateLimits = {
  reads: { requests: 500, seconds: 10 },
  writes: { requests: 200, seconds: 10 },
} as const

/** Refusals of one address in a window. Nothing else counts for it: an office has one address, and good requests of its own. */
export const refusalLimit = { requests: 100, seconds: 10 } as const

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
export function countRequest(method: string, call: Call, bindings: Bindings): Promise<void> {
  return count(/^(?:GET|HEAD|OPTIONS)$/.test(method) ? 'reads' : 'writes', 1, call, bindings)
}

/** Counts what a bulk of so many rows costs beyond the request that brought it. @throws 429 `rate_limit.exceeded` */
export function countRows(rows: number, call: Call, bindings: Bindings): Promise<void> {
  return count('writes', Math.ceil(rows / rowsOfARequest) - 1, call, bindings)
}

async function count(
  policy: keyof typeof rateLimits,
  times: number,
  call: Call,
  bindings: Bindings,
): Promise<void> {
  const { RATE_LIMITS, READ_LIMIT, WRITE_LIMIT } = settingsOf(bindings)
  const counter = policy === 'reads' ? READ_LIMIT : WRITE_LIMIT
  if (!counter || RATE_LIMITS === 'off') return
  const key = `${established(call.tenant).id} ${established(call.actor).client}`
  // One call for each, because the counter of a developer's machine takes no amount.
  for (let done = 0; done < times; done += 1) {
    if (!(await allows(counter, key, call))) throw exceeded(policy, rateLimits[policy].seconds)
  }
}

/** Counts a refusal of an address: whether it is still within its limit. */
export async function countRefusal(address: string, call: Call, bindings: Bindings): Promise<boolean> {
  const { RATE_LIMITS, REFUSED_LIMIT } = settingsOf(bindings)
  if (!REFUSED_LIMIT || RATE_LIMITS === 'off') return true
  return allows(REFUSED_LIMIT, address, call)
}

/** What an address is told that was refused too often; the answer names the policy beside those of every answer. */
export function refusedTooOften({ headers }: Call): Problem {
  const { requests, seconds } = refusalLimit
  headers.set('RateLimit-Policy', `${rateLimitPolicy}, "refusals";q=${requests};w=${seconds}`)
  return exceeded('refusals', seconds)
}

/** A counter that is away holds nobody up: it protects the service, and the service is well. */
async function allows(counter: RateLimit, key: string, call: Call): Promise<boolean> {
  try {
    return (await counter.limit({ key })).success
  } catch (error) {
    log('rate_limit_unavailable', aboutCall(call), {}, error)
    return true
  }
}

/** The counter tells only yes or no, so the time to come back is a whole window: never too early. */
function exceeded(policy: string, seconds: number): Problem {
  const headers = { RateLimit: `"${policy}";r=0;t=${seconds}`, 'Retry-After': String(seconds) }
  return rateLimitProblems.exceeded({ seconds }, { headers })
}
