import { sql } from 'drizzle-orm'
import type { Json } from '../../../core/json.ts'
import { log } from '../../../core/log.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { traceOf } from '../../../core/trace.ts'
import { write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { iriOfResource, resourceIn, scopesOfResource } from '../../events/index.ts'
import { eventProblems } from '../../events/problems.ts'
import { headersOf } from '../engine/index.ts'
import { boundToScopes, identityOf, lastEvent, sendable, sendingOf, textAnswer } from './last-event.ts'
import { webhookPreview as shape } from './schema.ts'

/** Shows the headers and the body in which a subscription would be told a resource's last event now; nothing is sent. */
export async function previewWebhook(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const resource = bodies[0]?.resource ?? ''
  const written = await write<string>(boundToScopes(context), 'previewWebhook', async (read) => ({
    unchanged: JSON.stringify(await preview(context, read, id, resource)),
  }))
  return textAnswer(written)
}

async function preview(
  context: Context,
  read: Session['read'],
  subscriptionId: string,
  resource: string,
): Promise<Json> {
  const found = resourceIn(resource)
  if (!found) throw unknownReference(resource)
  const { kind, id } = found
  context.demand(scopesOfResource(resource))
  const sequence = sql`select max(sequence) from events
    where tenant_id = current_tenant() and kind = ${kind} and resource_id = ${id}::uuid`
  const told = await lastEvent(context, read, subscriptionId, sequence)
  const { sender, event, body } = told
  if (!event || iriOfResource(kind, id, event.ownerId) !== resource) throw unknownReference(resource)
  if (body === null) throw eventProblems.expired()
  const { id: eventId, sequence: place, topic, version: resourceVersion, effectiveAt } = event
  const delivery = sendable(traceOf(event), told, {
    eventId,
    sequence: place,
    topic,
    resourceVersion,
    effectiveAt,
  })
  const headers = await headersOf(sendingOf(context), context.tenant.id, delivery, body)
  if (headers === null) log('secret_unreadable', context.about(), { subscription: sender.id, delivery: null })
  const { callbackUrl } = sender
  return { ...identityOf(sender, shape.type, 'preview'), resource, callbackUrl, headers: headers ?? {}, body }
}

function unknownReference(iri: string): Error {
  const violations = [validationProblems.unknown_reference.at('resource', { iri })]
  return validationProblems.unknown_reference({ iri }, { violations })
}
