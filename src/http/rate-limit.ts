import type { Context } from 'hono'
import ipaddr from 'ipaddr.js'
import { log } from '../core/log.ts'
import type { Problem } from '../core/problem.ts'
import { rateLimitProblems } from '../core/problems/http.ts'
import { settingsOf } from '../env.ts'
import { type AppEnv, logFieldsOf } from './request.ts'
import { isReading } from './storefront.ts'

/** Rate limits: reads and writes of a client, and rejected requests of an address. */

/** Requests in a window of seconds, as wrangler.toml configures the platform's counters. */
export const rateLimits = {
  reads: { requests: 500, seconds: 10 },
  writes: { requests: 200, seconds: 10 },
} as const

/** Rejected requests of one address in a window. Accepted requests do not count, because an office shares one address. */
export const rejectionLimit = { requests: 100, seconds: 10 } as const

/** Rows of a bulk that count as one request. */
const rowsOfARequest = 10

/**
 * The `RateLimit-Policy` header of every answer (draft-ietf-httpapi-ratelimit-headers). It names both policies
 * for every request, since its value should stay the same over a sequence of responses.
 */
export const rateLimitPolicy = Object.entries(rateLimits)
  .map(([name, { requests, seconds }]) => `"${name}";q=${requests};w=${seconds}`)
  .join(', ')

/** Counts a request with a valid token. @throws 429 `rate_limit.exceeded` */
export function countRequest(method: string, c: Context<AppEnv>): Promise<void> {
  return count(isReading(method) ? 'reads' : 'writes', 1, c)
}

/** Counts the rows of an array in addition to its request. @throws 429 `rate_limit.exceeded` */
export function countRows(rows: number, c: Context<AppEnv>): Promise<void> {
  return count('writes', Math.ceil(rows / rowsOfARequest) - 1, c)
}

/** Counts a read within a response, and waits while the client has none left. */
export async function waitForRead(c: Context<AppEnv>): Promise<void> {
  while (!(await isWithinLimit('reads', c))) await new Promise((resolve) => setTimeout(resolve, 1000))
}

async function count(policy: keyof typeof rateLimits, times: number, c: Context<AppEnv>): Promise<void> {
  // One call for each, because the counter of a developer's machine takes no amount.
  for (let done = 0; done < times; done += 1) {
    if (!(await isWithinLimit(policy, c))) throw exceeded(policy, rateLimits[policy].seconds)
  }
}

async function isWithinLimit(policy: keyof typeof rateLimits, c: Context<AppEnv>): Promise<boolean> {
  const { RATE_LIMITS, READ_LIMIT, WRITE_LIMIT } = settingsOf(c.env)
  const counter = policy === 'reads' ? READ_LIMIT : WRITE_LIMIT
  if (!counter || RATE_LIMITS === 'off') return true
  const { client, isPublic } = c.get('actor')
  // All visitors of a shop send the same key.
  const visitor = isPublic ? ` ${addressOf(c.req.raw.headers)}` : ''
  return allows(counter, `${c.get('tenant').id} ${client}${visitor}`, c)
}

/** A counter that fails rejects no request: it protects the service, and the service works. */
async function allows(counter: RateLimit, key: string, c: Context<AppEnv>): Promise<boolean> {
  try {
    return (await counter.limit({ key })).success
  } catch (error) {
    log('rate_limit_unavailable', logFieldsOf(c.var), {}, error)
    return true
  }
}

/** The counter returns only yes or no, so `Retry-After` is a whole window: never too early. */
function exceeded(policy: string, seconds: number): Problem {
  const headers = { RateLimit: `"${policy}";r=0;t=${seconds}`, 'Retry-After': String(seconds) }
  return rateLimitProblems.exceeded({ seconds }, { headers })
}

/**
 * The address that a request came from, as Cloudflare reports it; null on a developer's machine. Of an IPv6 address
 * only the network counts (2^64 addresses), because one client may have all of it.
 */
function addressOf(headers: Headers): string | null {
  const text = headers.get('cf-connecting-ip')
  if (text === null || !ipaddr.isValid(text)) return text
  // An IPv4 address that is mapped into IPv6 is one of IPv4.
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** The problem of a rejected request, or 429 if too many requests of its address were rejected. */
export async function countRejection(
  problem: Problem,
  headers: Headers,
  c: Context<AppEnv>,
): Promise<Problem> {
  const { RATE_LIMITS, REFUSED_LIMIT } = settingsOf(c.env)
  const address = addressOf(headers)
  if (!REFUSED_LIMIT || RATE_LIMITS === 'off' || address === null) return problem
  if (await allows(REFUSED_LIMIT, address, c)) return problem
  const { requests, seconds } = rejectionLimit
  c.get('responseHeaders').set(
    'RateLimit-Policy',
    `${rateLimitPolicy}, "refusals";q=${requests};w=${seconds}`,
  )
  return exceeded('refusals', seconds)
}
