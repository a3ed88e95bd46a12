import { uuidv7 } from 'uuidv7'
import { bytesOf } from '../../../core/document.ts'
import { type LogFields, log, noRequest } from '../../../core/log.ts'
import { traceparentOf } from '../../../core/trace.ts'
import { StorageUnavailable } from '../../../db/client.ts'
import { noQuery } from '../../../db/query.ts'
import { attempt } from './attempt.ts'
import {
  type Claim,
  type ClaimedDelivery,
  claimQuery,
  claimsOf,
  deliveryIds,
  deliveryLogFields,
  heldBodyBytes,
  leaseLifetimeMs,
} from './claim.ts'
import {
  type Deferral,
  deferrals,
  deferStatement,
  type Outcome,
  recordStatements,
  releaseStatement,
} from './record.ts'
import { type Runtime, sendDeliveries } from './runtime.ts'
import type { Failure } from './schedule.ts'
import { takeDue } from './take-due.ts'

/** Attempts that continue after their queue messages were acknowledged. Each isolate has a bounded number of them. */

/** Maximum attempts of one isolate. Their bodies have at most the bytes of one batch. */
const attemptsInBackground = 50

/** The part of a claim that takes memory. */
type Attempt = Pick<Claim, 'body'>

/** The claims that continue in the background, each with the time from which it no longer counts. */
const claimsInBackground = new Map<Attempt, number>()

/** Counts claims as background work. Returns false, and counts none of them, if they exceed the limits of the isolate. */
export function continueInBackground(claims: Iterable<Attempt>, now: Date): boolean {
  const moment = now.getTime()
  for (const [claim, end] of claimsInBackground) if (end <= moment) claimsInBackground.delete(claim)
  const added = [...claims]
  const all = [...claimsInBackground.keys(), ...added]
  const bytes = all.reduce((sum, { body }) => sum + bytesOf(body ?? ''), 0)
  if (all.length > attemptsInBackground || bytes > heldBodyBytes) return false
  // The platform may have cancelled an attempt that outlasts its lease. It never ends.
  for (const claim of added) claimsInBackground.set(claim, moment + leaseLifetimeMs)
  return true
}

/** Removes a claim from the background work of this isolate. */
export function endInBackground(claim: Attempt): void {
  claimsInBackground.delete(claim)
}

/** Maximum delay of the message for the next attempt, in milliseconds. The cron finds later attempts. */
const maximumDelayMs = 10 * 60_000
const deliveriesAtOnce = 100
/** Milliseconds that a batch of messages waits for slow receivers. Then the batch is acknowledged and its attempts continue. */
const receiverWaitMs = 500
/** Milliseconds for which one worker continues without a queue. */
const budgetMs = 20_000

/**
 * Attempts the deliveries that are due, in parallel. Then it attempts the deliveries that were waiting for
 * them.
 */
export async function deliver(runtime: Runtime, tenantId: string, ids: readonly string[]): Promise<void> {
  const until = runtime.now().getTime() + budgetMs
  for (let due = ids; due.length > 0; ) {
    const successors = await deliverNow(runtime, tenantId, due)
    due = runtime.now().getTime() < until ? successors : []
  }
}

/** Attempts deliveries and sends their successors to the queue. Without a queue it returns the ids of the successors. */
async function deliverNow(runtime: Runtime, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const session = runtime.database.open(tenantId)
  const now = runtime.now()
  const { claimRows } = await session.write({ claimRows: claimQuery(ids, uuidv7(), now) })
  const about = () => ({
    ...noRequest,
    tenant: tenantId,
    operation: 'deliver',
    statements: session.stats.statements,
  })
  // Until the first attempt, failures are those of this service. If the release fails too, the leases expire.
  const release = (deliveries: readonly ClaimedDelivery[]) =>
    session
      .write({ released: releaseStatement(deliveries, runtime.now()) })
      .catch((error) => log('deliveries_not_released', about(), { count: deliveries.length }, error))
  const { claims, surplus } = await claimsOf(claimRows, tenantId, now, session.read).catch(async (error) => {
    await release(claimRows.claimed)
    throw error
  })
  if (claims.length === 0) return []
  if (surplus.length > 0) await release(surplus)
  const freedHosts = new Set(surplus.map((delivery) => delivery.callbackHost))
  const takeSuccessors = async () => {
    const hosts = [...freedHosts]
    freedHosts.clear()
    if (hosts.length === 0) return []
    const { due } = await session.write({ due: takeDue(runtime.now(), deliveriesAtOnce, hosts) })
    return due.map((delivery) => delivery.id)
  }
  // The cron finds successors that were not sent. An error here must not end the attempts under way.
  const sendSuccessors = async () => {
    try {
      await sendDeliveries(runtime, tenantId, await takeSuccessors())
    } catch (error) {
      log('dispatch_failed', about(), {}, error)
    }
  }
  const unfinished = new Set(claims)
  const attempts = Promise.allSettled(
    claims.map(async (claim) => {
      const { delivery } = claim
      try {
        await attemptOne(runtime, tenantId, claim)
        freedHosts.add(delivery.callbackHost)
      } catch (error) {
        const fields = { ...deliveryIds(delivery), attempts: delivery.number }
        log('attempt_failed', deliveryLogFields(tenantId, delivery, claim), fields, error)
        throw error
      } finally {
        unfinished.delete(claim)
        endInBackground(claim)
      }
    }),
  )
  while (!(await isOver(attempts))) {
    if (runtime.background && continueInBackground(unfinished, runtime.now())) {
      runtime.background(sendSuccessorsUntil(attempts, sendSuccessors))
      return []
    }
    if (runtime.queue) await sendSuccessors()
  }
  // A repeated message claims nothing, so successors are sent before an error ends the batch.
  if (runtime.queue) await sendSuccessors()
  const failure = (await attempts).find((result) => result.status === 'rejected')
  if (failure) throw failure.reason
  return runtime.queue ? [] : takeSuccessors()
}

/** Sends the successors of attempts again and again until the last attempt has ended. Logs errors and throws none. */
async function sendSuccessorsUntil(attempts: Promise<unknown>, sendSuccessors: () => Promise<void>) {
  do await sendSuccessors()
  while (!(await isOver(attempts)))
  await sendSuccessors()
}

async function isOver(attempts: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), receiverWaitMs)
  const hasEnded = await Promise.race([attempts.then(() => true), promise])
  clearTimeout(timer)
  return hasEnded
}

const noResponse = { milliseconds: 0, httpStatus: null, retryAfter: null }

async function attemptOne(runtime: Runtime, tenantId: string, claim: Claim): Promise<void> {
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
  const session = runtime.database.open(tenantId)
  const { attempt: attemptStatement, recorded, nextIn } = recordingOf(runtime, delivery, outcome)
  const record = () => session.write({ attempt: attemptStatement ?? noQuery, recorded })
  let isRepeated = false
  const {
    recorded: [row],
  } = await record().catch((error) => {
    if (!(error instanceof StorageUnavailable)) throw error
    // Retried once: an unrecorded success is delivered twice.
    isRepeated = true
    return record()
  })
  // Another worker has the delivery since the lease ended. After a repetition the first recording may have succeeded.
  if (!row && !isRepeated) return
  const measurements = { durationMs: outcome.milliseconds, statements: session.stats.statements }
  const about = deliveryLogFields(tenantId, delivery, claim, measurements)
  logFailure(claim, outcome, nextIn, about)
  const reason = row?.disabledReason ?? null
  if (reason !== null) log('subscription_disabled', about, { subscription: delivery.subscriptionId, reason })
  if (nextIn !== null && nextIn <= maximumDelayMs) {
    // The outcome is recorded. Without the message the cron finds the next attempt.
    await sendDeliveries(runtime, tenantId, [delivery.id], Math.ceil(nextIn / 1000)).catch((error) =>
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

/** The statements that record an outcome. A deferral leaves no entry in the log of attempts. */
function recordingOf(
  { now, random }: Runtime,
  delivery: ClaimedDelivery,
  { error, ...outcome }: Outcome<Failure | Deferral>,
) {
  if (!isDeferral(error)) return recordStatements(delivery, { ...outcome, error }, now(), random())
  return { attempt: null, ...deferStatement(delivery, error, now()) }
}

function isDeferral(error: Failure | Deferral | null): error is Deferral {
  return deferrals.some((reason) => reason === error)
}
