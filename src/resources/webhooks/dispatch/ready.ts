import { type SQL, sql } from 'drizzle-orm'
import { textArray } from '../../../db/write-steps.ts'
import { servedVersions } from './payload.ts'
import { attemptsThatHoldUp, maximumAttempts, unsentFailures } from './schedule.ts'

/**
 * Maximum concurrent attempts at a callback host of a tenant, and at a host that recently could not be
 * reached.
 */
const attemptsAtOnce = 10
const probesAtOnce = 1

/** Number of consecutive failures to reach a host that opens its circuit breaker. */
export const failuresThatOpen = 5

/**
 * Whether a delivery may be attempted now, as a condition on `d` (the delivery), `s` (its subscription) and
 * `order_group`. It is due, its subscription is active, and no earlier delivery holds it up.
 */
export function isAttemptable(now: string): SQL {
  return sql`d.status = 'PENDING' and d.next_attempt_at <= ${now}::timestamptz and d.attempts < ${maximumAttempts}
    and s.status = 'ACTIVE' and s.topic is not null and s.callback_url is not null and not ${isHeldUp(now)}`
}

/** The active subscriptions with the callback URL of `s`, as `order_group.ids`. Join it laterally for `isAttemptable`. */
export const deliveryOrderGroup = sql`(
  select array(select t.id from webhook_subscriptions t
                where t.tenant_id = current_tenant() and t.callback_host = s.callback_host
                  and t.callback_url = s.callback_url and t.status = 'ACTIVE'
                  and t.topic is not null) as ids) as order_group`

/**
 * Whether an earlier delivery of the same resource to the same URL has to arrive first. A URL receives the
 * versions of a resource in order, through whichever of its subscriptions. A delivery that has failed
 * `attemptsThatHoldUp` times no longer holds up others, nor does one of a paused subscription. A secret that
 * cannot be decrypted holds up only its own subscription. If names cannot be resolved, everything waits. This
 * is a scalar subquery, because Postgres would turn `exists` into a join with all pending deliveries.
 */
function isHeldUp(now: string): SQL {
  return sql`coalesce((
    select true from webhook_deliveries e
     where e.tenant_id = current_tenant() and e.resource_id = d.resource_id and e.kind = d.kind
       and e.event_sequence < d.event_sequence and e.status = 'PENDING' and e.subscription_id = any(order_group.ids)
       and (e.deferred_for is distinct from 'secret_unreadable' or e.subscription_id = d.subscription_id)
       and (e.attempts < ${attemptsThatHoldUp} or (e.attempts = ${attemptsThatHoldUp} and e.leased_until > ${now}::timestamptz))
     limit 1), false)`
}

/**
 * The number of further concurrent attempts that a host allows now. `h` is its row in webhook_hosts, which
 * may not exist.
 */
export function freeSlotsAt(host: SQL, now: string): SQL {
  return sql`(case when h.failures < ${failuresThatOpen} or h.failures is null then ${attemptsAtOnce}
                   when h.open_until > ${now}::timestamptz then 0 else ${probesAtOnce} end
    - (select count(*) from webhook_deliveries l
         join webhook_subscriptions t on t.tenant_id = l.tenant_id and t.id = l.subscription_id
        where l.tenant_id = current_tenant() and l.lease is not null and l.leased_until > ${now}::timestamptz
          and t.callback_host = ${host}))::int`
}

/**
 * The columns of a delivery with its payload settings. They are copied from the subscription when the
 * delivery is created. Reopening copies them again if nothing has been sent. From the first attempt that may
 * have arrived, one id has one body.
 */
export const settingsColumns = sql`payload_version, locale, include_fields, scopes`

/** The current values of these columns for a subscription `s`. `tenant` is `tenantNow`. */
export const currentSettings = sql`tenant.served ->> coalesce(s.payload_version, tenant.settings ->> 'defaultApiVersion') as payload_version,
  coalesce(s.locale, tenant.settings -> 'locales' ->> 0) as locale, s.include_fields, s.scopes`

/** The settings of the tenant that `currentSettings` uses. Join it as `tenant`. */
export function tenantNow(now: Date): SQL {
  return sql`(select own_tenant() as settings, ${JSON.stringify(servedVersions(now))}::jsonb as served)`
}

/** Whether nothing was ever sent of a delivery `d`. An attempt without an outcome may have arrived. */
export const isUnsent = sql`not exists (
  select from webhook_attempts a
   where a.tenant_id = d.tenant_id and a.delivery_id = d.id and (a.error is null or a.error <> all(${textArray(unsentFailures)})))`

/** An assignment that refreshes the settings of a delivery `d` if nothing was ever sent of it. */
export function refreshSettings(now: Date): SQL {
  return sql`(${settingsColumns}) = (
    select ${currentSettings} from webhook_subscriptions s cross join ${tenantNow(now)} tenant
     where s.tenant_id = d.tenant_id and s.id = d.subscription_id and ${isUnsent}
     union all
    select d.payload_version, d.locale, d.include_fields, d.scopes where not ${isUnsent})`
}
