/** Past events told once more: deliveries that were made are opened anew under their ids, those that never were are made. */
import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { refuse } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { texts } from '../../../db/rows.ts'
import { lastSequence, topics, topicsMatching } from '../../events/index.ts'
import { eventProblems } from '../../events/problems.ts'
import { deliveriesMade, lockFanOut, wantsTopic } from '../engine/index.ts'
import { demandAimed, senderStatement } from '../subscriptions/index.ts'
import { webhookProblems } from '../subscriptions/problems.ts'
import { identityOf, textAnswer } from './last-event.ts'
import { deliveryDays } from './retention.ts'
import { webhookReplay as shape } from './schema.ts'
import { isIdle, opened } from './store.ts'

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
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  // A null is as good as nothing: it names no place to begin at.
  const asked: Asked = Object.fromEntries(
    Object.entries(bodies[0] ?? {}).filter(([, value]) => value !== null),
  )
  if (asked.afterSequence === undefined && asked.from === undefined)
    refuse([validationProblems.required.at('afterSequence')])
  const written = await write<string>(context, 'replayEvents', async (read) => {
    const { senders, windows } = await read({
      senders: senderStatement(id),
      windows: windowStatement(id, asked),
    })
    const [sender] = senders
    if (!sender) throw webhookProblems.subscription_not_found({ id })
    const { topic } = demandAimed(context, sender)
    if (sender.status === 'DISABLED') throw webhookProblems.disabled()
    const oldest = context.now.getTime() - deliveryDays * 86_400_000
    const { firstAt = null, lastSequence = null, events = 0, complete = true, after = 0 } = windows[0] ?? {}
    if (firstAt !== null && Date.parse(firstAt) < oldest) throw eventProblems.expired()
    const meant = sql`(select * from events where tenant_id = current_tenant() and topic = any(${texts(topicsMatching(topic))})
      and sequence > ${after}::bigint and sequence <= ${lastSequence ?? after}::bigint)`
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: null }],
      statements: [statement(lockFanOut), replayStatement(id, meant, context.now)],
      changed: [],
      totals: {},
      result: JSON.stringify({
        ...identityOf({ id }, shape.type, 'replay'),
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
        from bounds cross join webhook_subscriptions s cross join unnest(${texts(every)}) as asked(topic) cross join lateral (
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
  return statement(sql`${deliveriesMade(events, sql`s.id = ${id}::uuid`, now)}
    do update set ${opened(now)} where ${isIdle(moment)}`)
}
