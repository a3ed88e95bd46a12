import * as z from 'zod'
import type { Runtime } from '../../../core/work.ts'
import { StorageUnavailable } from '../../../db/client.ts'
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
  /** Milliseconds of checking the address. Null if it was not checked. */
  readonly addressMs: number | null
  /** Milliseconds from the headers to the end of the body. Null if the service did not read its end. */
  readonly bodyMs: number | null
  /** The start of the response body, if the subscription records responses. */
  readonly response: string | null
}

/** The outcome of an attempt that got no response. */
export const noResponse = {
  milliseconds: 0,
  httpStatus: null,
  retryAfter: null,
  addressMs: null,
  bodyMs: null,
  response: null,
}

/** A delivery whose attempt has ended. The next attempt is due `nextIn` milliseconds later, or none if it is null. */
export type EndedAttempt = {
  readonly delivery: ClaimedDelivery
  readonly outcome: Outcome
  readonly nextIn: number | null
}

/** A delivery whose outcome counts, and the reason why it disabled the subscription. Null if it did not. */
export type RecordedOutcome = RowOf<typeof recordedRow>
const recordedRow = { id: z.string(), disabledReason: z.string().nullable() }

/**
 * Records the outcomes of attempts for their deliveries, hosts and subscriptions: one call of `record_outcomes()`. Returns no row for a
 * delivery that is no longer this attempt's: then only the log of attempts changes. A success counts after the lease while the delivery is
 * pending. A failure does not, because by then another worker attempts the delivery.
 */
function recordStatement(attempts: readonly EndedAttempt[], now: Date): Statement<RecordedOutcome> {
  const outcomes = attempts.map(({ delivery, outcome, nextIn }) => {
    const { milliseconds, httpStatus, error, addressMs, bodyMs, response } = outcome
    return {
      id: delivery.id,
      number: delivery.number,
      lease: delivery.lease,
      subscription: delivery.subscriptionId,
      host: delivery.callbackHost,
      milliseconds: Math.round(milliseconds),
      addressMs,
      bodyMs,
      response,
      httpStatus,
      error,
      status: error === null ? 'DELIVERED' : nextIn === null ? 'FAILED' : 'PENDING',
      nextAttemptAt: new Date(now.getTime() + (nextIn ?? 0)).toISOString(),
      isAboutReceiver: error === null || !serviceFailures.includes(error),
      isUnreached: unreachedFailures.includes(error),
    }
  })
  return statement(recordedRow)`
    select id, reason as "disabledReason"
      from record_outcomes(${JSON.stringify(outcomes)}::jsonb, ${now.toISOString()}::timestamptz,
                           ${JSON.stringify({ ...hostPause, disabledAfter })}::jsonb)`
}

type Recording = {
  /** Undefined if the delivery is no longer this attempt's. */
  readonly row: RecordedOutcome | undefined
  /** True if the first call got no response. It may have succeeded. */
  readonly isRepeated: boolean
  readonly statements: number
}

/**
 * Returns a function that records outcomes of a tenant. Those that end while a call is under way are recorded together by the next one:
 * of ten, each takes 1 ms of time instead of 14 (two busy cores). A
 * call without a response is repeated once, because an unrecorded success is delivered twice. @throws StorageUnavailable
 */
export function outcomeRecorder(
  { database, now }: Pick<Runtime, 'database' | 'now'>,
  tenantId: string,
): (attempt: EndedAttempt) => Promise<Recording> {
  const waiting: (PromiseWithResolvers<Recording> & { readonly attempt: EndedAttempt })[] = []
  let isRecording = false

  async function recordWaiting(): Promise<void> {
    isRecording = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0)
      const session = database.open(tenantId)
      const record = () =>
        session.write({
          recorded: recordStatement(
            batch.map(({ attempt }) => attempt),
            now(),
          ),
        })
      let isRepeated = false
      try {
        const { recorded } = await record().catch((error) => {
          if (!(error instanceof StorageUnavailable)) throw error
          isRepeated = true
          return record()
        })
        for (const { attempt, resolve } of batch) {
          const row = recorded.find(({ id }) => id === attempt.delivery.id)
          resolve({ row, isRepeated, statements: session.stats.statements })
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRecording = false
  }

  return (attempt) => {
    const recording = Promise.withResolvers<Recording>()
    waiting.push({ ...recording, attempt })
    if (!isRecording) void recordWaiting()
    return recording.promise
  }
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
    select id, null::text as "disabledReason" from back`
}
