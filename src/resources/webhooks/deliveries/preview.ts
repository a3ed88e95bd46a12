import { sql } from 'drizzle-orm'
import type { Json } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { refuse } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { iriOfResource, resourceIn, scopesOfResource } from '../../events/index.ts'
import { eventProblems } from '../../events/problems.ts'
import { headersOf } from '../engine/index.ts'
import { boundToScopes, identityOf, lastEvent, sendable, sendingOf, textAnswer } from './last-event.ts'
import { webhookPreview as shape } from './schema.ts'

/** Shows the headers and the body in which a subscription would be told a resource's last event now; nothing is sent. */
export async function previewWebhook(context: Context, { params, bodies }: Input): Promise<Answer> {
  const resource = String(bodies[0]?.resource)
  const written = await write<string>(boundToScopes(context), 'previewWebhook', async (read) => ({
    unchanged: JSON.stringify(await preview(context, read, params.id!, resource)),
  }))
  return textAnswer(written)
}

async function preview(
  context: Context,
  read: Session['read'],
  subscriptionId: string,
  resource: string,
): Promise<Json> {
  const { kind, id } = resourceIn(resource)!
  context.demand(scopesOfResource(resource))
  const sequence = sql`select max(sequence) from events
    where tenant_id = current_tenant() and kind = ${kind} and resource_id = ${id}::uuid`
  const told = await lastEvent(context, read, subscriptionId, sequence)
  const { sender, event, body } = told
  if (!event || iriOfResource(kind, id, event.ownerId) !== resource) {
    refuse([validationProblems.unknown_reference.at('resource', { iri: resource })])
    throw new Error('unreachable')
  }
  if (body === null) throw eventProblems.expired()
  const { id: eventId, sequence: place, topic, version: resourceVersion } = event
  const delivery = sendable(told, { eventId, sequence: place, topic, resourceVersion })
  const headers = await headersOf(sendingOf(context), context.tenant.id, delivery, body)
  const { callbackUrl } = sender
  return { ...identityOf(sender, shape.type, 'preview'), resource, callbackUrl, headers: headers ?? {}, body }
}
