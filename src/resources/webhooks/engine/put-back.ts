/**
 * Deliveries that were claimed and not attempted, by no fault of their receivers: as if they had never been claimed. What
 * holds them up here (no resolver, a secret that cannot be decrypted, more bodies than a worker holds) uses up no attempt.
 */
import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import { uuids } from '../../../db/rows.ts'
import type { Claimed } from './claim.ts'
import type { Recorded } from './record.ts'

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
): { recorded: Statement<Recorded>; nextIn: number } {
  const nextIn = Math.min(mostDelay, leastDelay * 2 ** Math.min(delivery.deferrals, 10))
  return { nextIn, recorded: putBack([delivery], new Date(now.getTime() + nextIn), reason) }
}

/** Undoes what a claim has counted and logged, while its lease holds. */
function putBack(deliveries: readonly Claimed[], due: Date, reason: Deferral | null): Statement<Recorded> {
  const ids = deliveries.map((each) => each.id)
  return statement<Recorded>(sql`
    with back as (
      update webhook_deliveries d
         set attempts = d.attempts - 1, lease = null, leased_until = null, next_attempt_at = ${due.toISOString()}::timestamptz,
             deferrals = d.deferrals + ${reason === null ? 0 : 1}, deferred_for = coalesce(${reason}, d.deferred_for)
       where d.tenant_id = current_tenant() and d.id = any(${uuids(ids)}) and d.lease = ${deliveries[0]?.lease ?? null}::uuid
         and d.status = 'PENDING'
      returning d.id, d.earlier_attempts + d.attempts + 1 as number
    ), deleted as (
      delete from webhook_attempts a using back
       where a.tenant_id = current_tenant() and a.delivery_id = back.id and a.number = back.number
    )
    select null::text as "disabledReason" from back`)
}
