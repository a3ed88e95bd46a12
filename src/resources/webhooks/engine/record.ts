/** What became of an attempt, and what follows from it for the delivery, its host and its subscription. */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import type { Claimed } from './claim.ts'
import { failuresThatOpen } from './due.ts'
import { type Failure, final, refrained, unreached } from './failure.ts'
import { delayAfter, disabledAfter } from './schedule.ts'

/** What came of an attempt. */
export type Outcome<Error = Failure> = {
  readonly milliseconds: number
  /** Null when no answer came. */
  readonly httpStatus: number | null
  /** Null when it was delivered. */
  readonly error: Error | null
  /** Milliseconds that the receiver asks to be left alone. */
  readonly retryAfter: number | null
}

/** A delivery whose outcome was recorded, and why its subscription was disabled by it. Null if it was not disabled. */
export type Recorded = { readonly disabledReason: string | null }

/** Milliseconds for which an unreached host is left alone: doubled with every further failure. */
const leastPause = 5_000
const mostPause = 60_000

/**
 * Records the outcome of an attempt for its delivery, its host and its subscription. `recorded` returns no row if the delivery is no
 * longer this attempt's: then only the log of attempts changes. A success counts after the lease while the delivery is
 * pending. A failure does not, because by then another worker attempts the delivery.
 */
export function recordStatements(
  delivery: Claimed,
  outcome: Outcome,
  now: Date,
  random: number,
): { attempt: Statement; recorded: Statement<Recorded>; nextIn: number | null } {
  const { id, attempt, number, lease, callbackHost, subscriptionId } = delivery
  const { error, httpStatus } = outcome
  const moment = now.toISOString()
  const nextIn = final.includes(error) ? null : delayAfter(attempt, random, outcome.retryAfter)
  const next = new Date(now.getTime() + (nextIn ?? 0)).toISOString()
  const status = error === null ? 'DELIVERED' : nextIn === null ? 'FAILED' : 'PENDING'
  const isTelling = error === null || !refrained.includes(error)
  const changes = [
    sql`recorded as (
      update webhook_deliveries
         set status = ${status}, lease = null, leased_until = null, deferrals = 0, deferred_for = null, next_attempt_at = ${next}::timestamptz,
             completed_at = ${status === 'PENDING' ? null : moment}::timestamptz
       where tenant_id = current_tenant() and id = ${id}::uuid and status = 'PENDING'
         and ${error === null ? sql`true` : sql`lease = ${lease}::uuid`}
      returning id
    )`,
    sql`subscription as (${
      error === null
        ? succeeded(subscriptionId)
        : isTelling
          ? failed(subscriptionId, httpStatus === 410, moment)
          : sql`select null::text as reason where false`
    })`,
    ...(isTelling
      ? [
          sql`host as (${unreached.includes(error) ? hostFailed(callbackHost, now) : hostAnswered(callbackHost)})`,
        ]
      : []),
  ]
  return {
    nextIn,
    attempt: statement(sql`
      update webhook_attempts set milliseconds = ${Math.round(outcome.milliseconds)}, http_status = ${httpStatus}::int, error = ${error}::text
       where tenant_id = current_tenant() and delivery_id = ${id}::uuid and number = ${number}`),
    recorded: statement<Recorded>(sql`
      with ${sql.join(changes, sql`, `)}
      select subscription.reason as "disabledReason" from recorded left join subscription on true`),
  }
}

/** The functions below return changes that depend on a row of `recorded`. */
const isRecorded = sql`exists (select from recorded)`

function hostAnswered(host: string): SQL {
  return sql`delete from webhook_hosts where tenant_id = current_tenant() and host = ${host} and ${isRecorded}`
}

function hostFailed(host: string, now: Date): SQL {
  const pause = (failures: SQL): SQL => sql`case when ${failures} >= ${failuresThatOpen} then
    ${now.toISOString()}::timestamptz + interval '1 millisecond' * least(${mostPause}, ${leastPause} * 2 ^ least(${failures} - ${failuresThatOpen}, 10)) end`
  return sql`
    insert into webhook_hosts as h (tenant_id, host, failures) select current_tenant(), ${host}::text, 1 from recorded
    on conflict (tenant_id, host) do update set failures = h.failures + 1, open_until = ${pause(sql`(h.failures + 1)`)}`
}

/** Only the first success after failures, and the first failure after successes, write to the subscription. */
function succeeded(subscriptionId: string): SQL {
  return sql`
    update webhook_subscriptions set failing_since = null
     where tenant_id = current_tenant() and id = ${subscriptionId}::uuid and failing_since is not null and ${isRecorded}
    returning null::text as reason`
}

function failed(subscriptionId: string, gone: boolean, moment: string): SQL {
  const tooLong = sql`coalesce(failing_since <= ${moment}::timestamptz - ${disabledAfter} * interval '1 millisecond', false)`
  return sql`
    update webhook_subscriptions
       set failing_since = coalesce(failing_since, ${moment}::timestamptz),
           status = case when ${gone} or ${tooLong} then 'DISABLED' else status end,
           disabled_reason = case when ${gone} then 'gone' when ${tooLong} then 'failing' end
     where tenant_id = current_tenant() and id = ${subscriptionId}::uuid and status <> 'DISABLED'
       and (failing_since is null or ${gone} or ${tooLong}) and ${isRecorded}
    returning disabled_reason as reason`
}
