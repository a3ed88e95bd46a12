/** From events to deliveries: a row for each event and subscription that asked for it. */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import { gathered, made, type Reading } from '../../../db/reading.ts'
import { frozenColumns, frozenNow, tenantNow } from './freeze.ts'

/** Milliseconds for which events are taken to be on their way to a worker. */
const relayLife = 60_000

/** Takes events that wait to be fanned out and are not on their way already, oldest first, and marks them as such. */
export function takeWaiting(now: Date, most: number): Statement<{ id: string }> {
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
export function fanOutReading(now: Date, most: number): Reading<number> {
  const moment = now.toISOString()
  const batch = gathered({
    // Who has nothing to do does not queue up for it.
    locked: statement(sql`${lockFanOut}
       where exists (select from events where tenant_id = current_tenant() and fanned_out_at is null)`),
    waiting: statement<{ events: number }>(sql`
      with waiting as (
        select * from events where tenant_id = current_tenant() and fanned_out_at is null order by sequence limit ${most}
      ), made as (
        ${deliveriesMade(sql`waiting`, sql`s.status <> 'DISABLED' and s.created_at < e.occurred_at`, now)} do nothing
      ), marked as (
        update events e set fanned_out_at = ${moment}::timestamptz from waiting
         where e.tenant_id = current_tenant() and e.sequence = waiting.sequence
      )
      select count(*)::int as events from waiting`),
  })
  return made(batch, ({ waiting: [counted] }) => counted?.events ?? 0)
}

/** Lets one worker of a tenant's make deliveries at a time. */
export const lockFanOut = sql`select pg_advisory_xact_lock(hashtextextended('fan_out:' || current_tenant(), 0))`

/**
 * An insert of a delivery, `d`, for each of some events, `e` (a name or subquery), and subscription, `s`, that asked for its
 * topic and is wanted; it ends where it is to be said what becomes of one that is there already.
 */
export function deliveriesMade(events: SQL, wanted: SQL, now: Date): SQL {
  const moment = now.toISOString()
  return sql`
    insert into webhook_deliveries as d (
      tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id, resource_version,
      next_attempt_at, created_at, ${frozenColumns})
    select current_tenant(), ${newId}, s.id, e.id, e.sequence, e.topic, e.kind, e.resource_id, e.resource_version,
           ${moment}::timestamptz, ${moment}::timestamptz, ${frozenNow}
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
