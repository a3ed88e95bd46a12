import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { forEachTenant } from '../../../core/each-tenant.ts'
import { log, noRequest } from '../../../core/log.ts'
import { combineQueries, type DatabaseQuery, mapQuery, statement } from '../../../db/query.ts'
import { deliver } from './deliver.ts'
import { currentSettings, settingsColumns, tenantNow } from './ready.ts'
import { type Runtime, send, sendDeliveries } from './runtime.ts'
import { failExhausted, takeDue, tenantsWithWork } from './take-due.ts'

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

/** Events in one transaction, and transactions in one run. A message makes another run continue. */
const eventsAtOnce = 200
const rounds = 5
const deliveriesAtOnce = 100

/**
 * Inserts the deliveries of a tenant's waiting events, and sends those that are due to the queue. Runs after every write with
 * subscribers, and every minute for tenants with work. Without a queue it attempts the
 * deliveries itself, and returns whether there may be more. It is idempotent.
 */
export async function fanOut(runtime: Runtime, tenantId: string): Promise<boolean> {
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
    if (fannedOut < eventsAtOnce && ids.length < deliveriesAtOnce) return false
  }
  if (!runtime.queue) return true
  await send(runtime.queue, [{ tenant: tenantId, fanOut: true }], runtime.limits)
  return false
}

/**
 * Does the work of a tenant that is due: fails deliveries without attempts left, and fans out events. Returns whether there may be more.
 */
export async function dispatchTenant(runtime: Runtime, tenantId: string): Promise<boolean> {
  const session = runtime.database.open(tenantId)
  const { exhausted } = await session.write({ exhausted: failExhausted(runtime.now()) })
  for (const { id, payloadVersion, ...delivery } of exhausted) {
    const about = { ...noRequest, tenant: tenantId, operation: 'dispatch', version: payloadVersion }
    log(
      'delivery_given_up',
      { ...about, statements: session.stats.statements },
      {
        subscription: delivery.subscriptionId,
        delivery: id,
        eventId: delivery.eventId,
        topic: delivery.topic,
        attempts: delivery.attempts,
        reason: 'unheard_of',
        httpStatus: null,
      },
    )
  }
  return fanOut(runtime, tenantId)
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
    event: 'cron_failed' as const,
    operation: 'dispatch',
    hasTime,
    tenants: (after: string | null, limit: number) => tenantsWithWork(runtime.now(), after, limit),
  }
  for (let hasMore = true; hasMore && hasTime(); ) {
    hasMore = false
    await forEachTenant(job, async (id, database) => {
      if (await dispatchTenant({ ...runtime, database }, id)) hasMore = true
    })
  }
}
