import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { forEachTenant } from '../../../core/each-tenant.ts'
import { log, noRequest } from '../../../core/log.ts'
import { combineQueries, type DatabaseQuery, mapQuery, type Statement, statement } from '../../../db/query.ts'
import { idColumn } from '../../../db/sql.ts'
import { deliver } from './deliver.ts'
import { currentSettings, settingsColumns, tenantNow } from './ready.ts'
import { eventsMessages, type Runtime, send, sendDeliveries } from './runtime.ts'
import { failExhausted, takeDue, tenantsWithWork } from './take-due.ts'

/** Milliseconds for which the service assumes that a queue message for an event is on its way. */
const messageLifetimeMs = 60_000

/** Takes events that wait for their fan-out and have no message on its way, oldest first, and marks them. */
function takeWaitingEvents(now: Date, limit: number): Statement<{ id: string }> {
  const moment = now.toISOString()
  const since = new Date(now.getTime() - messageLifetimeMs).toISOString()
  return statement(idColumn)`
    with waiting as (
      select sequence from events
       where tenant_id = current_tenant() and fanned_out_at is null
         -- A time in the future comes from a clock that was set back since.
         and (queued_at between ${since}::timestamptz and ${moment}::timestamptz) is not true
       order by sequence limit ${limit} for update skip locked
    ), taken as (
      update events e set queued_at = ${moment}::timestamptz from waiting
       where e.tenant_id = current_tenant() and e.sequence = waiting.sequence
      returning e.sequence, e.id
    )
    select id from taken order by sequence`
}

/** Marks events as having no message on its way. */
export function putBackEvents(ids: readonly string[]): Statement {
  return statement(sql`update events set queued_at = null
     where tenant_id = current_tenant() and id = any(${`{${ids.join(',')}}`}::uuid[]) and fanned_out_at is null`)
}

/**
 * Fans out the oldest waiting events, up to `limit` of them: inserts a delivery for each event and
 * subscription to its topic. Returns the number of events. One worker at a time does this, in order. A
 * delivery therefore never exists before those that it has to wait for. Paused subscriptions accumulate
 * deliveries. A subscription gets no deliveries for events before its creation.
 */
function fanOutQuery(now: Date, limit: number): DatabaseQuery<number> {
  const moment = now.toISOString()
  const waiting = sql`
      with waiting as (
        select * from events where tenant_id = current_tenant() and fanned_out_at is null order by sequence limit ${limit}
      ), made as (
        ${insertDeliveries(sql`waiting`, sql`s.status <> 'DISABLED' and s.created_at < e.occurred_at`, now)} do nothing
      ), marked as (
        update events e set fanned_out_at = ${moment}::timestamptz from waiting
         where e.tenant_id = current_tenant() and e.sequence = waiting.sequence
      )
      select count(*)::int as events from waiting`
  const batch = combineQueries({
    // A worker without waiting events does not wait for the lock.
    locked: statement(sql`${lockFanOut}
       where exists (select from events where tenant_id = current_tenant() and fanned_out_at is null)`),
    waiting: statement(waiting, { events: z.number() }),
  })
  return mapQuery(batch, ({ waiting: [counted] }) => counted?.events ?? 0)
}

/** Allows one worker of a tenant at a time to insert deliveries. */
export const lockFanOut = sql`select pg_advisory_xact_lock(hashtextextended('fan_out:' || current_tenant(), 0))`

/**
 * An insert of a delivery `d` for each event `e` (of a table or subquery) and each subscription `s` to its
 * topic that meets `condition`. It ends with `on conflict`, so that the caller decides about existing
 * deliveries.
 */
export function insertDeliveries(events: SQL, condition: SQL, now: Date): SQL {
  const moment = now.toISOString()
  return sql`
    insert into webhook_deliveries as d (
      tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id, resource_version,
      next_attempt_at, created_at, ${settingsColumns})
    select current_tenant(), ${newId}, s.id, e.id, e.sequence, e.topic, e.kind, e.resource_id, e.resource_version,
           ${moment}::timestamptz, ${moment}::timestamptz, ${currentSettings}
      from ${events} e
      join webhook_subscriptions s on s.tenant_id = current_tenant() and s.callback_url is not null and ${condition} and ${wantsTopic(sql`e.topic`)}
     cross join ${tenantNow(now)} tenant
     order by e.sequence
    on conflict on constraint webhook_deliveries_once`
}

/** Whether a subscription `s` includes a topic. */
export function wantsTopic(topic: SQL): SQL {
  return sql`s.topic = any(topic_patterns(${topic}))`
}

/** A UUIDv7. Postgres has no function for it before version 18. */
const newId = sql`encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`

/** Events in one transaction, and transactions in one run. The next run continues with the rest. */
const eventsAtOnce = 200
const rounds = 10
const deliveriesAtOnce = 100

/**
 * Inserts the deliveries of a tenant's waiting events, and sends those that are due to the queue. It is
 * idempotent.
 */
export async function fanOut(runtime: Runtime, tenantId: string): Promise<void> {
  const session = runtime.database.open(tenantId)
  for (let round = 0; round < rounds; round += 1) {
    const now = runtime.now()
    const { fannedOut, due } = await session.write({
      fannedOut: fanOutQuery(now, eventsAtOnce),
      due: takeDue(now, deliveriesAtOnce),
    })
    const ids = due.map((row) => row.id)
    if (ids.length > 0 && !(await sendDeliveries(runtime, tenantId, ids)))
      await deliver(runtime, tenantId, ids)
    if (fannedOut < eventsAtOnce) return
  }
}

/** Maximum number of rows of one tenant in one round, so that no tenant delays the others. */
const eventsPerDispatch = 500
const deliveriesPerDispatch = 100

/**
 * Sends a tenant's events that wait for their fan-out and its due deliveries to the queues. Runs after
 * every write, and every minute for tenants with work. Returns whether there may be more. If a message is
 * lost, the cron finds its work a minute or two later. Without queues this function does the work itself.
 */
export async function dispatchEvents(runtime: Runtime, tenantId: string): Promise<boolean> {
  const now = runtime.now()
  const session = runtime.database.open(tenantId)
  const { events, exhausted, due } = await session.write({
    events: takeWaitingEvents(now, eventsPerDispatch),
    exhausted: failExhausted(now),
    due: takeDue(now, deliveriesPerDispatch),
  })
  for (const { id, payloadVersion, ...delivery } of exhausted) {
    const about = { ...noRequest, tenant: tenantId, operation: 'relay', version: payloadVersion }
    log(
      'delivery_given_up',
      { ...about, statements: session.stats.statements },
      {
        ...{ subscription: delivery.subscriptionId, delivery: id, eventId: delivery.eventId },
        ...{ topic: delivery.topic, attempts: delivery.attempts, reason: 'unheard_of', httpStatus: null },
      },
    )
  }
  if (events.length > 0) {
    if (runtime.events) {
      const messages = eventsMessages(
        tenantId,
        events.map((row) => row.id),
        runtime.limits.ids,
      )
      await send(runtime.events, messages, runtime.limits)
    } else await fanOut(runtime, tenantId)
  }
  if (due.length > 0) {
    const ids = due.map((row) => row.id)
    if (!(await sendDeliveries(runtime, tenantId, ids))) await deliver(runtime, tenantId, ids)
  }
  return events.length === eventsPerDispatch || due.length === deliveriesPerDispatch
}

/** Milliseconds after which a run leaves the rest to the next one. */
const budgetMs = 45_000

/**
 * Dispatches the work of every tenant, whether or not its messages were lost. The cron calls it every minute.
 * Each round processes a bounded part of each tenant, until no work or time is left.
 */
export async function dispatchAllTenants(runtime: Runtime): Promise<void> {
  const until = runtime.now().getTime() + budgetMs
  const hasTime = () => runtime.now().getTime() < until
  const job = {
    database: runtime.database,
    event: 'sweep_failed' as const,
    operation: 'sweep',
    hasTime,
    tenants: (after: string | null, limit: number) => tenantsWithWork(runtime.now(), after, limit),
  }
  for (let hasMore = true; hasMore && hasTime(); ) {
    hasMore = false
    await forEachTenant(job, async (id, database) => {
      if (await dispatchEvents({ ...runtime, database }, id)) hasMore = true
    })
  }
}
