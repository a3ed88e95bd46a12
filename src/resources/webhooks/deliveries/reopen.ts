import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { throwViolations } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { textArray } from '../../../db/write-steps.ts'
import { lastSequence } from '../../events/event-sql.ts'
import { eventProblems } from '../../events/problems.ts'
import { scopesOfTopic, topics, topicsMatching } from '../../events/topics.ts'
import { insertDeliveries, lockFanOut, wantsTopic } from '../dispatch/fan-out.ts'
import { webhookProblems } from '../problems.ts'
import { senderStatement, subscriptionStatement } from '../subscriptions/read.ts'
import { requireScopesOfTopic } from '../subscriptions/scopes.ts'
import { type DeliveryParts, deliveryDocument, deliveryStatement, isIdle, opened } from './read.ts'
import { identityOf, textAnswer } from './sample.ts'
import { webhookReplay } from './schema.ts'

/**
 * Opens a delivery anew, whatever became of it, and has it sent at once under its old id. One that is being sent at this
 * moment stays as it is.
 */
export async function retryDelivery(
  context: Context,
  { params: { id, deliveryId } }: Input<{ params: 'id' | 'deliveryId' }>,
): Promise<Answer> {
  const moment = context.now.toISOString()
  const written = await write<DeliveryParts, DeliveryParts>(context, 'retryDelivery', async (read) => {
    const { subscriptions, deliveries } = await read({
      subscriptions: subscriptionStatement(id),
      deliveries: deliveryStatement(id, deliveryId),
    })
    const [subscription] = subscriptions
    const [found] = deliveries
    if (!subscription) throw webhookProblems.subscription_not_found({ id })
    if (!found) throw webhookProblems.delivery_not_found({ id: deliveryId })
    context.demand(scopesOfTopic(found.topic))
    requireScopesOfTopic(context, subscription)
    if (subscription.status === 'DISABLED') throw webhookProblems.disabled()
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: null }],
      statements: [
        statement(sql`update webhook_deliveries d set ${opened(context.now)}
          where d.tenant_id = current_tenant() and d.id = ${deliveryId}::uuid and ${isIdle(moment)}`),
      ],
      settled: deliveryStatement(id, deliveryId),
      changed: [],
      totals: {},
      result: found,
      refusals: {},
    }
  })
  const [after = written.result] = written.settled
  return { kind: 'item', document: deliveryDocument(after), version: null, replayed: written.replayed }
}

/** Days that a delivery and its attempts are kept, and that one waits for a subscription to be resumed. */
export const deliveryDays = 30
const heldDays = 90

/** Drops a tenant's old deliveries with their attempts, up to `most` of them; answers how many. */
export function dropOldDeliveries(now: Date, most: number): Statement<{ dropped: number }> {
  const before = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  return statement<{ dropped: number }>(sql`
    with dropped as (
      delete from webhook_deliveries where tenant_id = current_tenant() and id in (
        select id from webhook_deliveries
         where tenant_id = current_tenant() and created_at < ${before(deliveryDays)}::timestamptz
           and (status <> 'PENDING' or created_at < ${before(heldDays)}::timestamptz)
         order by created_at limit ${most})
      returning 1
    )
    select count(*)::int as dropped from dropped`)
}

/** Past events told once more: deliveries that were made are opened anew under their ids, those that never were are made. */

/** Events that one call replays. */
export const mostEvents = 5000

type Asked = { readonly afterSequence?: number; readonly from?: string; readonly until?: string }

/** The events that are meant; those that come later never are. */
type Window = {
  readonly after: number
  readonly lastSequence: number | null
  readonly events: number
  readonly complete: boolean
  readonly firstAt: string | null
}

/**
 * Replays events of the subscription's topic. @throws 409 `webhook.disabled` or `webhook.incomplete`; 410 `event.expired` for events so old that it
 * is no longer known what was sent of them, since an id must never have two bodies
 */
export async function replayEvents(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof webhookReplay }>,
): Promise<Answer> {
  // A null is as good as nothing: it names no place to begin at.
  const asked: Asked = Object.fromEntries(
    Object.entries(bodies[0] ?? {}).filter(([, value]) => value !== null),
  )
  if (asked.afterSequence === undefined && asked.from === undefined)
    throwViolations([validationProblems.required.at('afterSequence')])
  const written = await write<string>(context, 'replayEvents', async (read) => {
    const { senders, windows } = await read({
      senders: senderStatement(id),
      windows: windowStatement(id, asked),
    })
    const [sender] = senders
    if (!sender) throw webhookProblems.subscription_not_found({ id })
    const { topic } = requireScopesOfTopic(context, sender)
    if (sender.status === 'DISABLED') throw webhookProblems.disabled()
    const oldest = context.now.getTime() - deliveryDays * 86_400_000
    const { firstAt = null, lastSequence = null, events = 0, complete = true, after = 0 } = windows[0] ?? {}
    if (firstAt !== null && Date.parse(firstAt) < oldest) throw eventProblems.expired()
    const meant = sql`(select * from events where tenant_id = current_tenant() and topic = any(${textArray(topicsMatching(topic))})
      and sequence > ${after}::bigint and sequence <= ${lastSequence ?? after}::bigint)`
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: null }],
      statements: [statement(lockFanOut), replayStatement(id, meant, context.now)],
      changed: [],
      totals: {},
      result: JSON.stringify({
        ...identityOf({ id }, webhookReplay.type, 'replay'),
        ...asked,
        deliveries: events,
        lastSequence,
        complete,
      }),
      refusals: {},
    }
  })
  return textAnswer(written)
}

/** Finds the events that are meant: of each topic an index range, which ends at the tenant's last event or before. */
function windowStatement(id: string, { afterSequence, from, until }: Asked): Statement<Window> {
  const every = topics.map(({ name }) => name)
  const after = from === undefined ? sql`0` : lastSequence(sql`<`, from)
  const upTo = until === undefined ? sql`c.sequence` : lastSequence(sql`<=`, until)
  return statement<Window>(sql`
    with bounds as materialized (
      select greatest(${afterSequence ?? 0}::bigint, ${after}) as after, ${upTo} as up_to
        from tenant_clock c where c.tenant_id = current_tenant()
    ), meant as (
      select each.*, row_number() over (order by each.sequence) as n
        from bounds cross join webhook_subscriptions s cross join unnest(${textArray(every)}) as asked(topic) cross join lateral (
          select e.sequence, e.occurred_at from events e
           where e.tenant_id = current_tenant() and e.topic = asked.topic and e.sequence > bounds.after and e.sequence <= bounds.up_to
           order by e.sequence limit ${mostEvents + 1}
        ) each
       where s.tenant_id = current_tenant() and s.id = ${id}::uuid and ${wantsTopic(sql`asked.topic`)}
    )
    select (select after from bounds)::float8 as after, count(*) <= ${mostEvents} as complete,
           count(*) filter (where n <= ${mostEvents})::int as events,
           (max(sequence) filter (where n <= ${mostEvents}))::float8 as "lastSequence",
           instant_text(min(occurred_at)) as "firstAt"
      from meant`)
}

function replayStatement(id: string, events: SQL, now: Date): Statement {
  const moment = now.toISOString()
  return statement(sql`${insertDeliveries(events, sql`s.id = ${id}::uuid`, now)}
    do update set ${opened(now)} where ${isIdle(moment)}`)
}
