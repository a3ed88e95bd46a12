/** Attempts deliveries, and goes on with what is due at the same host for as long as it may. */
import { uuidv7 } from 'uuidv7'
import { StorageUnavailable } from '../db/client.ts'
import {
  type Asked,
  attempt,
  type Claim,
  type Claimed,
  claimedOf,
  claimStatements,
  type Outcome,
  recordStatements,
  wake,
} from '../resources/webhook-deliveries/index.ts'
import type { Outside } from './outside.ts'
import { wakeWorkers } from './send.ts'

/** What one worker takes: an invocation has fifty outbound calls at least, an attempt needs four of them, and half a minute. */
const attemptsAtMost = 10
const millisecondsAtMost = 20_000
/** Milliseconds up to which the next attempt is called for by a delayed message; later ones are the cron's to find. */
const longestDelay = 10 * 60_000

type Budget = { attempts: number; readonly until: number }

/** Attempts those of the deliveries that may be attempted now, side by side, and what is due at their hosts after them. */
export async function deliver(outside: Outside, tenantId: string, ids: readonly string[]): Promise<void> {
  outside.crash('D0 delivery received')
  const now = outside.now()
  const rows = await outside.database.open(tenantId).write(...claimStatements({ ids }, uuidv7(), now))
  const claims = claimedOf(rows)
  if (claims.length > 0) outside.crash('D1 delivery claimed')
  // Without a queue nobody else would go on.
  const spare = outside.deliveries ? Math.max(0, attemptsAtMost - claims.length) : Number.POSITIVE_INFINITY
  const budget = { attempts: spare, until: now.getTime() + millisecondsAtMost }
  const done = await Promise.allSettled(claims.map((claim) => chain(outside, tenantId, claim, budget)))
  for (const each of done) if (each.status === 'rejected') throw each.reason
}

/** One delivery after the other at a host: to record one and to claim the next is the same trip. */
async function chain(outside: Outside, tenantId: string, first: Claim, budget: Budget): Promise<void> {
  for (let claim: Claim | null = first; claim; ) {
    const { delivery, body, fault } = claim
    const outcome: Outcome =
      fault === null ? await attempt(outside, tenantId, delivery, body) : { ...unsent, error: fault }
    outside.crash('D2 receiver answered')
    claim = await record(outside, tenantId, delivery, outcome, budget)
  }
}

const unsent = { milliseconds: 0, httpStatus: null, retryAfter: null }

/** Records an outcome; answers what is to be attempted next, or has another worker go on when this one has done its part. */
async function record(
  outside: Outside,
  tenantId: string,
  delivery: Claimed,
  outcome: Outcome,
  budget: Budget,
): Promise<Claim | null> {
  const now = outside.now()
  const session = outside.database.open(tenantId)
  const { statements, nextIn } = recordStatements(delivery, outcome, now, outside.random())
  const goesOn = budget.attempts > 0 && now.getTime() < budget.until
  if (goesOn) budget.attempts -= 1
  const asked: Asked = { host: delivery.callbackHost, most: 1 }
  const following = goesOn
    ? claimStatements(asked, uuidv7(), now)
    : outside.deliveries
      ? [wake(now, attemptsAtMost, asked.host)]
      : []
  const rows = await session.write(...statements, ...following).catch((error) => {
    if (!(error instanceof StorageUnavailable)) throw error
    // An outcome that is not recorded is a delivery that comes twice, so it is told a second time.
    return session.write(...statements).then(() => null)
  })
  outside.crash('D3 outcome recorded')
  if (nextIn !== null && nextIn <= longestDelay) {
    await wakeWorkers(outside, tenantId, [delivery.id], Math.ceil(nextIn / 1000))
  }
  const found = rows?.slice(statements.length) ?? []
  if (goesOn && rows) return claimedOf(found as never)[0] ?? null
  const [woken = []] = found as { id: string }[][]
  await wakeWorkers(
    outside,
    tenantId,
    woken.map((each) => each.id),
  )
  return null
}
