import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import {
  DatabaseError,
  largestBatch,
  type Session,
  StorageUnavailable,
  TooLargeForStorage,
} from '../db/client.ts'
import { effects, lastRow, noQuery, type Statement, statement } from '../db/query.ts'
import { mergeSteps, stepStatement, underClock, uuidArray } from '../db/write-steps.ts'
import { bytesOf } from './document.ts'
import {
  isKeyed,
  isKeyRace,
  keyLookup,
  keyStatement,
  replay,
  type StoredKey,
  storeReadBack,
  withKeyLookup,
} from './idempotency.ts'
import { byteLimits } from './limits.ts'
import type { Context } from './operation.ts'
import type { Difference } from './patch.ts'
import {
  committedStamps,
  type Plan,
  stampColumns,
  stampsOf,
  type Writer,
  type Written,
  wokenAhead,
} from './plan.ts'
import { httpProblems } from './problems/http.ts'
import { concurrencyProblems, idempotencyProblems, serverProblems } from './problems/server.ts'
import { storedActor } from './trace.ts'

export type { Writer, Written } from './plan.ts'

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

/**
 * Writes take at most two round trips. The first reads the rows that the rules need. The second is one guarded batch:
 * it locks rows, compares their versions, changes rows and ends in commit(). This file decides for all resources what
 * happens if the second one fails, is lost or loses a race.
 */

type Prepare<Result, ReadBack> = (read: Session['read']) => Promise<Plan<Result, ReadBack>>

const attempts = 4
const minimumWait = 15
const maximumWait = 1000
/** Milliseconds by which the clocks of Worker and database may differ. */
const maximumSkew = 10_000

/** A sent batch, and the ids by which its events are found if it committed. */
type SentBatch<Result, ReadBack> = {
  readonly plan: BatchPlan<Result, ReadBack>
  readonly eventIds: readonly string[]
}
type BatchPlan<Result, ReadBack> = Extract<Plan<Result, ReadBack>, { guard: unknown }>
type TryResult<Result, ReadBack> = { readonly outcome: Written<Result, ReadBack> } | { readonly retry: Error }

/**
 * Runs a write. After a lost race `prepare` is called again, so it must read again and must create ids outside.
 * @throws Problem 404, 409, 412, 422 as `prepare` and the guards decide; 409 `concurrency.busy` after four lost races;
 * 503 when storage is unavailable; 413 `http.batch_too_large` before anything is sent
 */
export async function write<Result, ReadBack = unknown>(
  context: Writer,
  operation: string,
  prepare: Prepare<Result, ReadBack>,
): Promise<Written<Result, ReadBack>> {
  const unconfirmed: SentBatch<Result, ReadBack>[] = []
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now()
    const tried = await tryOnce(context, operation, prepare, unconfirmed)
    if ('outcome' in tried) return tried.outcome
    if (attempt === attempts) throw tried.retry
    // The wait scales with the duration of a try, so that many writers of one row spread out under load as well.
    const unit = Math.max(minimumWait, performance.now() - started)
    const wait = Math.min((0.5 + Math.random()) * unit * 2 ** attempt, maximumWait)
    await new Promise((done) => setTimeout(done, wait))
  }
}

/** `unconfirmed` collects the batches without a response: each may have committed, or may still commit. */
async function tryOnce<Result, ReadBack>(
  context: Writer,
  operation: string,
  prepare: Prepare<Result, ReadBack>,
  unconfirmed: SentBatch<Result, ReadBack>[],
): Promise<TryResult<Result, ReadBack>> {
  const lookup: { key: StoredKey | null } = { key: null }
  const earlierOutcome = async () =>
    (await committed(context, unconfirmed)) ??
    (lookup.key && isKeyed(context) ? replay<Result, ReadBack>(context, lookup.key) : null)
  let sentBatch: SentBatch<Result, ReadBack> | null = null
  try {
    const plan = await prepare(withKeyLookup(context, lookup))
    const outcome = lookup.key || 'unchanged' in plan ? await earlierOutcome() : null
    if (outcome) return { outcome }
    if (!('guard' in plan)) {
      const result = 'perform' in plan ? await plan.perform() : plan.unchanged
      if (isKeyed(context)) {
        await context.db.write({ key: keyStatement(context, operation, result, []) })
      }
      return { outcome: { result, stamps: new Map(), replayed: false, settled: [] } }
    }
    sentBatch = { plan, eventIds: plan.changed.map(() => uuidv7()) }
    const { rows, settled } = await send(context, operation, sentBatch)
    return { outcome: { result: plan.result, stamps: stampsOf(rows), replayed: false, settled } }
  } catch (error) {
    if (sentBatch && error instanceof StorageUnavailable && error.mayHaveCommitted)
      unconfirmed.push(sentBatch)
    // The conflict may be with the change of an unconfirmed batch.
    const outcome = await earlierOutcome()
    if (outcome) return { outcome }
    // If no batch was sent, the read failed, or storing the key of a write without changes.
    if (!sentBatch && !isRace(error)) throw toProblem(error)
    // Without an event or an idempotency key, a retry could not find out whether the batch has committed.
    const hasEvent = sentBatch?.plan.changed.some(({ topic }) => topic !== null)
    if (error instanceof StorageUnavailable && !hasEvent && !isKeyed(context)) throw unavailable(error)
    return afterFailure(context, error, sentBatch?.plan ?? { constraintProblems: {} }, unconfirmed.length > 0)
  }
}

async function send<Result, ReadBack>(
  context: Writer,
  operation: string,
  { plan, eventIds }: SentBatch<Result, ReadBack>,
): Promise<{ rows: z.infer<typeof committedStamps>; settled: readonly ReadBack[] }> {
  const { idempotency, actor, db } = context
  const changes = plan.changed.map(({ scheduledAt: _, ...change }, index) => ({
    ownerId: null,
    ...change,
    changes: boundedDifferences(change.changes),
    eventId: eventIds[index],
  }))
  const envelope = {
    actor: storedActor(context),
    apiVersion: context.apiVersion,
    requestId: context.requestId,
    ...(idempotency ? { idempotencyKey: idempotency.key, client: actor.client, subject: actor.subject } : {}),
  }
  const statements = [
    ...(isKeyed(context) ? [keyStatement(context, operation, plan.result, null)] : []),
    ...(plan.guard.length > 0 ? [stepStatement({ do: 'guard', items: plan.guard })] : []),
    ...plan.statements,
  ]
  const { totals } = plan
  const commit = plan.readBack
    ? commitWithReadBack(plan.readBack, envelope, changes, totals)
    : stepStatement({ do: 'commit', envelope, changes, totals })
  const { settled, committed } = await db.write({
    statements: effects(plan.readBack ? mergeSteps(statements) : []),
    kept: effects(plan.readBack && isKeyed(context) ? [storeReadBack(context, plan.readBack)] : []),
    settled: plan.readBack ?? noQuery,
    committed: lastRow(
      plan.readBack ? [commit] : underClock(statements, plan.changed, commit),
      committedColumns,
    ),
  })
  const rows = committed?.written ?? []
  db.hasSubscribers = db.hasSubscribers === true || rows.some((row) => row.awaited !== false)
  db.hasNearSchedule ||= plan.changed.some(({ scheduledAt: moments = [] }) => moments.some(isNear))
  return { rows, settled: settled ?? [] }
}

/** Whether a time may come before the next run of the cron. */
function isNear(time: string | null): boolean {
  if (time === null) return false
  const milliseconds = Date.parse(time) - Date.now()
  return milliseconds > -maximumSkew && milliseconds < wokenAhead
}

/** True if Postgres aborted this transaction because of a conflict, or if a concurrent request with the same key was first. */
function isRace(error: unknown): boolean {
  return isKeyRace(error) || (error instanceof DatabaseError && conflictStates.test(error.sqlstate))
}

/** Serialization failure and deadlock. */
const conflictStates = /^(40001|40P01)$/

/** The result of a write's last statement: the stamps of commit(). */
const committedColumns = { written: committedStamps.nullable() }

/** commit() with the read-back rows as the documents of their changes. */
function commitWithReadBack(
  readBack: Statement,
  envelope: object,
  changes: readonly unknown[],
  totals: object,
): Statement {
  return statement(sql`
    select commit(${JSON.stringify(envelope)}::jsonb, (
        select coalesce(jsonb_agg(case when s.id is null then change else change || jsonb_build_object('document', to_jsonb(s)::text) end order by n), '[]')
          from jsonb_array_elements(${JSON.stringify(changes)}::jsonb) with ordinality as c(change, n)
          left join (${readBack.query}) as s on s.id = (change ->> 'id')::uuid
      ), ${JSON.stringify(totals)}::jsonb) as written`)
}

/** Classifies a failure: returns a result or asks for another try, or throws a problem. */
async function afterFailure<Result, ReadBack>(
  context: Writer,
  error: unknown,
  { constraintProblems: refusals }: Pick<BatchPlan<Result, ReadBack>, 'constraintProblems'>,
  hasUnconfirmed: boolean,
): Promise<TryResult<Result, ReadBack>> {
  // Without a connection, `db` has already retried.
  if (error instanceof StorageUnavailable && !error.mayHaveCommitted) throw unavailable(error)
  if (error instanceof StorageUnavailable) return { retry: unavailable(error) }
  if (!(error instanceof DatabaseError)) throw error
  const busy = concurrencyProblems.busy()
  // After another read, requireVersion reports an `If-Match` that no longer matches.
  if (/^PC4(?:04|12)$/.test(error.sqlstate) || conflictStates.test(error.sqlstate)) return { retry: busy }
  if (isKeyRace(error) && isKeyed(context)) {
    const { keys } = await context.db.read({ keys: keyLookup(context) })
    return keys[0] ? { outcome: replay(context, keys[0]) } : { retry: idempotencyProblems.in_flight() }
  }
  const problem = refusals[error.constraint ?? error.subject]
  if (problem === 'again' || error.constraint?.endsWith('_position')) return { retry: busy }
  if (problem) throw problem
  // An unconfirmed batch may still hold the lock and may still commit, so the outcome is unknown.
  if (error.sqlstate === '55P03' && hasUnconfirmed) throw unavailable(error)
  // Earlier writers held the lock longer than the lock timeout. The next read finds a key that a concurrent request
  // stored.
  if (error.sqlstate === '55P03')
    return { retry: context.idempotency ? idempotencyProblems.in_flight() : busy }
  throw toProblem(error)
}

/** The result of a batch without a response, found by its events; null if none of the batches has committed. */
async function committed<Result, ReadBack>(
  context: Writer,
  unconfirmed: readonly SentBatch<Result, ReadBack>[],
): Promise<Written<Result, ReadBack> | null> {
  if (unconfirmed.length === 0) return null
  const ids = unconfirmed.flatMap((batch) => batch.eventIds)
  const { rows } = await context.db.read({
    rows: statement({ ...stampColumns, eventId: z.string() })`
      select id as "eventId", resource_id as id, resource_version as version, instant_text(occurred_at) as at, sequence::float8 as sequence
        from events where tenant_id = current_tenant() and id = any(${uuidArray(ids)}) order by sequence`,
  })
  const committedBatch = unconfirmed.find(({ eventIds }) =>
    rows.some((row) => eventIds.includes(row.eventId)),
  )
  if (!committedBatch) return null
  const { plan } = committedBatch
  const { settled } = plan.readBack ? await context.db.read({ settled: plan.readBack }) : { settled: [] }
  return { result: plan.result, stamps: stampsOf(rows), replayed: false, settled }
}

function unavailable(cause: unknown): Error {
  return serverProblems.storage_unavailable(undefined, { headers: { 'Retry-After': '5' }, cause })
}

/** Converts a database failure into its problem. */
export function toProblem(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return unavailable(error)
  if (error instanceof TooLargeForStorage) {
    return error.what === 'batch'
      ? httpProblems.batch_too_large({ limit: largestBatch }, { cause: error })
      : serverProblems.answer_too_large(undefined, { headers: { 'Retry-After': '60' }, cause: error })
  }
  if (error instanceof DatabaseError && /^(57014|55P03)$/.test(error.sqlstate)) {
    return serverProblems.timeout(undefined, { headers: { 'Retry-After': '2' }, cause: error })
  }
  return error
}

/**
 * Compares `If-Match` with a version.
 * @throws 412 `concurrency.version_mismatch` with `currentVersion`
 */
export function requireVersion(context: Context, currentVersion: number): void {
  if (context.ifMatch === null || context.ifMatch === '*' || context.ifMatch.includes(currentVersion)) return
  throw concurrencyProblems.version_mismatch({ currentVersion }, { members: { currentVersion } })
}
