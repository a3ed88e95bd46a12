import type { Check } from '../check.ts'
import { demandProblem, demandStatus, told } from '../demand.ts'
import { Failed, NotTried } from '../outcome.ts'
import type { Wire } from '../wire.ts'

/** Requests so few that exceeding them costs nobody anything. */
const few = 100
const atOnce = 50

/** Where clients are not limited, and what to do. */
const next =
  '"npm start" does not limit clients unless it is started with RATE_LIMITS=on; elsewhere see the variable RATE_LIMITS and the rate limit bindings in wrangler.toml'

/** Reads until the service says that it is enough. It comes last, since the client is refused for a while after it. */
export const pastLimit: Check = {
  name: '429 past the limit',
  scopes: [],
  async run({ wire, pastLimit: isAsked }) {
    const { requests, seconds } = await limitOf(wire)
    if (!isAsked && requests > few)
      throw new NotTried(`${requests} reads in ${seconds} s are allowed: --past-limit exceeds them`)
    // Counters of the platform are exact only in the long run, and a window may end in between.
    for (let sent = 0; sent < 3 * requests + few; sent += atOnce) {
      const answers = await Promise.all(
        Array.from({ length: atOnce }, () => wire.once('GET', '/api/versions')),
      )
      const refused = answers.find(({ status }) => status !== 200)
      if (!refused) continue
      demandProblem(refused, 429, 'rate_limit.exceeded')
      const { 'retry-after': wait, ratelimit } = refused.headers
      if (!(Number(wait) > 0) || !String(ratelimit).includes('"reads";r=0'))
        throw new Failed(`${told(refused)} without Retry-After and RateLimit`)
      const good = answers.filter(({ status }) => status === 200).length
      return `429 after ${sent + good} reads, Retry-After ${wait}, RateLimit ${ratelimit}`
    }
    throw new Failed(
      `${3 * requests + few} reads, of which ${requests} in ${seconds} s are allowed, and no 429: ${next}`,
    )
  },
}

/** What `RateLimit-Policy` allows. @throws Failed where it does not say */
async function limitOf(wire: Wire): Promise<{ requests: number; seconds: number }> {
  const answer = demandStatus(await wire.ask('GET', '/api/versions'), 200)
  const found = /"reads";q=(\d+);w=(\d+)/.exec(String(answer.headers['ratelimit-policy']))
  if (!found) throw new Failed(`${told(answer)} without RateLimit-Policy for reads`)
  return { requests: Number(found[1]), seconds: Number(found[2]) }
}
