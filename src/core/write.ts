import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import {
  DatabaseError,
  largestBatch,
  type Session,
  StorageUnavailable,
  TooLargeForStorage,
} from '../db/client.ts'
import { effects, ending, noQuery, queryAll, type Statement, statement } from '../db/query.ts'
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
import { type Plan, type StampRow, stampsOf, type Writer, type Written, wokenAhead } from './plan.ts'
import { httpProblems } from './problems/http.ts'
import { concurrencyProblems, idempotencyProblems, serverProblems } from './problems/server.ts'
import { storedActor } from './trace.ts'

export type { Writer, Written } from './plan.ts'

/**
 * The differences that an event keeps, within what a row may be: the largest ones lose their values first, and say so. That
 * they happened, and where, is never lost; the document beside them has the value after.
 */
function boundedDifferences(differences: readonly Difference[]): readonly Difference[] {
  const sized = differences.map((difference, index) => ({
    index,
    difference,
    bytes: bytesOf(JSON.stringify(difference)),
  }))
  let size = sized.reduce((sum, { bytes }) => sum + bytes, 0)
  if (size <= most) return differences
  const bounded = [...differences]
  for (const { index, difference, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    if (size <= most) break
    const without = { path: difference.path, before: null, after: null, omitted: true } as const
    size += bytesOf(JSON.stringify(without)) - bytes
    bounded[index] = without
  }
  return bounded
}

// Postgres writes a space behind each colon and comma.
const most = byteLimits.rowDocument * 0.9

/**
 * Writes: at most two round trips. The first reads what the rules need; the second is one guarded batch that locks,
 * checks that nothing moved, changes rows, and ends in commit(). What happens when the second is refused, lost or raced
 * is decided here, once for every resource.
 */

type Prepare<Result, Settled> = (read: Session['read']) => Promise<Plan<Result, Settled>>

const attempts = 4
const leastWait = 15
const mostWait = 1000
/** Milliseconds by which the clocks of Worker and database may differ. */
const mostSkew = 10_000

/** A batch that was sent, and the ids by which its events are found if it committed. */
type Sent<Result, Settled> = {
  readonly plan: Sendable<Result, Settled>
  readonly eventIds: readonly string[]
}
type Sendable<Result, Settled> = Extract<Plan<Result, Settled>, { guard: unknown }>
type Tried<Result, Settled> = { readonly written: Written<Result, Settled> } | { readonly again: Error }

/**
 * Runs a write. `prepare` is called again after a lost race, so it must read afresh and mint its ids outside.
 * @throws Problem 404, 409, 412, 422 as `prepare` and the guards find; 409 `concurrency.busy` after four lost races;
 * 503 when storage is away; 413 `http.batch_too_large` before anything is sent.
 */
export async function write<Result, Settled = unknown>(
  context: Writer,
  operation: string,
  prepare: Prepare<Result, Settled>,
): Promise<Written<Result, Settled>> {
  const lost: Sent<Result, Settled>[] = []
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now()
    const tried = await tryOnce(context, operation, prepare, lost)
    if ('written' in tried) return tried.written
    if (attempt === attempts) throw tried.again
    // In units of what a try takes now: only so do many writers of one row spread out under load as they do at rest.
    const unit = Math.max(leastWait, performance.now() - started)
    const wait = Math.min((0.5 + Math.random()) * unit * 2 ** attempt, mostWait)
    await new Promise((done) => setTimeout(done, wait))
  }
}

/** `lost` gathers the batches whose answers never came: any of them may have committed, or may yet. */
async function tryOnce<Result, Settled>(
  context: Writer,
  operation: string,
  prepare: Prepare<Result, Settled>,
  lost: Sent<Result, Settled>[],
): Promise<Tried<Result, Settled>> {
  const kept: { found: StoredKey | null } = { found: null }
  const earlier = async () =>
    (await committed(context, lost)) ??
    (kept.found && isKeyed(context) ? replay<Result, Settled>(context, kept.found) : null)
  let sent: Sent<Result, Settled> | null = null
  try {
    const plan = await prepare(withKeyLookup(context, kept))
    const written = kept.found || 'unchanged' in plan ? await earlier() : null
    if (written) return { written }
    if (!('guard' in plan)) {
      const result = 'perform' in plan ? await plan.perform() : plan.unchanged
      if (isKeyed(context)) {
        await context.db.write({ key: keyStatement(context, operation, result, []) })
      }
      return { written: { result, stamps: new Map(), replayed: false, settled: [] } }
    }
    sent = { plan, eventIds: plan.changed.map(() => uuidv7()) }
    const { rows, settled } = await send(context, operation, sent)
    return { written: { result: plan.result, stamps: stampsOf(rows), replayed: false, settled } }
  } catch (error) {
    if (sent && error instanceof StorageUnavailable && error.mayHaveCommitted) lost.push(sent)
    // What refuses this try may be the change that a lost one made.
    const written = await earlier()
    if (written) return { written }
    // Without a plan sent it was the read that failed, or the key of a write that changes nothing.
    if (!sent && !isRace(error)) throw toProblem(error)
    return afterFailure(context, error, sent?.plan ?? { refusals: {} }, lost.length > 0)
  }
}

async function send<Result, Settled>(
  context: Writer,
  operation: string,
  { plan, eventIds }: Sent<Result, Settled>,
): Promise<{ rows: readonly StampRow[]; settled: readonly Settled[] }> {
  const { idempotency, actor, db } = context
  const changes = plan.changed.map(({ moments: _, ...each }, index) => ({
    ownerId: null,
    ...each,
    changes: boundedDifferences(each.changes),
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
  const commit = plan.settled
    ? settledCommit(plan.settled, envelope, changes, totals)
    : stepStatement({ do: 'commit', envelope, changes, totals })
  const { settled, committed } = await db.write({
    statements: effects(plan.settled ? mergeSteps(statements) : []),
    kept: effects(plan.settled && isKeyed(context) ? [storeReadBack(context, plan.settled)] : []),
    settled: plan.settled ?? noQuery,
    committed: ending<Committed>(plan.settled ? [commit] : underClock(statements, plan.changed, commit)),
  })
  const rows = committed?.written ?? []
  db.awaited = db.awaited === true || rows.some((row) => row.awaited !== false)
  db.soon ||= plan.changed.some(({ moments = [] }) => moments.some(isNear))
  return { rows, settled: settled ?? [] }
}

/** Whether a moment may come before the cron has looked for it. */
function isNear(moment: string | null): boolean {
  if (moment === null) return false
  const left = Date.parse(moment) - Date.now()
  return left > -mostSkew && left < wokenAhead
}

/** True where Postgres chose this transaction to give way, or where another request with the same key was first. */
function isRace(error: unknown): boolean {
  return isKeyRace(error) || (error instanceof DatabaseError && givesWay.test(error.sqlstate))
}

/** Serialization failure and deadlock. */
const givesWay = /^(40001|40P01)$/

/** What the last statement of a write gives: the stamps of commit(). */
type Committed = { readonly written: readonly StampRow[] | null }

/** commit() where it takes the settled rows as the documents of their changes. */
function settledCommit(
  settled: Statement,
  envelope: object,
  changes: readonly unknown[],
  totals: object,
): Statement {
  return statement(sql`
    select commit(${JSON.stringify(envelope)}::jsonb, (
        select coalesce(jsonb_agg(case when s.id is null then change else change || jsonb_build_object('document', to_jsonb(s)::text) end order by n), '[]')
          from jsonb_array_elements(${JSON.stringify(changes)}::jsonb) with ordinality as c(change, n)
          left join (${settled.query}) as s on s.id = (change ->> 'id')::uuid
      ), ${JSON.stringify(totals)}::jsonb) as written`)
}

/** Whose failure it was, and what follows: an answer, another try, or a problem thrown. */
async function afterFailure<Result, Settled>(
  context: Writer,
  error: unknown,
  { refusals }: Pick<Sendable<Result, Settled>, 'refusals'>,
  anyLost: boolean,
): Promise<Tried<Result, Settled>> {
  // Where there was no connection, `db` has tried again by itself.
  if (error instanceof StorageUnavailable && !error.mayHaveCommitted) throw unavailable(error)
  if (error instanceof StorageUnavailable) return { again: unavailable(error) }
  if (!(error instanceof DatabaseError)) throw error
  const busy = concurrencyProblems.busy()
  // Read again, an `If-Match` that no longer holds is found by demandVersion.
  if (/^PC4(?:04|12)$/.test(error.sqlstate) || givesWay.test(error.sqlstate)) return { again: busy }
  if (isKeyRace(error) && isKeyed(context)) {
    const { keys } = await context.db.read({ keys: keyLookup(context) })
    return keys[0] ? { written: replay(context, keys[0]) } : { again: idempotencyProblems.in_flight() }
  }
  const refusal = refusals[error.constraint ?? error.subject]
  if (refusal === 'again' || error.constraint?.endsWith('_position')) return { again: busy }
  if (refusal) throw refusal
  // A lost batch of ours may hold the lock still, and may yet commit: nothing can be said of the outcome.
  if (error.sqlstate === '55P03' && anyLost) throw unavailable(error)
  // Those before it took longer than a lock is waited for. A key that was waited for is found by reading again.
  if (error.sqlstate === '55P03')
    return { again: context.idempotency ? idempotencyProblems.in_flight() : busy }
  throw toProblem(error)
}

/** What a batch wrote whose answer was lost, told by its events; null when none of them has committed. */
async function committed<Result, Settled>(
  context: Writer,
  lost: readonly Sent<Result, Settled>[],
): Promise<Written<Result, Settled> | null> {
  if (lost.length === 0) return null
  const ids = lost.flatMap((each) => each.eventIds)
  const traced = lost.flatMap((sent) => (sent.plan.trace ? [{ sent, trace: sent.plan.trace }] : []))
  const { rows, traces } = await context.db.read({
    rows: statement<StampRow & { eventId: string }>(sql`
      select id as "eventId", resource_id as id, resource_version as version, instant_text(occurred_at) as at, sequence::float8 as sequence
        from events where tenant_id = current_tenant() and id = any(${uuidArray(ids)}) order by sequence`),
    traces: queryAll(traced.map((each) => each.trace)),
  })
  const silent = traces.findIndex((each) => each.length > 0)
  const found =
    traced[silent]?.sent ?? lost.find((each) => rows.some((row) => each.eventIds.includes(row.eventId)))
  if (!found) return null
  const { plan } = found
  const { settled } = plan.settled ? await context.db.read({ settled: plan.settled }) : { settled: [] }
  return { result: plan.result, stamps: stampsOf(traces[silent] ?? rows), replayed: false, settled }
}

function unavailable(cause: unknown): Error {
  return serverProblems.storage_unavailable(undefined, { headers: { 'Retry-After': '5' }, cause })
}

/** A database failure as the problem it is to a caller. */
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

/** Compares `If-Match` with a version. @throws 412 `concurrency.version_mismatch` with `currentVersion` */
export function requireVersion(context: Context, currentVersion: number): void {
  if (context.ifMatch === null || context.ifMatch === '*' || context.ifMatch.includes(currentVersion)) return
  throw concurrencyProblems.version_mismatch({ currentVersion }, { members: { currentVersion } })
}
