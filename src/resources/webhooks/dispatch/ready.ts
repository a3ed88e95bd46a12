import { type SQL, sql } from 'drizzle-orm'
import { textArray } from '../../../db/write-steps.ts'
import { servedVersions } from './payload.ts'
import { attemptsThatHoldUp, maximumAttempts, unsent } from './schedule.ts'

/** Which deliveries may be attempted at a moment, as conditions on `d` (a delivery), `s` (its subscription) and `lane`. */

/** Attempts under way at once at one callback host of a tenant, and at one that was not reached lately. */
const attemptsAtOnce = 10
const probesAtOnce = 1

/** Failures to reach a host, in a row, after which it is asked only now and then. */
export const failuresThatOpen = 5

/** Its time has come, its subscription wants it, and nothing before it is still to arrive. */
export function isFree(now: string): SQL {
  return sql`d.status = 'PENDING' and d.next_attempt_at <= ${now}::timestamptz and d.attempts < ${maximumAttempts}
    and s.status = 'ACTIVE' and s.topic is not null and s.callback_url is not null and not ${isHeldUp(now)}`
}

/** The active subscriptions of the address of `s`, as `lane.ids`: to be joined laterally for `isFree`. */
export const deliveryOrderGroup = sql`(
  select array(select t.id from webhook_subscriptions t
                where t.tenant_id = current_tenant() and t.callback_host = s.callback_host
                  and t.callback_url = s.callback_url and t.status = 'ACTIVE'
                  and t.topic is not null) as ids) as lane`

/**
 * One address hears of a resource in version order, whichever of its subscriptions tells it; a delivery that has failed
 * often enough stands back, and so does one whose subscription is paused. One that waits because its secret cannot be
 * decrypted holds up its own subscription alone; while names cannot be resolved, everything waits. A scalar subquery, because Postgres would turn
 * `exists` into a join with everything that is pending.
 */
function isHeldUp(now: string): SQL {
  return sql`coalesce((
    select true from webhook_deliveries e
     where e.tenant_id = current_tenant() and e.resource_id = d.resource_id and e.kind = d.kind
       and e.event_sequence < d.event_sequence and e.status = 'PENDING' and e.subscription_id = any(lane.ids)
       and (e.deferred_for is distinct from 'secret_unreadable' or e.subscription_id = d.subscription_id)
       and (e.attempts < ${attemptsThatHoldUp} or (e.attempts = ${attemptsThatHoldUp} and e.leased_until > ${now}::timestamptz))
     limit 1), false)`
}

/** How many more attempts a host bears now; `h` is its row in webhook_hosts, which may be missing. */
export function freeSlotsAt(host: SQL, now: string): SQL {
  return sql`(case when h.failures < ${failuresThatOpen} or h.failures is null then ${attemptsAtOnce}
                   when h.open_until > ${now}::timestamptz then 0 else ${probesAtOnce} end
    - (select count(*) from webhook_deliveries l
         join webhook_subscriptions t on t.tenant_id = l.tenant_id and t.id = l.subscription_id
        where l.tenant_id = current_tenant() and l.lease is not null and l.leased_until > ${now}::timestamptz
          and t.callback_host = ${host}))::int`
}

/**
 * How a delivery is sent: as its subscription wants it and may see it when the delivery is made. Until something was sent
 * under its id, opening it anew takes what holds then; from the first attempt that may have arrived on, one id has one body.
 */

/** The columns of a delivery that tell how it is sent. */
export const settingsColumns = sql`payload_version, locale, include_fields, scopes`

/** Those columns as they are for a subscription, `s`, at this moment; `tenant` is `tenantNow`. */
export const currentSettings = sql`tenant.served ->> coalesce(s.payload_version, tenant.settings ->> 'defaultApiVersion') as payload_version,
  coalesce(s.locale, tenant.settings -> 'locales' ->> 0) as locale, s.include_fields, s.scopes`

/** What `frozenNow` needs of the tenant: to be joined as `tenant`. */
export function tenantNow(now: Date): SQL {
  return sql`(select own_tenant() as settings, ${JSON.stringify(servedVersions(now))}::jsonb as served)`
}

/** Whether nothing was ever sent of a delivery, `d`. An attempt without an outcome may have arrived. */
export const isUnsent = sql`not exists (
  select from webhook_attempts a
   where a.tenant_id = d.tenant_id and a.delivery_id = d.id and (a.error is null or a.error <> all(${textArray(unsent)})))`

/** Freezes a delivery, `d`, anew where nothing was ever sent of it, as an assignment. */
export function refreshedSettings(now: Date): SQL {
  return sql`(${settingsColumns}) = (
    select ${currentSettings} from webhook_subscriptions s cross join ${tenantNow(now)} tenant
     where s.tenant_id = d.tenant_id and s.id = d.subscription_id and ${isUnsent}
     union all
    select d.payload_version, d.locale, d.include_fields, d.scopes where not ${isUnsent})`
}
