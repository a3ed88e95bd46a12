import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { log, noRequest } from '../../../core/log.ts'
import { bytesOf } from '../../../core/sizes.ts'
import type { Runtime, SendLimits, SentMessage } from '../../../core/work.ts'
import {
  columnsOf,
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  type RowOf,
  type Statement,
  statement,
} from '../../../db/query.ts'
import { idColumn, textArray } from '../../../db/sql.ts'
import { currentSettings, settingsColumns, tenantNow } from './payload.ts'
import { maximumAttempts } from './schedule.ts'

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
    select current_tenant(), new_id(), s.id, e.id, e.sequence, e.topic, e.kind, e.resource_id, e.resource_version,
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

/** Milliseconds for which the service assumes that a queue message for a delivery is on its way. */
const messageLifetimeMs = 120_000

/**
 * Takes deliveries that may be attempted and have no message on its way, and marks them. `hosts` restricts it to
 * these callback hosts.
 */
export function takeDue(
  now: Date,
  limit: number,
  hosts: readonly string[] | null = null,
): Statement<{ id: string }> {
  const until = new Date(now.getTime() + messageLifetimeMs)
  return statement(idColumn)`
    select id from take_deliveries(${now.toISOString()}::timestamptz, ${until.toISOString()}::timestamptz, ${maximumAttempts},
      ${hosts && textArray(hosts)}::text[], ${limit})`
}

type Exhausted = RowOf<typeof exhaustedRow>
const exhaustedRow = {
  ...columnsOf(z.string(), 'id', 'subscriptionId', 'eventId', 'topic', 'payloadVersion'),
  attempts: z.number(),
}

/**
 * Fails deliveries whose last attempt was claimed but never recorded, once no attempts are left. These still have their lease, and few
 * others do, so an index finds them.
 */
function failExhausted(now: Date): Statement<Exhausted> {
  const moment = now.toISOString()
  return statement(exhaustedRow)`
    update webhook_deliveries d set status = 'FAILED', completed_at = ${moment}::timestamptz, lease = null, leased_until = null
      from webhook_subscriptions s
     where s.tenant_id = current_tenant() and s.status = 'ACTIVE' and d.tenant_id = current_tenant() and d.subscription_id = s.id
       and d.lease is not null
       and d.status = 'PENDING' and d.next_attempt_at <= ${moment}::timestamptz and d.attempts >= ${maximumAttempts}
    returning d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", d.topic, d.payload_version as "payloadVersion",
              d.earlier_attempts + d.attempts as attempts`
}

/** Tenants in order after one, with events to fan out or deliveries to attempt. Runs without a tenant. */
export function tenantsWithWork(now: Date, after: string | null, limit: number): Statement<{ id: string }> {
  return statement(idColumn)`
    select tenants_with_work(${now.toISOString()}::timestamptz, ${after}::uuid, ${limit}) as id`
}

/** Sends messages in the fewest batches that the platform allows. */
export async function send({ queue, limits }: Runtime, messages: readonly SentMessage[]): Promise<void> {
  for (const chunk of chunks(messages, limits)) await queue.sendBatch(chunk)
}

/** Sends a message for each delivery. */
export function sendDeliveries(
  runtime: Runtime,
  tenant: string,
  deliveries: readonly string[],
  delay: Pick<SentMessage, 'delaySeconds'> = {},
): Promise<void> {
  return send(
    runtime,
    deliveries.map((delivery) => ({ body: { tenant, delivery }, ...delay })),
  )
}

function chunks(messages: readonly SentMessage[], limits: SendLimits): SentMessage[][] {
  const all: SentMessage[][] = []
  let bytes = 0
  for (const message of messages) {
    const size = bytesOf(JSON.stringify(message.body))
    const last = all.at(-1)
    if (last && last.length < limits.messages && bytes + size <= limits.bytes) {
      last.push(message)
      bytes += size
    } else {
      all.push([message])
      bytes = size
    }
  }
  return all
}

/** Events in one transaction, and transactions in one run. A message makes another run continue. */
const eventsAtOnce = 200
const rounds = 5
const deliveriesAtOnce = 100

/**
 * Inserts the deliveries of a tenant's waiting events, and sends those that are due to the queue. Runs after every write with
 * subscribers, and every minute for tenants with work. It is idempotent.
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
    await sendDeliveries(runtime, tenantId, ids)
    if (fannedOut < eventsAtOnce && ids.length < deliveriesAtOnce) return
  }
  await send(runtime, [{ body: { tenant: tenantId, fanOut: true } }])
}

/** Does the work of a tenant that is due: fails deliveries without attempts left, and fans out events. */
export async function dispatchTenant(runtime: Runtime, tenantId: string): Promise<void> {
  const session = runtime.database.open(tenantId)
  const { exhausted } = await session.write({ exhausted: failExhausted(runtime.now()) })
  const about = {
    ...noRequest,
    tenant: tenantId,
    operation: 'dispatch',
    statements: session.stats.statements,
  }
  for (const { id, payloadVersion: version, subscriptionId: subscription, ...delivery } of exhausted) {
    const fields = { subscription, delivery: id, ...delivery, reason: 'unheard_of', httpStatus: null }
    log('delivery_given_up', { ...about, version }, fields)
  }
  await fanOut(runtime, tenantId)
}
