import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type RowOf, type Statement, statement } from '../../../db/query.ts'
import { uuidArray } from '../../../db/sql.ts'
import type { ClaimedDelivery } from './claim.ts'
import {
  type Deferral,
  disabledAfter,
  type Failure,
  hostPause,
  serviceFailures,
  unreachedFailures,
} from './schedule.ts'

/** The outcome of an attempt. */
export type Outcome<Error = Failure> = {
  readonly milliseconds: number
  /** Null if the receiver sent no response. */
  readonly httpStatus: number | null
  /** Null if the delivery succeeded. */
  readonly error: Error | null
  /** Milliseconds of the receiver's Retry-After. */
  readonly retryAfter: number | null
}

/** A recorded outcome, and the reason why it disabled the subscription. Null if it did not. */
export type RecordedOutcome = RowOf<typeof recordedRow>
const recordedRow = { disabledReason: z.string().nullable() }

/**
 * Records the outcome of an attempt for its delivery, its host and its subscription. The next attempt is due `nextIn` milliseconds
 * later, or none if it is null. `recorded` returns no row if the delivery is no
 * longer this attempt's: then only the log of attempts changes. A success counts after the lease while the delivery is
 * pending. A failure does not, because by then another worker attempts the delivery.
 */
export function recordStatements(
  delivery: ClaimedDelivery,
  outcome: Outcome,
  nextIn: number | null,
  now: Date,
): { attempt: Statement; recorded: Statement<RecordedOutcome> } {
  const { id, number, lease, callbackHost, subscriptionId } = delivery
  const { error, httpStatus } = outcome
  const moment = now.toISOString()
  const nextAttemptAt = new Date(now.getTime() + (nextIn ?? 0)).toISOString()
  const status = error === null ? 'DELIVERED' : nextIn === null ? 'FAILED' : 'PENDING'
  const isAboutReceiver = error === null || !serviceFailures.includes(error)
  const changes = [
    sql`recorded as (
      update webhook_deliveries
         set status = ${status}, lease = null, leased_until = null, deferrals = 0, deferred_for = null, next_attempt_at = ${nextAttemptAt}::timestamptz,
             completed_at = ${status === 'PENDING' ? null : moment}::timestamptz
       where tenant_id = current_tenant() and id = ${id}::uuid and status = 'PENDING'
         and ${error === null ? sql`true` : sql`lease = ${lease}::uuid`}
      returning id
    )`,
    sql`subscription as (${
      error === null
        ? succeeded(subscriptionId)
        : isAboutReceiver
          ? failed(subscriptionId, httpStatus === 410, moment)
          : sql`select null::text as reason where false`
    })`,
    ...(isAboutReceiver
      ? [
          sql`host as (${unreachedFailures.includes(error) ? hostFailed(callbackHost, now) : hostAnswered(callbackHost)})`,
        ]
      : []),
  ]
  return {
    attempt: statement(sql`
      update webhook_attempts set milliseconds = ${Math.round(outcome.milliseconds)}, http_status = ${httpStatus}::int, error = ${error}::text
       where tenant_id = current_tenant() and delivery_id = ${id}::uuid and number = ${number}`),
    recorded: statement(recordedRow)`
      with ${sql.join(changes, sql`, `)}
      select subscription.reason as "disabledReason" from recorded left join subscription on true`,
  }
}

/** The functions below return changes that depend on a row of `recorded`. */
const isRecorded = sql`exists (select from recorded)`

function hostAnswered(host: string): SQL {
  return sql`delete from webhook_hosts where tenant_id = current_tenant() and host = ${host} and ${isRecorded}`
}

function hostFailed(host: string, now: Date): SQL {
  const pause = (failures: SQL): SQL => sql`case when ${failures} >= failures_that_open() then
    ${now.toISOString()}::timestamptz + interval '1 millisecond' * least(${hostPause.longest}, ${hostPause.first} * 2 ^ least(${failures} - failures_that_open(), 10)) end`
  return sql`
    insert into webhook_hosts as h (tenant_id, host, failures) select current_tenant(), ${host}::text, 1 from recorded
    on conflict (tenant_id, host) do update set failures = h.failures + 1, open_until = ${pause(sql`(h.failures + 1)`)}`
}

/** Only the first success after failures and the first failure after successes write to the subscription. */
function succeeded(subscriptionId: string): SQL {
  return sql`
    update webhook_subscriptions set failing_since = null
     where tenant_id = current_tenant() and id = ${subscriptionId}::uuid and failing_since is not null and ${isRecorded}
    returning null::text as reason`
}

function failed(subscriptionId: string, isGone: boolean, moment: string): SQL {
  const isFailingTooLong = sql`coalesce(failing_since <= ${moment}::timestamptz - ${disabledAfter} * interval '1 millisecond', false)`
  return sql`
    update webhook_subscriptions
       set failing_since = coalesce(failing_since, ${moment}::timestamptz),
           status = case when ${isGone} or ${isFailingTooLong} then 'DISABLED' else status end,
           disabled_reason = case when ${isGone} then 'gone' when ${isFailingTooLong} then 'failing' end
     where tenant_id = current_tenant() and id = ${subscriptionId}::uuid and status <> 'DISABLED'
       and (failing_since is null or ${isGone} or ${isFailingTooLong}) and ${isRecorded}
    returning disabled_reason as reason`
}

/**
 * Releases the deliveries of one claim while its lease holds, as if they had never been claimed. They are due at `due`. `reason`
 * defers them; a deferral uses up no attempt. Returns no row for a delivery whose lease is over.
 */
export function releaseStatement(
  deliveries: readonly ClaimedDelivery[],
  due: Date,
  reason: Deferral | null = null,
): Statement<RecordedOutcome> {
  const ids = deliveries.map((delivery) => delivery.id)
  return statement(recordedRow)`
    with back as (
      update webhook_deliveries d
         set attempts = d.attempts - 1, lease = null, leased_until = null, next_attempt_at = ${due.toISOString()}::timestamptz,
             deferrals = d.deferrals + ${reason === null ? 0 : 1}, deferred_for = coalesce(${reason}, d.deferred_for)
       where d.tenant_id = current_tenant() and d.id = any(${uuidArray(ids)}) and d.lease = ${deliveries[0]?.lease ?? null}::uuid
         and d.status = 'PENDING'
      returning d.id, d.earlier_attempts + d.attempts + 1 as number
    ), deleted as (
      delete from webhook_attempts a using back
       where a.tenant_id = current_tenant() and a.delivery_id = back.id and a.number = back.number
    )
    select null::text as "disabledReason" from back`
}
