import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { instantOf } from '../../../core/instant.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { throwViolations } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import { statement } from '../../../db/query.ts'
import { textArray } from '../../../db/sql.ts'
import { run, type WriteStep } from '../../../db/write-steps.ts'
import { lastSequence } from '../../events/event-sql.ts'
import { expired } from '../../events/problems.ts'
import { scopesOfTopic, topics, topicsMatching } from '../../events/topics.ts'
import { insertDeliveries, lockFanOut, wantsTopic } from '../dispatch/fan-out.ts'
import { webhookProblems } from '../problems.ts'
import { senderStatement, subscriptionStatement } from '../subscriptions/read.ts'
import { requireScopesOfTopic } from '../subscriptions/scopes.ts'
import { type DeliveryParts, deliveryDocument, deliveryStatement, isIdle, reopenAssignments } from './read.ts'
import { actionIdentity, textAnswer } from './sample.ts'
import { webhookReplay } from './schema.ts'

/**
 * Reopens a delivery in any state and sends it at once under its id. A delivery that a worker is attempting
 * at this time is unchanged.
 */
export async function retryDelivery(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const moment = context.now.toISOString()
  const writeResult = await write<DeliveryParts, DeliveryParts>(context, 'retryDelivery', async (read) => {
    const { subscriptions, deliveries } = await read({
      subscriptions: subscriptionStatement(id),
      deliveries: deliveryStatement(id, deliveryId),
    })
    const [subscription] = subscriptions
    const [delivery] = deliveries
    if (!subscription) throw webhookProblems.subscription_not_found({ id })
    if (!delivery) throw webhookProblems.delivery_not_found({ id: deliveryId })
    context.requireScopes(scopesOfTopic(delivery.topic))
    requireScopesOfTopic(context, subscription)
    if (subscription.status === 'DISABLED') throw webhookProblems.disabled()
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: null }],
      wakesDispatch: true,
      beforeClock: [
        run(sql`update webhook_deliveries d set ${reopenAssignments(context.now)}
            where d.tenant_id = current_tenant() and d.id = ${deliveryId}::uuid and ${isIdle(moment)}`),
      ],
      readBack: deliveryStatement(id, deliveryId),
      changed: [],
      totals: {},
      result: delivery,
    }
  })
  const [after = writeResult.result] = writeResult.readBack
  return { kind: 'item', document: deliveryDocument(after), version: null, replayed: writeResult.replayed }
}

/** Days until a finished delivery and its attempts are deleted. */
export const deliveryDays = 30

/** Maximum number of events that one call replays. */
export const maximumReplayedEvents = 5000

type ReplayRange = { readonly afterSequence?: number; readonly from?: string; readonly until?: string }

/** The range of events to replay, which never includes later ones. */
const windowColumns = {
  after: z.number(),
  lastSequence: z.number().nullable(),
  events: z.number(),
  complete: z.boolean(),
  firstAt: z.string().nullable(),
}

/**
 * Replays events of the subscription's topic. Existing deliveries are reopened under their ids, missing ones
 * are inserted.
 * @throws 409 `webhook.disabled` or `webhook.incomplete`; 410 `event.expired` for events whose deliveries
 * have been deleted. The body that was sent is no longer known then, and an id must never have two bodies.
 */
export async function replayEvents(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof webhookReplay }>,
): Promise<Answer> {
  // A null is the same as absent: it names no start.
  const range: ReplayRange = Object.fromEntries(
    Object.entries(bodies[0] ?? {}).filter(([, value]) => value !== null),
  )
  throwViolations(rangeViolations(range))
  const result = await write<string>(context, 'replayEvents', async (read) => {
    const { senders, windows } = await read({
      senders: senderStatement(id),
      windows: windowStatement(id, range),
    })
    const [sender] = senders
    if (!sender) throw webhookProblems.subscription_not_found({ id })
    const { topic } = requireScopesOfTopic(context, sender)
    if (sender.status === 'DISABLED') throw webhookProblems.disabled()
    const oldest = context.now.getTime() - deliveryDays * 86_400_000
    const { firstAt = null, lastSequence = null, events = 0, complete = true, after = 0 } = windows[0] ?? {}
    if (firstAt !== null && Date.parse(firstAt) < oldest) throw expired(firstAt, instantOf(new Date(oldest)))
    const replayedEvents = sql`(select * from events where tenant_id = current_tenant() and topic = any(${textArray(topicsMatching(topic))})
      and sequence > ${after}::bigint and sequence <= ${lastSequence ?? after}::bigint)`
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: null }],
      wakesDispatch: true,
      beforeClock: [run(lockFanOut), replayStep(id, replayedEvents, context.now)],
      changed: [],
      totals: {},
      result: JSON.stringify({
        ...actionIdentity({ id }, webhookReplay.type, 'replay'),
        ...range,
        deliveries: events,
        lastSequence,
        complete,
      }),
    }
  })
  return textAnswer(result)
}

function rangeViolations({ afterSequence, from, until }: ReplayRange): Violation[] {
  const { replay_start, replay_range } = webhookProblems
  if (afterSequence === undefined && from === undefined)
    return [validationProblems.required.at('afterSequence')]
  if (afterSequence !== undefined && from !== undefined)
    return ['afterSequence', 'from'].map((path) => replay_start.at(path))
  if (from === undefined || until === undefined || from <= until) return []
  return ['from', 'until'].map((path) => replay_range.at(path, { from, until }))
}

/**
 * Finds the range of events to replay: an index range for each topic, which ends at the tenant's last event
 * or earlier.
 */
function windowStatement(id: string, { afterSequence, from, until }: ReplayRange) {
  const topicNames = topics.map(({ name }) => name)
  const after = from === undefined ? sql`0` : lastSequence(sql`<`, from)
  const upTo = until === undefined ? sql`c.sequence` : lastSequence(sql`<=`, until)
  return statement(windowColumns)`
    with bounds as materialized (
      select greatest(${afterSequence ?? 0}::bigint, ${after}) as after, ${upTo} as up_to
        from tenant_clock c where c.tenant_id = current_tenant()
    ), meant as (
      select each.*, row_number() over (order by each.sequence) as n
        from bounds cross join webhook_subscriptions s cross join unnest(${textArray(topicNames)}) as asked(topic) cross join lateral (
          select e.sequence, e.occurred_at from events e
           where e.tenant_id = current_tenant() and e.topic = asked.topic and e.sequence > bounds.after and e.sequence <= bounds.up_to
           order by e.sequence limit ${maximumReplayedEvents + 1}
        ) each
       where s.tenant_id = current_tenant() and s.id = ${id}::uuid and ${wantsTopic(sql`asked.topic`)}
    )
    select (select after from bounds)::float8 as after, count(*) <= ${maximumReplayedEvents} as complete,
           count(*) filter (where n <= ${maximumReplayedEvents})::int as events,
           (max(sequence) filter (where n <= ${maximumReplayedEvents}))::float8 as "lastSequence",
           instant_text(min(occurred_at)) as "firstAt"
      from meant`
}

function replayStep(id: string, events: SQL, now: Date): WriteStep {
  const moment = now.toISOString()
  return run(sql`${insertDeliveries(events, sql`s.id = ${id}::uuid`, now)}
    do update set ${reopenAssignments(now)} where ${isIdle(moment)}`)
}
