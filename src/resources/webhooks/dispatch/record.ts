import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/query.ts'
import { uuidArray } from '../../../db/write-steps.ts'
import type { Claimed } from './claim.ts'
import { failuresThatOpen } from './ready.ts'
import { delayAfter, disabledAfter, type Failure, final, refrained, unreached } from './schedule.ts'

/** What became of an attempt, and what follows from it for the delivery, its host and its subscription. */

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
export type EventedResource = { readonly disabledReason: string | null }

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
): { attempt: Statement; recorded: Statement<EventedResource>; nextIn: number | null } {
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
    recorded: statement<EventedResource>(sql`
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

/**
 * Deliveries that were claimed and not attempted, by no fault of their receivers: as if they had never been claimed. What
 * holds them up here (no resolver, a secret that cannot be decrypted, more bodies than a worker holds) uses up no attempt.
 */

/** Why a delivery was put back: this service's own failures before an attempt, which pass or are mended by its operator. */
export const deferrals = ['resolver_unavailable', 'secret_unreadable'] as const
export type Deferral = (typeof deferrals)[number]

/** Milliseconds until a delivery is tried again that was put back: doubled each time. */
const leastDelay = 5_000
const mostDelay = 300_000

/** Puts deliveries of one claim back, due at once. */
export function releaseStatement(deliveries: readonly Claimed[], now: Date): Statement {
  return putBack(deliveries, now, null)
}

/** Puts a delivery back for a reason of ours, for `nextIn` milliseconds. `recorded` returns no row if its lease is over. */
export function deferStatement(
  delivery: Claimed,
  reason: Deferral,
  now: Date,
): { recorded: Statement<EventedResource>; nextIn: number } {
  const nextIn = Math.min(mostDelay, leastDelay * 2 ** Math.min(delivery.deferrals, 10))
  return { nextIn, recorded: putBack([delivery], new Date(now.getTime() + nextIn), reason) }
}

/** Undoes what a claim has counted and logged, while its lease holds. */
function putBack(
  deliveries: readonly Claimed[],
  due: Date,
  reason: Deferral | null,
): Statement<EventedResource> {
  const ids = deliveries.map((each) => each.id)
  return statement<EventedResource>(sql`
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
    select null::text as "disabledReason" from back`)
}
