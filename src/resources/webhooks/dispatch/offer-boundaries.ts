import { instantOf } from '../../../core/instant.ts'
import { runInBackground } from '../../../core/log.ts'
import { wokenAhead } from '../../../core/plan.ts'
import {
  dueBoundaries,
  recordStatement,
  takeUpcoming,
  tenantsWithBoundaries,
} from '../../sale-offers/boundaries.ts'
import { dispatchEvents } from './fan-out.ts'
import { type EventsMessage, type Runtime, send } from './runtime.ts'

/**
 * Moments at which offers begin and cease to apply, as their terms say: each becomes an event as soon as it has come. The minute's
 * sweep records what is due, what was missed first, and has workers woken at the moments of the next minute; a write that names a
 * near moment does so at once. Which moments are due, and that each is told once and in order, the database decides.
 */

const tenantsAtOnce = 100
/** What one round of the sweep records of one tenant, so that none keeps the others waiting. */
const boundariesAtOnce = 1000
/** In how many rounds their events are handed on, each of which takes five hundred. */
const mostRelays = 3
/** Milliseconds after which a sweep, or a worker that was woken, leaves the rest to another. */
const budget = 40_000
/** How often in a row boundaries are read without one being recorded, since others were at it or offers were changed. */
const mostIdle = 5

/** What is done after a write: its events are handed on, and workers woken at its near moments. */
export async function afterWrite(runtime: Runtime, tenantId: string, soon: boolean): Promise<void> {
  await Promise.all([dispatchEvents(runtime, tenantId), soon ? wakeAhead(runtime, tenantId) : null])
}

/**
 * Goes round the tenants that have boundaries due or near, a bounded part of each, until nothing is due or time is up; then workers are
 * woken that go on.
 */
export async function sweepBoundaries(runtime: Runtime): Promise<void> {
  const until = runtime.now().getTime() + budget
  let left = await round(runtime, until, wokenAhead)
  while (left.length > 0 && runtime.now().getTime() < until) left = await round(runtime, until, 0)
  const now = runtime.now()
  for (const tenant of left) await wakeAt(runtime, tenant, [instantOf(now)], now.getTime())
}

type Found = { readonly tenants: readonly { readonly id: string }[] }

/** Answers the tenants of which more is due. */
async function round(runtime: Runtime, until: number, ahead: number): Promise<string[]> {
  const left: string[] = []
  for (let last: string | null = null; runtime.now().getTime() < until; ) {
    const horizon = new Date(runtime.now().getTime() + ahead)
    const { tenants }: Found = await runtime.database
      .open(null)
      .read({ tenants: tenantsWithBoundaries(horizon, last, tenantsAtOnce) })
    for (const { id } of tenants) {
      last = id
      // One tenant's trouble is not the others'.
      const isLeft = await runInBackground(
        'sweep_failed',
        { operation: 'boundaries', tenant: id },
        runtime.database,
        (database) => recordDueBoundaries({ ...runtime, database }, id, until, ahead > 0),
      ).catch(() => false)
      if (isLeft) left.push(id)
    }
    if (tenants.length < tenantsAtOnce) break
  }
  return left
}

/** What the sweep does for a tenant, `until` milliseconds at most; answers whether more is due. */
export async function recordDueBoundaries(
  runtime: Runtime,
  tenantId: string,
  until: number,
  wakes: boolean,
): Promise<boolean> {
  // Moments that are near are not kept waiting by those that are late.
  if (wakes) await wakeAhead(runtime, tenantId)
  const { isLeft } = await record(runtime, tenantId, until)
  return isLeft
}

/** Has workers woken at a tenant's moments that are near, but for those at which they will be anyway. Without a queue the sweep finds them. */
async function wakeAhead(runtime: Runtime, tenantId: string): Promise<void> {
  if (!runtime.events) return
  const now = runtime.now()
  const until = new Date(now.getTime() + wokenAhead)
  const { ahead } = await runtime.database.open(tenantId).write({ ahead: takeUpcoming(now, until) })
  runtime.crash('B0 boundaries ahead taken')
  const moments = ahead.map((each) => each.at)
  await wakeAt(runtime, tenantId, moments, now.getTime())
}

/** Has a worker woken at each of some moments, or within the second that follows it; `now` are milliseconds of the clock that they are of. */
async function wakeAt(
  runtime: Runtime,
  tenant: string,
  moments: readonly string[],
  now: number,
): Promise<void> {
  if (!runtime.events || moments.length === 0) return
  const messages = moments.map((boundary): EventsMessage => ({ tenant, events: [], boundary }))
  const delay = ({ boundary = '' }: EventsMessage) =>
    Math.max(0, Math.ceil((Date.parse(boundary) - now) / 1000))
  await send(runtime.events, messages, runtime, 'S2 between two sends of events', delay)
}

/** Records what is due at a moment for which a worker was woken: all that is, or what it can in its time, and has another go on. */
export async function recordAt(runtime: Runtime, tenantId: string, moment: string): Promise<void> {
  const until = runtime.now().getTime() + budget
  let last = await record(runtime, tenantId, until)
  while (last.isLeft && runtime.now().getTime() < until) last = await record(runtime, tenantId, until)
  // Where by the tenant's clock it has not come yet, the queue or this machine's clock was early.
  if (last.isLeft || last.now < moment) await wakeAt(runtime, tenantId, [moment], Date.parse(last.now))
}

/** What was recorded: whether there may be more that is due, and the time by the tenant's clock. */
type EventedResource = { readonly isLeft: boolean; readonly now: string }

/** Records a tenant's due boundaries, so many at most, and hands the events on. */
async function record(runtime: Runtime, tenantId: string, until: number): Promise<EventedResource> {
  const { crash } = runtime
  const session = runtime.database.open(tenantId)
  let [recorded, idle, isAwaited, isLeft, now] = [0, 0, false, true, '']
  while (isLeft && recorded < boundariesAtOnce && idle < mostIdle && runtime.now().getTime() < until) {
    const { due } = await session.read({ due: dueBoundaries() })
    crash('B0 boundaries read')
    now = due.now
    // What has become due since has a worker woken for it.
    isLeft = !due.isComplete
    idle += 1
    for (const part of due.batches()) {
      const { told } = await session.write({ told: recordStatement(part) })
      const outcome = told[0]?.result
      if (outcome?.passed) continue
      isLeft ||= outcome?.recorded !== part.length
      if (!outcome || outcome.recorded === 0) break
      crash('B0 some boundaries recorded')
      idle = 0
      recorded += outcome.recorded
      isAwaited ||= outcome.awaited
      if (outcome.recorded < part.length) break
    }
  }
  crash('B0 boundaries recorded')
  for (let rounds = mostRelays; isAwaited && rounds > 0; rounds -= 1)
    isAwaited = await dispatchEvents(runtime, tenantId)
  return { isLeft, now }
}
