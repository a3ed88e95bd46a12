/** Attempts deliveries, and goes on with what is due at the same host for as long as it may. */
import { uuidv7 } from 'uuidv7'
import {
  type Asked,
  attempt,
  type Claimed,
  claimedOf,
  claimStatements,
  type Outcome,
  recordStatements,
  wake,
} from '../resources/webhook-deliveries/index.ts'
import type { Outside } from './outside.ts'
import { wakeWorkers } from './send.ts'

type Work = { readonly delivery: Claimed; readonly body: string | null }

/** Milliseconds after which a worker takes nothing new. */
const budget = 20_000
/** Milliseconds up to which the next attempt is called for by a delayed message; later ones are the cron's to find. */
const longestDelay = 10 * 60_000

/** Attempts those of the deliveries that may be attempted now, side by side, and whatever is due at their hosts after them. */
export async function deliver(outside: Outside, tenantId: string, ids: readonly string[]): Promise<void> {
  const until = outside.now().getTime() + budget
  outside.crash('D0 delivery received')
  const now = outside.now()
  const rows = await outside.database.open(tenantId).write(...claimStatements({ ids }, uuidv7(), now))
  const works = claimedOf(rows)
  if (works.length > 0) outside.crash('D1 delivery claimed')
  const done = await Promise.allSettled(works.map((work) => chain(outside, tenantId, work, until)))
  for (const each of done) if (each.status === 'rejected') throw each.reason
}

/** One delivery after the other at a host: to record one and to claim the next is the same trip. */
async function chain(outside: Outside, tenantId: string, first: Work, until: number): Promise<void> {
  let work: Work | null = first
  while (work) {
    const outcome = await attempt(outside, tenantId, work.delivery, work.body)
    outside.crash('D2 receiver answered')
    work = await record(outside, tenantId, work.delivery, outcome, until)
  }
}

/** Records an outcome; answers what is to be attempted next, or has another worker go on when this one's time is up. */
async function record(
  outside: Outside,
  tenantId: string,
  delivery: Claimed,
  outcome: Outcome,
  until: number,
): Promise<Work | null> {
  const now = outside.now()
  const session = outside.database.open(tenantId)
  const { statements, nextIn } = recordStatements(delivery, outcome, now, outside.random())
  const goesOn = now.getTime() < until
  const asked: Asked = { host: delivery.callbackHost, most: 1 }
  const following = goesOn ? claimStatements(asked, uuidv7(), now) : [wake(now, 1, asked.host)]
  const rows = (await session.write(...statements, ...following)).slice(statements.length)
  outside.crash('D3 outcome recorded')
  if (nextIn !== null && nextIn <= longestDelay) {
    await wakeWorkers(outside, tenantId, [delivery.id], Math.ceil(nextIn / 1000))
  }
  if (goesOn) return claimedOf(rows as never)[0] ?? null
  const [woken] = rows as { id: string }[][]
  await wakeWorkers(
    outside,
    tenantId,
    woken!.map((each) => each.id),
  )
  return null
}
