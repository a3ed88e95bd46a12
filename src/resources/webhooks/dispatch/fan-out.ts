import { type SQL, sql } from 'drizzle-orm'
import { log, noRequest, runInBackground } from '../../../core/log.ts'
import { combineQueries, type DatabaseQuery, mapQuery, type Statement, statement } from '../../../db/query.ts'
import { deliver } from './deliver.ts'
import { currentSettings, settingsColumns, tenantNow } from './ready.ts'
import { eventsMessages, type Runtime, send, sendDeliveries } from './runtime.ts'
import { giveUpExhausted, takeDue, tenantsWithWork } from './take-due.ts'

/** From events to deliveries: a row for each event and subscription that asked for it. */

/** Milliseconds for which events are taken to be on their way to a worker. */
const relayLife = 60_000

/** Takes events that wait to be fanned out and are not on their way already, oldest first, and marks them as such. */
function takeWaitingEvents(now: Date, most: number): Statement<{ id: string }> {
  const moment = now.toISOString()
  const since = new Date(now.getTime() - relayLife).toISOString()
  return statement<{ id: string }>(sql`
    with waiting as (
      select sequence from events
       where tenant_id = current_tenant() and fanned_out_at is null
         -- A moment to come was written by a clock that has been set back since.
         and (relayed_at between ${since}::timestamptz and ${moment}::timestamptz) is not true
       order by sequence limit ${most} for update skip locked
    ), taken as (
      update events e set relayed_at = ${moment}::timestamptz from waiting
       where e.tenant_id = current_tenant() and e.sequence = waiting.sequence
      returning e.sequence, e.id
    )
    select id from taken order by sequence`)
}

/** Forgets that events are on their way. */
export function putBackEvents(ids: readonly string[]): Statement {
  return statement(sql`update events set relayed_at = null
     where tenant_id = current_tenant() and id = any(${`{${ids.join(',')}}`}::uuid[]) and fanned_out_at is null`)
}

/**
 * Makes the deliveries of the oldest waiting events, up to `most` of them; answers how many events that were. In order and
 * one worker at a time, so that a delivery never exists before those that it has to wait for. Subscriptions that are
 * paused collect theirs; those made after an event are not told of it.
 */
function fanOutQuery(now: Date, most: number): DatabaseQuery<number> {
  const moment = now.toISOString()
  const batch = combineQueries({
    // Who has nothing to do does not queue up for it.
    locked: statement(sql`${lockFanOut}
       where exists (select from events where tenant_id = current_tenant() and fanned_out_at is null)`),
    waiting: statement<{ events: number }>(sql`
      with waiting as (
        select * from events where tenant_id = current_tenant() and fanned_out_at is null order by sequence limit ${most}
      ), made as (
        ${insertDeliveries(sql`waiting`, sql`s.status <> 'DISABLED' and s.created_at < e.occurred_at`, now)} do nothing
      ), marked as (
        update events e set fanned_out_at = ${moment}::timestamptz from waiting
         where e.tenant_id = current_tenant() and e.sequence = waiting.sequence
      )
      select count(*)::int as events from waiting`),
  })
  return mapQuery(batch, ({ waiting: [counted] }) => counted?.events ?? 0)
}

/** Lets one worker of a tenant's make deliveries at a time. */
export const lockFanOut = sql`select pg_advisory_xact_lock(hashtextextended('fan_out:' || current_tenant(), 0))`

/**
 * An insert of a delivery, `d`, for each of some events, `e` (a name or subquery), and subscription, `s`, that asked for its
 * topic and is wanted; it ends where it is to be said what becomes of one that is there already.
 */
export function insertDeliveries(events: SQL, wanted: SQL, now: Date): SQL {
  const moment = now.toISOString()
  return sql`
    insert into webhook_deliveries as d (
      tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id, resource_version,
      next_attempt_at, created_at, ${settingsColumns})
    select current_tenant(), ${newId}, s.id, e.id, e.sequence, e.topic, e.kind, e.resource_id, e.resource_version,
           ${moment}::timestamptz, ${moment}::timestamptz, ${currentSettings}
      from ${events} e
      join webhook_subscriptions s on s.tenant_id = current_tenant() and s.callback_url is not null and ${wanted} and ${wantsTopic(sql`e.topic`)}
     cross join ${tenantNow(now)} tenant
     order by e.sequence
    on conflict on constraint webhook_deliveries_once`
}

/** Whether a subscription, `s`, asked for a topic. */
export function wantsTopic(topic: SQL): SQL {
  return sql`s.topic in (${topic}, split_part(${topic}, '/', 1) || '/*', '*')`
}

/** A UUIDv7: Postgres has no function for it before 18. */
const newId = sql`encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`

/** Events in one transaction, and transactions of one run: what is left is another run's. */
const eventsAtOnce = 200
const rounds = 10
const deliveriesAtOnce = 100

/** Makes the deliveries of a tenant's waiting events, and wakes workers for those that are due. Run twice it does nothing twice. */
export async function fanOut(runtime: Runtime, tenantId: string): Promise<void> {
  const session = runtime.database.open(tenantId)
  for (let round = 0; round < rounds; round += 1) {
    const now = runtime.now()
    runtime.crash('F1 nothing fanned out')
    const { fannedOut, due } = await session.write({
      fannedOut: fanOutQuery(now, eventsAtOnce),
      due: takeDue(now, deliveriesAtOnce),
    })
    runtime.crash('F2 deliveries made')
    const ids = due.map((each) => each.id)
    if (ids.length > 0 && !(await sendDeliveries(runtime, tenantId, ids)))
      await deliver(runtime, tenantId, ids)
    runtime.crash('F3 deliveries sent')
    if (fannedOut < eventsAtOnce) return
  }
}

/** From Postgres to the queues: run after every write for its tenant, and every minute for those that have work. */

/** What one round takes of one tenant, so that none keeps the others waiting. */
const relayedAtOnce = 500
const queuedAtOnce = 100

/**
 * Wakes workers for a tenant's events that wait to be fanned out and for its deliveries that are due; answers whether there
 * may be more. What is taken and never sent is found again a minute or two later. Without queues the work is done here.
 */
export async function dispatchEvents(runtime: Runtime, tenantId: string): Promise<boolean> {
  const { crash } = runtime
  const now = runtime.now()
  crash('A1 committed')
  const session = runtime.database.open(tenantId)
  const { events, exhausted, due } = await session.write({
    events: takeWaitingEvents(now, relayedAtOnce),
    exhausted: giveUpExhausted(now),
    due: takeDue(now, queuedAtOnce),
  })
  for (const { id, payloadVersion, ...delivery } of exhausted) {
    const about = { ...noRequest, tenant: tenantId, operation: 'relay', version: payloadVersion }
    log(
      'delivery_given_up',
      { ...about, statements: session.spent.statements },
      {
        ...{ subscription: delivery.subscriptionId, delivery: id, eventId: delivery.eventId },
        ...{ topic: delivery.topic, attempts: delivery.attempts, reason: 'unheard_of', httpStatus: null },
      },
    )
  }
  if (events.length > 0) {
    crash('S1 events taken')
    if (runtime.events) {
      const messages = eventsMessages(
        tenantId,
        events.map((each) => each.id),
        runtime.limits.ids,
      )
      await send(runtime.events, messages, runtime, 'S2 between two sends of events')
    } else await fanOut(runtime, tenantId)
    crash('A2 events sent')
  }
  if (due.length > 0) {
    crash('S3 deliveries taken')
    const ids = due.map((each) => each.id)
    if (!(await sendDeliveries(runtime, tenantId, ids))) await deliver(runtime, tenantId, ids)
  }
  return events.length === relayedAtOnce || due.length === queuedAtOnce
}

/** The net under the queues: once a minute, every tenant that has work is looked after, whatever became of its messages. */

const tenantsAtOnce = 100
/** Milliseconds after which a sweep leaves the rest to the next one. */
const budget = 45_000

/** Goes round the tenants that have work, a bounded part of it each, again and again until nothing is left or time is up. */
export async function dispatchAllTenants(runtime: Runtime): Promise<void> {
  const until = runtime.now().getTime() + budget
  for (let again = true; again && runtime.now().getTime() < until; ) again = await round(runtime, until)
}

type Found = { readonly tenants: readonly { readonly id: string }[] }

async function round(runtime: Runtime, until: number): Promise<boolean> {
  let more = false
  for (let last: string | null = null; runtime.now().getTime() < until; ) {
    const { tenants }: Found = await runtime.database
      .open(null)
      .read({ tenants: tenantsWithWork(runtime.now(), last, tenantsAtOnce) })
    for (const { id } of tenants) {
      last = id
      // One tenant's trouble is not the others'; what is left undone is found again.
      const left = await runInBackground(
        'sweep_failed',
        { operation: 'sweep', tenant: id },
        runtime.database,
        (database) => dispatchEvents({ ...runtime, database }, id),
      ).catch(() => false)
      more ||= left
    }
    if (tenants.length < tenantsAtOnce) break
  }
  return more
}
