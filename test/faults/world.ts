import { sql } from 'drizzle-orm'
import { inject } from 'vitest'
import type { AfterWrite } from '../../src/app.ts'
import { runCron } from '../../src/background/jobs.ts'
import { consume, afterWrite as follow } from '../../src/background/queue.ts'
import { metricsOf } from '../../src/core/metrics.ts'
import { scheduledAheadMs } from '../../src/core/plan.ts'
import type { Runtime } from '../../src/core/work.ts'
import { type Database, openDatabase, type Session } from '../../src/db/client.ts'
import { statement } from '../../src/db/query.ts'
import { idColumn } from '../../src/db/sql.ts'
import { callbacksOf } from '../../src/env.ts'
import { createApp, performerIn } from '../support/app.ts'
import { owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { newWakeUp } from '../support/wake-up.ts'
import { type Chance, chanceOf } from './chance.ts'
import { type Line, lines, newLine } from './database-line.ts'
import { type FailurePoint, failingBatch, failingRuntime } from './failing-calls.ts'
import { LossyQueue } from './lossy-queue.ts'
import { Receivers } from './receiver.ts'
import { tally } from './tally.ts'

/** A worker died here. */
class Crash extends Error {}

/**
 * A tenant, the service's real handlers (fetch, queue, scheduled) on the real Postgres, and a world around them that is
 * unkind: database line, queues, receivers, resolver, clock and workers all fail as a seed decides.
 */
/** Not the beginning of an hour, at which housekeeping would run. */
const minuteOfCron = new Date('2026-01-01T00:01:00Z')

export type World = {
  readonly seed: number
  readonly chance: Chance
  readonly shop: Shop
  readonly line: Line
  readonly queue: LossyQueue
  readonly receivers: Receivers
  /** How likely a call of the object that stores the next due time fails, before or after it took effect. */
  wakeUpFailures: number
  /** The times at which the cron did nothing while work was due, although each write had been announced. */
  readonly oversleptAt: number[]
  /** How likely a worker dies at each point that it passes. */
  crashes: number
  /** The history's clock in milliseconds; ahead of the real one, and able to step back. */
  now(): number
  pass(milliseconds: number): void
  /** The scheduled handler's part for this tenant. */
  minute(): Promise<void>
  /** Processes some messages; false when none is ready. */
  consume(): Promise<boolean>
  /** When all that follows the answers so far has come to an end. */
  settled(): Promise<unknown>
}

/** `resolver`: where the service asks for names when subscriptions are made. */
export async function openWorld(seed: number, resolver: string): Promise<World> {
  const chance = chanceOf(seed)
  let clock = Date.now()
  let elapsed = 0
  let lostAnnouncements = false
  const now = () => clock
  const wakeUp = newWakeUp({
    now,
    elapsed: () => elapsed,
    interfere(name, place) {
      if (!chance.is(world.wakeUpFailures)) return
      lostAnnouncements ||= name === 'announce' && place === 'before'
      throw new TypeError('no object')
    },
  })
  const queue = new LossyQueue(chance, now)
  const receivers = new Receivers({
    chance,
    now,
    async wait(milliseconds) {
      clock += milliseconds
      if (milliseconds > 45_000) await world.minute()
    },
  })
  const line = newLine()
  const following = new Set<Promise<unknown>>()
  const runtime = (shop: Shop): Runtime => ({
    database: alone(
      openDatabase({
        url: inject('appUrl'),
        fetchEndpoint: inject('bridgeEndpoint'),
        announce: wakeUp.calls.announce,
      }),
      shop.tenant.id,
    ),
    callbacks: { ...callbacksOf(shop.bindings), allowLoopback: false, fetch: receivers.fetch },
    queue: queue.sender,
    background: (work) => {
      following.add(work)
      work.finally(() => following.delete(work))
    },
    // So small that every history sends in several batches.
    limits: { messages: 2, bytes: 1000 },
    metrics: metricsOf(undefined),
    perform(caller, ...sent) {
      const { session } = caller
      const apply: Session['apply'] = async (write) => {
        await separateCommits(shop)
        return session.apply(write)
      }
      return performerIn(shop.bindings)({ ...caller, session: { ...session, apply } }, ...sent)
    },
    now: () => new Date(clock),
    random: chance.next,
  })
  const fail = (point: FailurePoint) => {
    // Some crash points are rarely passed, so an isolate that has not crashed yet soon does.
    const isNew = world.crashes > 0 && !tally.deaths.has(point)
    if (!chance.is(isNew ? 0.5 : world.crashes)) return
    tally.died(point)
    throw new Crash(point)
  }
  const afterWrite: AfterWrite = async (tenantId, _, __, soon) => {
    if (chance.is(world.crashes)) {
      tally.died('before the work after a write')
      return
    }
    const relayed = follow(worker(), tenantId, soon).catch(() => {})
    following.add(relayed)
    await relayed.finally(() => following.delete(relayed))
  }
  const service = createApp({ afterWrite })
  const shop = await openShop({
    app: {
      // Each request meets a new isolate, which has announced nothing.
      fetch: (request, bindings, context) => service.fetch(request, { ...bindings }, context),
    },
    bindings: { DNS_OVER_HTTPS_URL: resolver, WAKE_UP: wakeUp.namespace },
  })
  const own = runtime(shop)
  const worker = () => failingRuntime(own, fail)
  lines.set(shop.tenant.id, line)
  const world: World = {
    seed,
    chance,
    shop,
    line,
    queue,
    receivers,
    wakeUpFailures: 0,
    oversleptAt: [],
    crashes: 0,
    now,
    pass(milliseconds) {
      clock += milliseconds
      elapsed += Math.max(0, milliseconds)
    },
    async minute() {
      await keepTime(shop, clock)
      const isAsleep = async () => (await wakeUp.calls.begin(new Date(clock))) === null
      if (!lostAnnouncements && (await isAsleep())) {
        const due = await dueOf(shop.tenant.id)
        // A write that was announced meanwhile may be the one that is due.
        if (due !== null && due <= clock && (await isAsleep())) world.oversleptAt.push(clock)
      }
      await runCron(worker(), wakeUp.calls, minuteOfCron).catch(() => {})
    },
    async consume() {
      const batch = queue.take()
      if (batch === null) return false
      await keepTime(shop, clock)
      // The platform delivers a batch again after an exception of its consumer.
      await consume(failingBatch(batch, fail), worker()).catch(() => {})
      batch.settle()
      return true
    },
    settled: () => Promise.all(following),
  }
  return world
}

/**
 * The tenant's clock in the database is not behind the history's, by which moments pass that are recorded, and leases of jobs end. A
 * batch that is still under way holds it; then it is moved another time.
 */
export async function keepTime({ tenant }: Shop, now: number): Promise<void> {
  await owner(async (client) => {
    for (const table of ['price_rebuilds', 'bulk_operations'])
      await client.query(
        `update ${table} set leased_until = now() - interval '1 second' where tenant_id = $1 and ctid in (
           select ctid from ${table} where tenant_id = $1 and leased_until > now() and leased_until <= $2 for update skip locked)`,
        [tenant.id, new Date(now).toISOString()],
      )
    await client.query(
      `update tenant_clock set last_at = $2 where tenant_id = $1 and last_at < $2
          and exists (select from tenant_clock where tenant_id = $1 for update skip locked)`,
      [tenant.id, new Date(now).toISOString()],
    )
  })
}

/** Moves the tenant's clock, so that two commits of a bulk operation are more than a microsecond apart, as with a real clock. */
const separateCommits = ({ tenant }: Shop) =>
  owner((client) =>
    client.query(
      `update tenant_clock set last_at = last_at + interval '1 millisecond' where tenant_id = $1
          and exists (select from tenant_clock where tenant_id = $1 for update skip locked)`,
      [tenant.id],
    ),
  )

/** The tenant's clock: the moment that is now for prices. */
export const clockOf = ({ tenant }: Shop): Promise<string> =>
  owner(async (client) => {
    const { rows } = await client.query<{ at: string }>(
      'select instant_text(last_at) as at from tenant_clock where tenant_id = $1',
      [tenant.id],
    )
    return rows[0]!.at
  })

/** A database in which the sweep finds this tenant alone: the others have histories of their own. */
function alone(database: Database, tenantId: string): Database {
  const before = (BigInt(`0x${tenantId.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0')
  const previous = before.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return {
    open(id) {
      const session = database.open(id)
      if (id !== null) return session
      const read = async (queries: object) => {
        if ('next' in queries) return { next: [{ due: await dueOf(tenantId) }], gauges: [] }
        const tenants = sql`
          select id from tenants_with_work('infinity', ${previous}::uuid, 1) as id where id = ${tenantId}::uuid
          union
          select id from tenants_with_boundaries('infinity', ${previous}::uuid, 1) as id where id = ${tenantId}::uuid
          union
          select id from tenants_rebuilding(${previous}::uuid, 1) as id where id = ${tenantId}::uuid`
        const found = await session.read({ tenants: statement(tenants, idColumn) })
        return (await hasFile(tenantId)) ? { tenants: [{ id: tenantId }] } : found
      }
      return { ...session, read: read as unknown as Session['read'] }
    },
  }
}

/** Whether no worker performs an operation. The service compares its time of creation, which is ahead of the database's clock here. */
const hasFile = (tenantId: string): Promise<boolean> =>
  owner(async (client) => {
    const waiting = `select from bulk_operations where tenant_id = $1 and finished_at is null and leased_until < now()`
    return (await client.query(waiting, [tenantId])).rows.length > 0
  })

/** When work of a tenant is due next, in milliseconds; null without any. */
const dueOf = (tenantId: string): Promise<number | null> =>
  owner(async (client) => {
    const { rows } = await client.query(
      `select extract(epoch from min(due - case kind when 'boundary' then $2::interval else '0' end))::float8 * 1000 as due
         from due_work() where tenant = $1`,
      [tenantId, `${scheduledAheadMs} milliseconds`],
    )
    return rows[0].due
  })
