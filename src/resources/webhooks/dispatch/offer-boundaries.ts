import { scheduledAheadMs } from '../../../core/plan.ts'
import type { Runtime } from '../../../core/work.ts'
import { dueBoundaries, recordStatement, takeUpcoming } from '../../sale-offers/boundaries.ts'
import { fanOut, send } from './fan-out.ts'

/**
 * Offer boundaries are the times at which the terms of an offer begin or cease to apply. Each becomes an
 * event when it is reached. A job of each minute records the due boundaries, missed ones first, and
 * schedules workers for those of the next minute. A write that adds a boundary within that time schedules its
 * worker at once. The database decides which boundaries are due, and records each one once and in order.
 */

/**
 * Maximum number of boundaries of one tenant that a job records before it leaves the rest to another message.
 */
const boundariesAtOnce = 1000
/** Milliseconds after which a worker leaves the rest to another. */
const budgetMs = 40_000
/**
 * Maximum number of consecutive reads without a recorded boundary. Other workers or changes of offers can
 * cause them.
 */
const maximumIdleReads = 5

/**
 * Records the due boundaries of a tenant while it has time. Returns whether more is due.
 */
export async function recordDueBoundaries(
  runtime: Runtime,
  tenantId: string,
  hasTime: () => boolean,
  schedulesNext: boolean,
): Promise<boolean> {
  // Schedules the near boundaries first, so that late ones do not delay them.
  if (schedulesNext) await scheduleNearBoundaries(runtime, tenantId)
  const { isLeft } = await record(runtime, tenantId, hasTime)
  return isLeft
}

/** Schedules workers for a tenant's near boundaries that have no worker yet. */
export async function scheduleNearBoundaries(runtime: Runtime, tenantId: string): Promise<void> {
  const now = runtime.now()
  const until = new Date(now.getTime() + scheduledAheadMs)
  const { ahead } = await runtime.database.open(tenantId).write({ ahead: takeUpcoming(now, until) })
  const moments = ahead.map((boundary) => boundary.at)
  await scheduleWorkers(runtime, tenantId, moments, now.getTime())
}

/**
 * Schedules a worker for each boundary, at most a second after it. `now` is in epoch milliseconds of the
 * clock that the boundaries refer to.
 */
async function scheduleWorkers(
  runtime: Runtime,
  tenant: string,
  moments: readonly string[],
  now: number,
): Promise<void> {
  const messages = moments.map((moment) => ({
    body: { tenant, recordAt: moment },
    delaySeconds: Math.max(0, Math.ceil((Date.parse(moment) - now) / 1000)),
  }))
  await send(runtime, messages)
}

/**
 * Records the due boundaries after a message for `moment`. If time runs out, it schedules another worker.
 */
export async function recordAt(runtime: Runtime, tenantId: string, moment: string): Promise<void> {
  const end = runtime.now().getTime() + budgetMs
  const hasTime = () => runtime.now().getTime() < end
  let result = await record(runtime, tenantId, hasTime)
  while (result.isLeft && hasTime()) result = await record(runtime, tenantId, hasTime)
  // If the tenant's clock has not reached the boundary, the queue or the clock of this machine was early. A removed tenant has no clock.
  if (result.now !== '' && (result.isLeft || result.now < moment))
    await scheduleWorkers(runtime, tenantId, [moment], Date.parse(result.now))
}

/** Whether more may be due, and the time of the tenant's clock, which is empty if the tenant is removed. */
type RecordResult = { readonly isLeft: boolean; readonly now: string }

/** Records a bounded number of a tenant's due boundaries, and fans out their events. */
async function record(runtime: Runtime, tenantId: string, hasTime: () => boolean): Promise<RecordResult> {
  const session = runtime.database.open(tenantId)
  let [recorded, idleReads, isAwaited, isLeft, now] = [0, 0, false, true, '']
  while (isLeft && recorded < boundariesAtOnce && idleReads < maximumIdleReads && hasTime()) {
    const { due } = await session.read({ due: dueBoundaries() })
    now = due.now
    // Boundaries that have become due since then have a scheduled worker.
    isLeft = !due.isComplete
    idleReads += 1
    for (const part of due.batches()) {
      const { results } = await session.write({ results: recordStatement(part) })
      const outcome = results[0]?.result
      if (outcome?.passed) continue
      isLeft ||= outcome?.recorded !== part.length
      if (!outcome || outcome.recorded === 0) break
      idleReads = 0
      recorded += outcome.recorded
      isAwaited ||= outcome.awaited
      if (outcome.recorded < part.length) break
    }
  }
  if (isAwaited) await fanOut(runtime, tenantId)
  return { isLeft, now }
}
