import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../../core/instant.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { log } from '../../../core/log.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { write } from '../../../core/write.ts'
import { texts } from '../../../db/rows.ts'
import { kindOf, topics, topicsMatching } from '../../events/index.ts'
import { attempt, headersOf, payloadText, wantsTopic } from '../engine/index.ts'
import {
  boundToScopes,
  identityOf,
  lastEvent,
  sendable,
  sendingOf,
  sentBody,
  type Told,
  textAnswer,
} from './last-event.ts'
import { webhookTest as shape } from './schema.ts'

/**
 * Sends a sample now and tells what came of it: the topic's last event, or a made-up one where there is none, under an id of
 * its own. Nothing follows from it, so paused and disabled subscriptions can be tried too.
 */
export async function testWebhook(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const every = texts(topics.map(({ name }) => name))
  const sequence = sql`
    select max(each.last) from webhook_subscriptions s cross join unnest(${every}) as asked(topic) cross join lateral (
      select max(e.sequence) as last from events e where e.tenant_id = s.tenant_id and e.topic = asked.topic
    ) each where s.tenant_id = current_tenant() and s.id = ${id}::uuid and ${wantsTopic(sql`asked.topic`)}`
  const written = await write<string>(boundToScopes(context), 'testWebhook', async (read) => {
    const told = await lastEvent(context, read, id, sequence)
    return { perform: async () => JSON.stringify(await sendSample(context, told)) }
  })
  return textAnswer(written)
}

async function sendSample(context: Context, told: Told): Promise<Json> {
  const { sender, event } = told
  const { body, topic } = event && told.body !== null ? { body: told.body, topic: event.topic } : madeUp(told)
  const isBoundary = topics.some((each) => each.name === topic && each.isBoundary)
  const delivery = sendable(context.trace, told, {
    eventId: `test-${uuidv7()}`,
    sequence: event?.sequence ?? 0,
    resourceVersion: event?.version ?? 1,
    effectiveAt: event?.effectiveAt ?? (isBoundary ? instantOf(context.now) : null),
    topic,
  })
  const sending = sendingOf(context)
  const headers = await headersOf(sending, context.tenant.id, delivery, body)
  if (headers === null) log('secret_unreadable', context.about(), { subscription: sender.id, delivery: null })
  const { httpStatus, milliseconds, error } = await attempt(sending, context.tenant.id, delivery, body)
  return {
    ...identityOf(sender, shape.type, 'test'),
    status: error === null ? 'DELIVERED' : 'FAILED',
    httpStatus,
    latency: Math.round(milliseconds),
    error,
    callbackUrl: sender.callbackUrl,
    headers: headers ?? {},
    body,
  }
}

/** A document of the first topic that is asked for, with the standard of each property. */
function madeUp({ sender, frozen }: Told): { body: string; topic: string } {
  const [known] = topicsMatching(sender.topic).flatMap((topic) => {
    const kind = kindOf(topic)
    return kind ? [{ topic, of: kind.shape }] : []
  })
  if (!known) throw new Error(`no resource has the topic ${sender.topic}`)
  const { topic, of } = known
  const id = uuidv7()
  const values = Object.entries(of.properties).flatMap(([name, { standard, writeOnly }]) =>
    writeOnly ? [] : [[name, standard] as const],
  )
  const document: JsonObject = {
    '@id': `${of.collection}/${id}`,
    '@type': of.type,
    id,
    ...Object.fromEntries(values),
  }
  return { topic, body: sentBody(payloadText(document, of, frozen)) }
}
