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

/** What a failure did to its subscription: why it is disabled, null where it is not. */
type Verdict = { readonly reason: string | null }

/** Milliseconds for which an unreached host is left alone: doubled with every further failure. */
const leastPause = 5_000
const mostPause = 60_000

/**
 * Records the outcome of an attempt. One that was slower than its lease still counts when it delivered; its failure is only
 * noted, since by then someone else attempts the delivery.
 */
export function recordStatements(
  delivery: Claimed,
  outcome: Outcome,
  now: Date,
  random: number,
): { statements: Statement[]; verdict: Statement<Verdict> | null; nextIn: number | null } {
  const { id, attempt, number, lease, callbackHost, subscriptionId } = delivery
  const { error, httpStatus } = outcome
  const moment = now.toISOString()
  const nextIn = final.includes(error) ? null : delayAfter(attempt, random, outcome.retryAfter)
  const next = new Date(now.getTime() + (nextIn ?? 0)).toISOString()
  const status = error === null ? 'DELIVERED' : nextIn === null ? 'FAILED' : 'PENDING'
  const isTelling = error === null || !refrained.includes(error)
  return {
    nextIn,
    statements: [
      statement(sql`
        update webhook_attempts set milliseconds = ${Math.round(outcome.milliseconds)}, http_status = ${httpStatus}::int, error = ${error}::text
         where tenant_id = current_tenant() and delivery_id = ${id}::uuid and number = ${number}`),
      statement(sql`
        update webhook_deliveries
           set status = ${status}, lease = null, leased_until = null, deferrals = 0, deferred_for = null, next_attempt_at = ${next}::timestamptz,
               completed_at = ${status === 'PENDING' ? null : moment}::timestamptz
         where tenant_id = current_tenant() and id = ${id}::uuid and status = 'PENDING'
           and ${error === null ? sql`true` : sql`lease = ${lease}::uuid`}`),
      ...(isTelling
        ? [unreached.includes(error) ? hostFailed(callbackHost, now) : hostAnswered(callbackHost)]
        : []),
      ...(error === null ? [succeeded(subscriptionId)] : []),
    ],
    verdict: error !== null && isTelling ? failed(subscriptionId, httpStatus === 410, moment) : null,
  }
}

function hostAnswered(host: string): Statement {
  return statement(sql`delete from webhook_hosts where tenant_id = current_tenant() and host = ${host}`)
}

function hostFailed(host: string, now: Date): Statement {
  const pause = (failures: SQL): SQL => sql`case when ${failures} >= ${failuresThatOpen} then
    ${now.toISOString()}::timestamptz + interval '1 millisecond' * least(${mostPause}, ${leastPause} * 2 ^ least(${failures} - ${failuresThatOpen}, 10)) end`
  return statement(sql`
    insert into webhook_hosts as h (tenant_id, host, failures) values (current_tenant(), ${host}, 1)
    on conflict (tenant_id, host) do update set failures = h.failures + 1, open_until = ${pause(sql`(h.failures + 1)`)}`)
}

/** Only the first success after failures, and the first failure after successes, write to the subscription. */
function succeeded(subscriptionId: string): Statement {
  return statement(sql`update webhook_subscriptions set failing_since = null
     where tenant_id = current_tenant() and id = ${subscriptionId}::uuid and failing_since is not null`)
}

function failed(subscriptionId: string, gone: boolean, moment: string): Statement<Verdict> {
  const tooLong = sql`coalesce(failing_since <= ${moment}::timestamptz - ${disabledAfter} * interval '1 millisecond', false)`
  return statement<Verdict>(sql`
    update webhook_subscriptions
       set failing_since = coalesce(failing_since, ${moment}::timestamptz),
           status = case when ${gone} or ${tooLong} then 'DISABLED' else status end,
           disabled_reason = case when ${gone} then 'gone' when ${tooLong} then 'failing' end
     where tenant_id = current_tenant() and id = ${subscriptionId}::uuid and status <> 'DISABLED'
       and (failing_since is null or ${gone} or ${tooLong})
    returning disabled_reason as reason`)
}
