import { uuidv7 } from 'uuidv7'
import { bytesOf } from '../../../core/document.ts'
import { byteLimits } from '../../../core/limits.ts'
import { type LogFields, log, noRequest } from '../../../core/log.ts'
import { traceparentOf } from '../../../core/trace.ts'
import { StorageUnavailable } from '../../../db/client.ts'
import { noQuery } from '../../../db/query.ts'
import { attempt } from './attempt.ts'
import { aboutDelivery, type Claim, type Claimed, claimQuery, claimsOf, namesOf } from './claim.ts'
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

/** Limits of one isolate: the number of attempts, and the bytes of their bodies, which are those of one batch. */
const maximumAttempts = 50
const maximumBytes = 3 * byteLimits.event
/** Milliseconds after which an attempt is no longer counted. The platform may have cancelled it, and then it never ends. */
const maximumAge = 45_000

/** A claim, of which the body takes memory. */
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
  if (all.length > maximumAttempts || bytes > maximumBytes) return false
  for (const claim of added) claimsInBackground.set(claim, moment + maximumAge)
  return true
}

/** Removes a claim from the background work of this isolate. */
export function endInBackground(claim: Attempt): void {
  claimsInBackground.delete(claim)
}

/** Attempts deliveries, and wakes workers for what is due after them. */

/** Milliseconds up to which the next attempt is called for by a delayed message; later ones are the cron's to find. */
const longestDelay = 10 * 60_000
const deliveriesAtOnce = 100
/** Milliseconds that a batch of messages waits for slow receivers. Then the batch is acknowledged and its attempts continue. */
const waitForReceivers = 500
/** Without a queue one worker goes on by itself for so many milliseconds. */
const budget = 20_000

/** Attempts those of the deliveries that may be attempted now, side by side, and has others attempted that come after them. */
export async function deliver(runtime: Runtime, tenantId: string, ids: readonly string[]): Promise<void> {
  const until = runtime.now().getTime() + budget
  for (let due = ids; due.length > 0; ) {
    const successors = await deliverNow(runtime, tenantId, due)
    due = runtime.now().getTime() < until ? successors : []
  }
}

/** Attempts deliveries and sends their successors to the queue. Without a queue it returns the ids of the successors. */
async function deliverNow(runtime: Runtime, tenantId: string, ids: readonly string[]): Promise<string[]> {
  runtime.crash('D0 delivery received')
  const session = runtime.database.open(tenantId)
  const now = runtime.now()
  const { found } = await session.write({ found: claimQuery(ids, uuidv7(), now) })
  const about = () => ({
    ...noRequest,
    tenant: tenantId,
    operation: 'deliver',
    statements: session.spent.statements,
  })
  // Until something is attempted, what fails is ours. Where putting back fails too, the leases end by themselves.
  const release = (deliveries: readonly Claimed[]) =>
    session
      .write({ released: releaseStatement(deliveries, runtime.now()) })
      .catch((error) => log('deliveries_not_released', about(), { count: deliveries.length }, error))
  const { claims, surplus } = await claimsOf(found, tenantId, now, session.read).catch(async (error) => {
    await release(found.claimed)
    throw error
  })
  if (claims.length === 0) return []
  runtime.crash('D1 delivery claimed')
  if (surplus.length > 0) await release(surplus)
  const freedHosts = new Set(surplus.map((each) => each.callbackHost))
  const takeSuccessors = async () => {
    const hosts = [...freedHosts]
    freedHosts.clear()
    if (hosts.length === 0) return []
    const { due } = await session.write({ due: takeDue(runtime.now(), deliveriesAtOnce, hosts) })
    return due.map((each) => each.id)
  }
  // The cron finds successors that were not sent. An error here must not end the attempts under way.
  const sendSuccessors = async () => {
    try {
      await sendDeliveries(runtime, tenantId, await takeSuccessors())
    } catch (error) {
      log('relay_failed', about(), {}, error)
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
        const fields = { ...namesOf(delivery), attempts: delivery.number }
        log('attempt_failed', aboutDelivery(tenantId, delivery, claim), fields, error)
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
    if (runtime.deliveries) await sendSuccessors()
  }
  // A repeated message claims nothing, so successors are sent before an error ends the batch.
  if (runtime.deliveries) await sendSuccessors()
  const failure = (await attempts).find((result) => result.status === 'rejected')
  if (failure) throw failure.reason
  return runtime.deliveries ? [] : takeSuccessors()
}

/** Sends the successors of attempts again and again until the last attempt has ended. Logs errors and throws none. */
async function sendSuccessorsUntil(attempts: Promise<unknown>, sendSuccessors: () => Promise<void>) {
  do await sendSuccessors()
  while (!(await isOver(attempts)))
  await sendSuccessors()
}

async function isOver(attempts: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), waitForReceivers)
  const over = await Promise.race([attempts.then(() => true), promise])
  clearTimeout(timer)
  return over
}

const unsent = { milliseconds: 0, httpStatus: null, retryAfter: null }

async function attemptOne(runtime: Runtime, tenantId: string, claim: Claim): Promise<void> {
  const { delivery, body, fault, trace, effectiveAt } = claim
  const traced = { ...delivery, effectiveAt, traceparent: traceparentOf(trace) }
  const outcome: Outcome<Failure | Deferral> =
    fault === null ? await attempt(runtime, tenantId, traced, body) : { ...unsent, error: fault }
  runtime.crash('D2 receiver answered')
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
  const spent = { durationMs: outcome.milliseconds, statements: session.spent.statements }
  const about = aboutDelivery(tenantId, delivery, claim, spent)
  tell(claim, outcome, nextIn, about)
  const reason = row?.disabledReason ?? null
  if (reason !== null) log('subscription_disabled', about, { subscription: delivery.subscriptionId, reason })
  runtime.crash('D3 outcome recorded')
  if (nextIn !== null && nextIn <= longestDelay) {
    // The outcome is recorded. Without the message the cron finds the next attempt.
    await sendDeliveries(runtime, tenantId, [delivery.id], Math.ceil(nextIn / 1000)).catch((error) =>
      log('relay_failed', about, {}, error),
    )
  }
}

/** Logs that a delivery waits for a reason of ours, once, and that one is given up. */
function tell(
  { delivery }: Claim,
  { error, httpStatus }: Outcome<Failure | Deferral>,
  nextIn: number | null,
  about: LogFields,
): void {
  const { subscription, delivery: id, ...event } = namesOf(delivery)
  if (error === null || (isDeferral(error) && delivery.deferrals > 0)) return
  if (error === 'secret_unreadable') log('secret_unreadable', about, { subscription, delivery: id })
  else if (isDeferral(error)) log('delivery_waits', about, { subscription, delivery: id, reason: error })
  else if (nextIn === null) {
    const told = { ...event, attempts: delivery.number, reason: error, httpStatus }
    log('delivery_given_up', about, { subscription, delivery: id, ...told })
  }
}

/** The statements that record an outcome. A delivery that was not attempted for a reason of ours has no entry in the log. */
function recordingOf(
  { now, random }: Runtime,
  delivery: Claimed,
  { error, ...outcome }: Outcome<Failure | Deferral>,
) {
  if (!isDeferral(error)) return recordStatements(delivery, { ...outcome, error }, now(), random())
  return { attempt: null, ...deferStatement(delivery, error, now()) }
}

function isDeferral(error: Failure | Deferral | null): error is Deferral {
  return deferrals.some((each) => each === error)
}
