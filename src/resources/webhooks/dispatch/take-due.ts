import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { columnsOf, type RowOf, type Statement, statement } from '../../../db/query.ts'
import { idColumn } from '../../../db/sql.ts'
import { textArray } from '../../../db/write-steps.ts'
import { deliveryOrderGroup, freeSlotsAt, isAttemptable } from './ready.ts'
import { maximumAttempts } from './schedule.ts'

/** Milliseconds for which the service assumes that a queue message for a delivery is on its way. */
const messageLifetimeMs = 120_000

/**
 * Takes deliveries that are due and have no message on its way, within the limit of each callback host, and
 * marks them. `hosts` restricts it to these hosts.
 */
export function takeDue(
  now: Date,
  limit: number,
  hosts: readonly string[] | null = null,
): Statement<{ id: string }> {
  const moment = now.toISOString()
  const until = new Date(now.getTime() + messageLifetimeMs).toISOString()
  return statement(idColumn)`
    with hosts as materialized (
      select c.host, ${freeSlotsAt(sql`c.host`, moment)} as room
        from (select distinct callback_host as host from webhook_subscriptions
               where tenant_id = current_tenant() and status = 'ACTIVE' and not is_suspended()
                 and ${hosts === null ? sql`true` : sql`callback_host = any(${textArray(hosts)})`}) c
        left join webhook_hosts h on h.tenant_id = current_tenant() and h.host = c.host
    ), due as materialized (
      select d.id, hosts.room,
             row_number() over (partition by hosts.host order by d.next_attempt_at, d.event_sequence) as n
        from hosts
        join webhook_subscriptions s on s.tenant_id = current_tenant() and s.callback_host = hosts.host and s.status = 'ACTIVE'
       cross join lateral ${deliveryOrderGroup}
       cross join lateral (
         select d.id, d.next_attempt_at, d.event_sequence from webhook_deliveries d
          where d.tenant_id = current_tenant() and d.subscription_id = s.id and ${isAttemptable(moment)} and not ${isQueued(moment, until)}
          order by d.next_attempt_at, d.event_sequence limit greatest(hosts.room, 0)
       ) d
    ), chosen as (
      select d.id from webhook_deliveries d join due using (id)
       where d.tenant_id = current_tenant() and due.n <= due.room
       order by due.n limit ${limit} for update of d skip locked
    ), taken as (
      update webhook_deliveries d set queued_until = ${until}::timestamptz from chosen
       where d.tenant_id = current_tenant() and d.id = chosen.id and not ${isQueued(moment, until)}
      returning d.id, d.event_sequence
    )
    select id from taken order by event_sequence`
}

/**
 * A mark further in the future than this code ever writes comes from a clock that has been set back since.
 */
function isQueued(moment: string, until: string): SQL {
  return sql`coalesce(d.queued_until > ${moment}::timestamptz and d.queued_until <= ${until}::timestamptz, false)`
}

/** A delivery that has failed after its last attempt. */
export type Exhausted = RowOf<typeof exhaustedRow>
const exhaustedRow = {
  ...columnsOf(z.string(), 'id', 'subscriptionId', 'eventId', 'topic', 'payloadVersion'),
  attempts: z.number(),
}

/** Fails deliveries whose last attempt was claimed but never recorded, once no attempts are left. */
export function failExhausted(now: Date): Statement<Exhausted> {
  const moment = now.toISOString()
  return statement(exhaustedRow)`
    update webhook_deliveries d set status = 'FAILED', completed_at = ${moment}::timestamptz, lease = null, leased_until = null
      from webhook_subscriptions s
     where s.tenant_id = current_tenant() and s.status = 'ACTIVE' and d.tenant_id = current_tenant() and d.subscription_id = s.id
       and d.status = 'PENDING' and d.next_attempt_at <= ${moment}::timestamptz and d.attempts >= ${maximumAttempts}
    returning d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", d.topic, d.payload_version as "payloadVersion",
              d.earlier_attempts + d.attempts as attempts`
}

/** Tenants in order after one, with events to fan out or deliveries to attempt. Runs without a tenant. */
export function tenantsWithWork(now: Date, after: string | null, limit: number): Statement<{ id: string }> {
  return statement(idColumn)`
    select tenants_with_work(${now.toISOString()}::timestamptz, ${after}::uuid, ${limit}) as id`
}
