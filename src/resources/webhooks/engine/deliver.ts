/** Attempts deliveries, and wakes workers for what is due after them. */
import { uuidv7 } from 'uuidv7'
import { StorageUnavailable } from '../../../db/client.ts'
import {
  attempt,
  type Claim,
  type Claimed,
  claimStatements,
  claimsOf,
  type Deferral,
  deferrals,
  deferStatement,
  type Failure,
  type Outcome,
  recordStatements,
  releaseStatement,
  wake,
} from '../deliveries/index.ts'
import { logged } from './log.ts'
import type { Outside } from './outside.ts'
import { wakeWorkers } from './send.ts'

/** Milliseconds up to which the next attempt is called for by a delayed message; later ones are the cron's to find. */
const longestDelay = 10 * 60_000
const deliveriesAtOnce = 100
/** Milliseconds that those who have answered wait, at most, for those of the same worker who have not. */
const patience = 500
/** Without a queue one worker goes on by itself for so many milliseconds. */
const budget = 20_000

/** Attempts those of the deliveries that may be attempted now, side by side, and has others attempted that come after them. */
export async function deliver(outside: Outside, tenantId: string, ids: readonly string[]): Promise<void> {
  const until = outside.now().getTime() + budget
  for (let due = ids; due.length > 0; ) {
    const after = await deliverNow(outside, tenantId, due)
    if (await wakeWorkers(outside, tenantId, after)) return
    due = outside.now().getTime() < until ? after : []
  }
}

/** Answers what became due and was not handed on yet. */
async function deliverNow(outside: Outside, tenantId: string, ids: readonly string[]): Promise<string[]> {
  outside.crash('D0 delivery received')
  const session = outside.database.open(tenantId)
  const now = outside.now()
  const claimed = await session.write(...claimStatements(ids, uuidv7(), now))
  // Until something is attempted, what fails is ours. Where putting back fails too, the leases end by themselves.
  const release = (deliveries: readonly Claimed[]) =>
    session
      .write(releaseStatement(deliveries, outside.now()))
      .catch((error) => console.error(`${deliveries.length} deliveries not put back: ${logged(error)}`))
  const { claims, surplus } = await claimsOf(claimed, now, session.read).catch(async (error) => {
    await release(claimed[1])
    throw error
  })
  if (claims.length === 0) return []
  outside.crash('D1 delivery claimed')
  if (surplus.length > 0) await release(surplus)
  const freed = new Set(surplus.map((each) => each.callbackHost))
  const after = async () => {
    const hosts = [...freed]
    freed.clear()
    if (hosts.length === 0) return []
    const [due] = await session.write(wake(outside.now(), deliveriesAtOnce, hosts))
    return due.map((each) => each.id)
  }
  const all = Promise.allSettled(
    claims.map(async (claim) => {
      await attemptOne(outside, tenantId, claim)
      freed.add(claim.delivery.callbackHost)
    }),
  )
  // Whoever is slow or dead keeps nobody waiting who is served by the same worker.
  while (!(await isOver(all))) await wakeWorkers(outside, tenantId, await after().catch(() => []))
  for (const each of await all) if (each.status === 'rejected') throw each.reason
  return after()
}

async function isOver(all: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), patience)
  const over = await Promise.race([all.then(() => true), promise])
  clearTimeout(timer)
  return over
}

const unsent = { milliseconds: 0, httpStatus: null, retryAfter: null }

async function attemptOne(outside: Outside, tenantId: string, claim: Claim): Promise<void> {
  const { delivery, body, fault } = claim
  const outcome: Outcome<Failure | Deferral> =
    fault === null ? await attempt(outside, tenantId, delivery, body) : { ...unsent, error: fault }
  outside.crash('D2 receiver answered')
  const session = outside.database.open(tenantId)
  const { statements, nextIn } = following(outside, delivery, outcome)
  await session.write(...statements).catch((error) => {
    if (!(error instanceof StorageUnavailable)) throw error
    // An outcome that is not recorded is a delivery that comes twice, so it is told a second time.
    return session.write(...statements)
  })
  outside.crash('D3 outcome recorded')
  if (nextIn !== null && nextIn <= longestDelay) {
    await wakeWorkers(outside, tenantId, [delivery.id], Math.ceil(nextIn / 1000))
  }
}

/** What is written of an attempt; of one that was not made for a reason of ours, that it was not. */
function following(
  { now, random }: Outside,
  delivery: Claimed,
  { error, ...outcome }: Outcome<Failure | Deferral>,
): ReturnType<typeof recordStatements> {
  if (!isDeferral(error)) return recordStatements(delivery, { ...outcome, error }, now(), random())
  if (delivery.deferrals === 0) console.error(`delivery ${delivery.id} waits: ${error}`)
  const { statement, nextIn } = deferStatement(delivery, error, now())
  return { statements: [statement], nextIn }
}

function isDeferral(error: Failure | Deferral | null): error is Deferral {
  return deferrals.some((each) => each === error)
}
