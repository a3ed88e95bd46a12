import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { DatabaseError, type Session, StorageUnavailable } from '../db/client.ts'
import { stampColumns } from '../db/columns.ts'
import { statement, typedRows } from '../db/query.ts'
import { uuidArray } from '../db/sql.ts'
import { idsSavedUnderClock, sentSteps, sqlTemplate } from '../db/write-steps.ts'
import {
  claimKey,
  completeKey,
  isKeyed,
  isKeyRace,
  keyedRead,
  releaseKey,
  replay,
  storedKey,
} from './idempotency.ts'
import { byteLimits } from './limits.ts'
import type { Context } from './operation.ts'
import type { Difference } from './patch.ts'
import { type Plan, scheduledAheadMs, stampsOf, type WriteOutcome, type Writer } from './plan.ts'
import { httpProblems } from './problems/http.ts'
import {
  concurrencyProblems,
  idempotencyProblems,
  problemOfStorage,
  storageUnavailable,
} from './problems/server.ts'
import { bytesOf } from './sizes.ts'
import { storedActor } from './trace.ts'

/**
 * Writes take at most two round trips. The first reads the rows that the rules need. The second is one call of the SQL
 * function `apply_write()`: it locks rows, compares their versions, changes rows and records events. This file decides
 * for all resources what happens if the second one fails, is lost or loses a race.
 */

type Prepare<Result, ReadBack> = (
  read: Session['read'],
  /** The number of the try, from 1. */
  attempt: number,
) => Promise<Plan<Result, ReadBack>>

const attempts = 4
const minimumWait = 15
const maximumWait = 1000
/** Milliseconds by which the clocks of Worker and database may differ. */
const maximumSkew = 10_000

type ChangePlan<Result, ReadBack> = Extract<Plan<Result, ReadBack>, { guard: unknown }>

/** A sent write, and the ids by which its events are found if it committed. */
type SentWrite<Result, ReadBack> = {
  readonly plan: ChangePlan<Result, ReadBack>
  readonly eventIds: readonly string[]
}

/**
 * Runs a write. After a lost race `prepare` is called again, so it must read again and must create ids outside.
 * `prepare` has to call `requireIfMatch()` if the operation compares `If-Match`: without it, nothing is written.
 * @throws Problem 404, 409, 412, 422 as `prepare` and the guards decide; 409 `concurrency.busy` after four lost races;
 * 503 when storage is unavailable; 413 `http.batch_too_large` before anything is sent
 */
export async function write<Result, ReadBack = unknown>(
  context: Writer,
  operation: string,
  prepare: Prepare<Result, ReadBack>,
): Promise<WriteOutcome<Result, ReadBack>> {
  /** Writes without a response: each may have committed, or may still commit. */
  const unconfirmed: SentWrite<Result, ReadBack>[] = []
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now()
    const keyed = keyedRead(context)
    const earlierOutcome = async () =>
      (await committed(context, unconfirmed)) ?? replay<Result, ReadBack>(context, await keyed.key())
    let sent: SentWrite<Result, ReadBack> | null = null
    try {
      const plan = await prepare(keyed.read, attempt)
      if (context.ifMatch?.isCompared === false)
        throw new Error(`${operation} does not call requireIfMatch()`)
      const outcome = (await keyed.key()) || 'unchanged' in plan ? await earlierOutcome() : null
      if (outcome) return outcome
      if (!('guard' in plan)) {
        const result = await withoutChanges(context, operation, plan)
        return { result, stamps: new Map(), replayed: false, readBack: [] }
      }
      sent = { plan, eventIds: plan.changed.map(() => uuidv7()) }
      return await send(context, operation, sent)
    } catch (error) {
      if (sent && error instanceof StorageUnavailable && error.mayHaveCommitted) unconfirmed.push(sent)
      // The conflict may be with the change of an unconfirmed write.
      const outcome = await earlierOutcome()
      if (outcome) return outcome
      const failure = failureOf(context, error, sent?.plan ?? null, unconfirmed.length > 0)
      if (failure.retry === 'never' || attempt === attempts) throw failure.error
      if (failure.retry === 'after a wait') await waitAfter(attempt, performance.now() - started)
    }
  }
}

/** Waits in proportion to the duration of a try, so that many writers of one row spread out under load as well. */
async function waitAfter(attempt: number, milliseconds: number): Promise<void> {
  const unit = Math.max(minimumWait, milliseconds)
  const wait = Math.min((0.5 + Math.random()) * unit * 2 ** attempt, maximumWait)
  await new Promise((done) => setTimeout(done, wait))
}

/**
 * Performs a plan that changes no rows, and stores its result with the request's idempotency key. An action claims the key first, so
 * that of concurrent requests with one key only the first performs it.
 */
async function withoutChanges<Result>(
  context: Writer,
  operation: string,
  plan: { readonly unchanged: Result } | { readonly perform: () => Promise<Result> },
): Promise<Result> {
  const { db } = context
  if ('perform' in plan && db.isDryRun) throw httpProblems.dry_run_unsupported()
  if (!isKeyed(context)) return 'perform' in plan ? plan.perform() : plan.unchanged
  if ('unchanged' in plan) {
    await db.apply({ key: storedKey(context, operation, plan.unchanged) })
    return plan.unchanged
  }
  await db.write(claimKey(context, operation))
  const result = await plan.perform().catch(async (error) => {
    await db.write({ released: releaseKey(context) })
    throw error
  })
  await db.write({ completed: completeKey(context, operation, result) })
  return result
}

async function send<Result, ReadBack>(
  context: Writer,
  operation: string,
  { plan, eventIds }: SentWrite<Result, ReadBack>,
): Promise<WriteOutcome<Result, ReadBack>> {
  const { db } = context
  const { changed, readBack, totals, result, wakesDispatch = false } = plan
  const savedIds = idsSavedUnderClock(plan)
  const { rows, stamps } = await db.apply({
    ...(isKeyed(context) && { key: storedKey(context, operation, result) }),
    ...(plan.guard.length > 0 && { locks: plan.guard }),
    ...sentSteps(plan, changed),
    ...(readBack && { readBack: sqlTemplate(readBack.query) }),
    changes: changed.map(({ scheduledAt: _, ...change }, index) => ({
      ...change,
      changes: boundedDifferences(change.changes),
      locale: context.locale?.requested,
      eventId: eventIds[index],
      isSaved: savedIds.has(change.id),
    })),
    envelope: { actor: storedActor(context), apiVersion: context.apiVersion, requestId: context.requestId },
    totals,
  })
  const stampRows = stamps ?? []
  db.followUp.hasSubscribers ||= wakesDispatch || stampRows.some((row) => row.awaited !== false)
  db.followUp.hasNearSchedule ||= changed.some(({ scheduledAt: moments = [] }) => moments.some(isNear))
  return {
    result,
    stamps: stampsOf(stampRows),
    replayed: false,
    readBack: readBack ? typedRows(readBack, rows ?? []) : [],
  }
}

/**
 * Limits the differences of an event to the maximum size of a row. The largest ones lose their values first and are
 * marked. Their paths remain, and the event's document contains the new values.
 */
function boundedDifferences(differences: readonly Difference[]): readonly Difference[] {
  const sized = differences.map((difference, index) => ({
    index,
    difference,
    bytes: bytesOf(JSON.stringify(difference)),
  }))
  let size = sized.reduce((sum, { bytes }) => sum + bytes, 0)
  if (size <= maximumBytes) return differences
  const bounded = [...differences]
  for (const { index, difference, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    if (size <= maximumBytes) break
    const omitted = { path: difference.path, before: null, after: null, omitted: true } as const
    size += bytesOf(JSON.stringify(omitted)) - bytes
    bounded[index] = omitted
  }
  return bounded
}

// Postgres writes a space after each colon and comma.
const maximumBytes = byteLimits.rowDocument * 0.9

/** Whether a time may come before the next run of the cron. */
function isNear(time: string | null): boolean {
  if (time === null) return false
  const milliseconds = Date.parse(time) - Date.now()
  return milliseconds > -maximumSkew && milliseconds < scheduledAheadMs
}

/** Serialization failure and deadlock. */
const conflictStates = /^(40001|40P01)$/
/** A locked row is gone or has another version. After another read, requireIfMatch() reports an `If-Match` that differs. */
const lockConflicts = /^PC4(?:04|12)$/

/** Unique indexes of positions and names. After another read, the write takes a free one or reports the conflict. */
export const retriedConstraints = /_(?:position|handle|external_id|sku|locale)$/
/** The winner of a race for a name has committed, so that the next read finds its name. */
const retriedAtOnce = /_(?:handle|external_id|sku|locale)$/

type Failure = { readonly error: unknown; readonly retry: 'never' | 'at once' | 'after a wait' }

/** Classifies the failure of a try. `plan` is null if no write was sent. */
function failureOf(
  context: Writer,
  error: unknown,
  plan: Pick<ChangePlan<unknown, unknown>, 'changed' | 'constraintProblems'> | null,
  hasUnconfirmed: boolean,
): Failure {
  const retry = (error: Error): Failure => ({ error, retry: 'after a wait' })
  const fail = (error: unknown): Failure => ({ error, retry: 'never' })
  const busy = concurrencyProblems.busy()
  if (error instanceof StorageUnavailable) {
    // Without an event or an idempotency key, a retry could not find out whether the write has committed. If nothing
    // was sent or no connection was free, `db` has already retried.
    const isFound = plan?.changed.some(({ topic }) => topic !== null) || isKeyed(context)
    return plan && isFound && error.mayHaveCommitted
      ? retry(storageUnavailable(error))
      : fail(storageUnavailable(error))
  }
  if (!(error instanceof DatabaseError)) return fail(problemOfStorage(error))
  // A request with the same key was first. The next read finds its result.
  if (isKeyRace(error)) return retry(idempotencyProblems.in_flight())
  if (conflictStates.test(error.sqlstate)) return retry(busy)
  if (!plan) return fail(problemOfStorage(error))
  if (lockConflicts.test(error.sqlstate)) return retry(busy)
  const constraint = error.constraint ?? error.subject
  const problem = plan.constraintProblems?.[constraint] ?? (retriedConstraints.test(constraint) && 'again')
  if (problem === 'again')
    return retriedAtOnce.test(constraint) ? { error: busy, retry: 'at once' } : retry(busy)
  if (problem) return fail(problem)
  if (error.sqlstate !== '55P03') return fail(problemOfStorage(error))
  // An unconfirmed write may still hold the lock and may still commit, so the outcome is unknown.
  if (hasUnconfirmed) return fail(storageUnavailable(error))
  // Earlier writers held the lock longer than the lock timeout. The next read finds a key that a concurrent request stored.
  return retry(isKeyed(context) ? idempotencyProblems.in_flight() : busy)
}

/** The outcome of a write without a response, found by its events; null if none of them has committed. */
async function committed<Result, ReadBack>(
  context: Writer,
  unconfirmed: readonly SentWrite<Result, ReadBack>[],
): Promise<WriteOutcome<Result, ReadBack> | null> {
  if (unconfirmed.length === 0) return null
  const ids = unconfirmed.flatMap((sent) => sent.eventIds)
  const { rows } = await context.db.read({
    rows: statement({ ...stampColumns, eventId: z.string() })`
      select id as "eventId", resource_id as id, resource_version as version, instant_text(occurred_at) as at, sequence::float8 as sequence
        from events where tenant_id = current_tenant() and id = any(${uuidArray(ids)}) order by sequence`,
  })
  const sent = unconfirmed.find(({ eventIds }) => rows.some((row) => eventIds.includes(row.eventId)))
  if (!sent) return null
  const { plan } = sent
  const { readBack } = plan.readBack ? await context.db.read({ readBack: plan.readBack }) : { readBack: [] }
  return { result: plan.result, stamps: stampsOf(rows), replayed: false, readBack }
}

/**
 * Compares `If-Match` with the version of the resource that the operation changes. An upsert that creates has the version 0.
 * @throws 412 `concurrency.version_mismatch` with `currentVersion`
 */
export function requireIfMatch({ ifMatch }: Pick<Context, 'ifMatch'>, currentVersion: number): void {
  if (ifMatch === null) return
  ifMatch.isCompared = true
  const { versions, exists } = ifMatch
  if (
    (versions === null || versions.includes(currentVersion)) &&
    (exists === null || exists === currentVersion > 0)
  )
    return
  throw concurrencyProblems.version_mismatch({ currentVersion }, { members: { currentVersion } })
}
