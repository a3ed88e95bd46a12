import { uuidv7 } from 'uuidv7'
import { type LogFields, log, noRequest } from '../../../core/log.ts'
import { bytesOf } from '../../../core/sizes.ts'
import { traceparentOf } from '../../../core/trace.ts'
import { backgroundLimit, type Runtime } from '../../../core/work.ts'
import type { Session } from '../../../db/client.ts'
import { attempt } from './attempt.ts'
import {
  type Claim,
  type ClaimedDelivery,
  type Claims,
  claimQuery,
  claimsOf,
  deliveryIds,
  deliveryLogFields,
  heldBodyBytes,
} from './claim.ts'
import { sendDeliveries, takeDue } from './fan-out.ts'
import { noResponse, type Outcome, outcomeRecorder, releaseStatement } from './record.ts'
import { type Deferral, type Failure, isDeferral, leaseLifetimeMs, nextAttemptIn } from './schedule.ts'

/** Attempts that continue in the background. Their bodies have at most the bytes of a batch. */
export const attemptsInBackground = backgroundLimit<Pick<Claim, 'body'>>({
  count: 200,
  bytes: heldBodyBytes,
  bytesOf: ({ body }) => bytesOf(body ?? ''),
  lifetimeMs: leaseLifetimeMs,
})

/** Maximum delay of the message for the next attempt, in milliseconds. The cron finds later attempts. */
const maximumDelayMs = 10 * 60_000
const deliveriesAtOnce = 100
/** Milliseconds that a batch of messages waits for slow receivers. Then the batch is acknowledged and its attempts continue. */
const receiverWaitMs = 100

type Worker = {
  readonly runtime: Runtime
  readonly tenantId: string
  readonly session: Session
  readonly record: ReturnType<typeof outcomeRecorder>
}

/**
 * Claims deliveries and attempts them in parallel. While attempts are under way and after the last one, it sends the deliveries that
 * waited for them to the queue. @throws the error of an attempt whose outcome was not recorded
 */
export async function deliver(runtime: Runtime, tenantId: string, ids: readonly string[]): Promise<void> {
  const session = runtime.database.open(tenantId)
  const worker = { runtime, tenantId, session, record: outcomeRecorder(runtime, tenantId) }
  const { claims, surplus } = await claim(worker, ids)
  if (claims.length === 0) return
  if (surplus.length > 0) await release(worker, surplus)
  const unfinished = new Set(claims)
  /** Hosts that have a free slot since successors were last sent. */
  const freedHosts = new Set(surplus.map((delivery) => delivery.callbackHost))
  const attempts = Promise.allSettled(
    claims.map(async (claim) => {
      try {
        await attemptAndRecord(worker, claim)
        freedHosts.add(claim.delivery.callbackHost)
      } catch (error) {
        const fields = { ...deliveryIds(claim.delivery), attempts: claim.delivery.number }
        log('attempt_failed', deliveryLogFields(tenantId, claim.delivery, claim), fields, error)
        throw error
      } finally {
        unfinished.delete(claim)
        attemptsInBackground.end(claim)
      }
    }),
  )
  while (!(await isOver(attempts))) {
    if (runtime.background && attemptsInBackground.add(unfinished, runtime.now())) {
      runtime.background(sendSuccessorsUntil(attempts, worker, freedHosts))
      return
    }
    await sendSuccessors(worker, freedHosts)
  }
  // A repeated message claims nothing, so successors are sent before an error ends the batch.
  await sendSuccessors(worker, freedHosts)
  const failure = (await attempts).find((result) => result.status === 'rejected')
  if (failure) throw failure.reason
}

async function claim(worker: Worker, ids: readonly string[]): Promise<Claims> {
  const { runtime, tenantId, session } = worker
  const now = runtime.now()
  const { claimRows } = await session.write({ claimRows: claimQuery(ids, uuidv7(), now) })
  try {
    return await claimsOf(claimRows, tenantId, session.read)
  } catch (error) {
    await release(worker, claimRows.claimed)
    throw error
  }
}

/** Releases claims without an attempt. If that fails, their leases expire. */
async function release(worker: Worker, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  const { runtime, session } = worker
  try {
    await session.write({ released: releaseStatement(deliveries, runtime.now()) })
  } catch (error) {
    log('deliveries_not_released', workerLogFields(worker), { count: deliveries.length }, error)
  }
}

/** Sends the deliveries that may be attempted at hosts with a free slot. The cron finds those that were not sent. */
async function sendSuccessors(worker: Worker, freedHosts: Set<string>): Promise<void> {
  const { runtime, tenantId, session } = worker
  const hosts = [...freedHosts]
  freedHosts.clear()
  if (hosts.length === 0) return
  try {
    const { due } = await session.write({ due: takeDue(runtime.now(), deliveriesAtOnce, hosts) })
    const ids = due.map((delivery) => delivery.id)
    await sendDeliveries(runtime, tenantId, ids)
  } catch (error) {
    // The attempts under way continue.
    log('dispatch_failed', workerLogFields(worker), {}, error)
  }
}

/** Sends the successors of attempts again and again until the last attempt has ended. Throws no errors. */
async function sendSuccessorsUntil(attempts: Promise<unknown>, worker: Worker, freedHosts: Set<string>) {
  do await sendSuccessors(worker, freedHosts)
  while (!(await isOver(attempts)))
  await sendSuccessors(worker, freedHosts)
}

function workerLogFields({ tenantId, session }: Worker): LogFields {
  return { ...noRequest, tenant: tenantId, operation: 'deliver', statements: session.stats.statements }
}

async function isOver(attempts: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), receiverWaitMs)
  const hasEnded = await Promise.race([attempts.then(() => true), promise])
  clearTimeout(timer)
  return hasEnded
}

async function attemptAndRecord(worker: Worker, claim: Claim): Promise<void> {
  const { runtime, tenantId, record } = worker
  const { delivery, body, fault, trace, effectiveAt } = claim
  const traced = { ...delivery, effectiveAt, traceparent: traceparentOf(trace) }
  const outcome: Outcome<Failure | Deferral> =
    fault === null ? await attempt(runtime, tenantId, traced, body) : { ...noResponse, error: fault }
  runtime.metrics.delivery({
    tenant: tenantId,
    topic: delivery.topic,
    outcome: outcome.error ?? 'delivered',
    version: delivery.payloadVersion,
    latencyMs: outcome.milliseconds,
  })
  const { error } = outcome
  const nextIn = nextAttemptIn(delivery, outcome, runtime.random())
  const { row, isRepeated, statements } = isDeferral(error)
    ? await deferred(worker, delivery, error, nextIn)
    : await record({ delivery, outcome: { ...outcome, error }, nextIn })
  // Another worker has the delivery since the lease ended. After a repetition the first recording may have succeeded.
  if (!row && !isRepeated) return
  const about = deliveryLogFields(tenantId, delivery, claim, { durationMs: outcome.milliseconds, statements })
  logFailure(claim, outcome, nextIn, about)
  const reason = row?.disabledReason ?? null
  if (reason !== null) log('subscription_disabled', about, { subscription: delivery.subscriptionId, reason })
  if (nextIn !== null && nextIn <= maximumDelayMs) {
    // The outcome is recorded. Without the message the cron finds the next attempt.
    const delaySeconds = Math.ceil(nextIn / 1000)
    await sendDeliveries(runtime, tenantId, [delivery.id], { delaySeconds }).catch((error) =>
      log('dispatch_failed', about, {}, error),
    )
  }
}

/** Logs the first deferral of a delivery, and the final failure of one. */
function logFailure(
  { delivery }: Claim,
  { error, httpStatus }: Outcome<Failure | Deferral>,
  nextIn: number | null,
  about: LogFields,
): void {
  const { subscription, delivery: id, ...event } = deliveryIds(delivery)
  if (error === null || (isDeferral(error) && delivery.deferrals > 0)) return
  if (error === 'secret_unreadable') log('secret_unreadable', about, { subscription, delivery: id })
  else if (isDeferral(error)) log('delivery_waits', about, { subscription, delivery: id, reason: error })
  else if (nextIn === null) {
    const fields = { ...event, attempts: delivery.number, reason: error, httpStatus }
    log('delivery_given_up', about, { subscription, delivery: id, ...fields })
  }
}

/** Puts a delivery back for a reason of this service. That leaves no entry in the log of attempts. */
async function deferred(
  { runtime, tenantId }: Worker,
  delivery: ClaimedDelivery,
  reason: Deferral,
  delayMs: number | null,
) {
  const session = runtime.database.open(tenantId)
  const due = new Date(runtime.now().getTime() + (delayMs ?? 0))
  const { recorded } = await session.write({ recorded: releaseStatement([delivery], due, reason) })
  return { row: recorded[0], isRepeated: false, statements: session.stats.statements }
}
