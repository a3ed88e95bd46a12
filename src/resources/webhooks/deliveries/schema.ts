import * as z from 'zod'
import { relativeIri } from '../../../core/iri.ts'
import { isJsonObject, type Json } from '../../../core/json.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { anyType, createOnly, type Property, readOnly, type Shape } from '../../../core/schema.ts'
import type { Scope } from '../../../core/scopes.ts'
import { violation } from '../../../core/violations.ts'
import { resourceForms, resourceIn, scopesOfResource } from '../../events/topics.ts'
import { instantInput, instantText, iriText } from '../../shared/properties.ts'

const of = '/api/webhook_subscriptions/{id}'

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const
export const deliveryWaits = [
  'response',
  'subscription',
  'next_attempt',
  'callback_host',
  'earlier_delivery',
  'worker',
] as const

const subscription = readOnly(iriText, 'The webhook subscription.', {
  isLink: true,
  targetType: 'WebhookSubscription',
})
const moment = z.string().nullable()

const duration = z.int().nullable()
const durations = z.object({
  address: duration.meta({ description: 'Of the check of the address.' }),
  headers: duration.meta({ description: 'From sending the request to the headers of the response.' }),
  body: duration.meta({
    description:
      'From the headers to the end of the body, of which the service reads 4,096 bytes for 250 ms.',
  }),
})

const result = {
  httpStatus: readOnly(z.int().nullable(), 'The status of the response; null without a response.'),
  latency: readOnly(z.int().nullable(), 'Milliseconds until the response or the end of the attempt.'),
  error: readOnly(
    z.string().nullable(),
    'The kind of failure: http_status, redirect, timeout, connection, blocked_address, unknown_host, event_expired, too_large, not_sent or withheld. Or the reason for a delay that counts no attempt: resolver_unavailable or secret_unreadable.',
  ),
}
const outcome = {
  ...result,
  durations: readOnly(
    durations.nullable(),
    'Milliseconds of the parts of the last attempt; null without one. A part is null if the attempt did not reach its end.',
  ),
  response: readOnly(
    z.string().nullable(),
    'The first 1,024 bytes of the response body, if the subscription has `recordResponses` and the body is text, JSON or XML. Deleted after 30 days.',
    { visibleWith: 'webhook_responses:read' },
  ),
}

const call = {
  callbackUrl: readOnly(z.string(), 'The address that receives the request.'),
  headers: readOnly(z.record(z.string(), z.string()), 'The headers, signed at the time of this request.'),
  body: readOnly(z.string(), 'The exact body.'),
}

const described = ({ schema, description }: Property) => schema.meta({ description })

const attempt = z.object({
  number: z.int().meta({ description: 'From 1.' }),
  callbackUrl: z.string().meta({ description: 'The address at that time.' }),
  startedAt: instantText,
  httpStatus: described(result.httpStatus),
  latency: described(result.latency),
  error: described(result.error),
  durations,
  response: described(outcome.response).optional(),
})

export const webhookDelivery = {
  type: 'WebhookDelivery',
  description: 'The delivery of one event to one subscription, with its result.',
  collection: `${of}/deliveries`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    subscription,
    webhookId: readOnly(z.string(), 'The header webhook-id, the same for every attempt and replay.'),
    event: readOnly(iriText, 'The delivered event.', { isLink: true, targetType: 'Event' }),
    sequence: readOnly(z.int(), 'The sequence of the event.'),
    topic: readOnly(z.string(), 'The topic of the event, such as product/created.'),
    resource: readOnly(iriText, 'The resource of the event.', { isLink: true, targetType: anyType }),
    resourceVersion: readOnly(z.int(), 'The version of the resource after the change.'),
    version: readOnly(z.string(), 'The API version of the payload.'),
    locale: readOnly(z.string(), 'The language of the payload.'),
    includeFields: readOnly(z.array(z.string()).nullable(), 'The paths in the payload; null means all.'),
    status: readOnly(z.enum(deliveryStatuses), 'Whether it is pending, was delivered or has failed.'),
    attempts: readOnly(z.int(), 'The number of attempts.'),
    ...outcome,
    nextAttemptAt: readOnly(moment, 'The moment of the next attempt, UTC; null without one.'),
    waitsFor: readOnly(
      z.enum(deliveryWaits).nullable(),
      'The reason for which a pending delivery waits; null if it is not pending. `response`: an attempt is under way. `subscription`: its subscription is not active. `next_attempt`: its next attempt is not due. `callback_host`: after failures, its callback host is not called for some time. `earlier_delivery`: an earlier delivery for the resource to the same address is pending. `worker`: no worker has begun an attempt.',
    ),
    createdAt: readOnly(z.string(), 'The creation time: RFC 3339, UTC, microseconds.'),
    completedAt: readOnly(moment, 'The moment at which the delivery arrived or failed, UTC.'),
    log: readOnly(z.array(attempt), 'Every attempt, oldest first; absent in lists.'),
  },
} satisfies Shape

export const webhookDeliveryBody = {
  type: 'WebhookDeliveryBody',
  description: 'The body of a delivery, rendered again from its event.',
  collection: `${of}/deliveries/{deliveryId}/body`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    subscription,
    delivery: readOnly(iriText, 'The delivery with this body.', {
      isLink: true,
      targetType: 'WebhookDelivery',
    }),
    webhookId: readOnly(z.string(), 'The header webhook-id.'),
    body: readOnly(
      z.string().nullable(),
      'The resource after the event, in the version, language and fields of the delivery. Without data that the caller may not read.',
    ),
    error: readOnly(
      z.enum(['withheld', 'too_large', 'event_expired']).nullable(),
      'The reason for a missing body: the caller or the receiver may not read it, it is too large, or its event is too old.',
    ),
  },
} satisfies Shape

export const webhookReplay = {
  type: 'WebhookReplay',
  description: 'The delivery of past events to a subscription, again or for the first time.',
  collection: `${of}/replay`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    afterSequence: createOnly(
      z
        .int()
        .min(0)
        .meta({ examples: [0] }),
      'Events after this sequence. Not with `from`.',
    ),
    from: createOnly(instantInput, 'Events at or after this time, UTC. Not with `afterSequence`.'),
    until: createOnly(instantInput, 'Events at or before this time, UTC; not before `from`.'),
    subscription,
    deliveries: readOnly(z.int(), 'The number of deliveries that the call created or reopened.'),
    lastSequence: readOnly(
      z.int().nullable(),
      'The sequence of the last event, after which the next call continues.',
    ),
    complete: readOnly(z.boolean(), 'Whether no more events match.'),
  },
} satisfies Shape

const resource = z
  .string()
  .refine(
    (text) => resourceIn(text) !== null,
    violation(validationProblems.invalid_iri.at('', { expected: resourceForms })),
  )
  .transform(relativeIri)

function scopesOfInput(value: Json): Scope[] {
  const iri = isJsonObject(value) ? value['@id'] : value
  return typeof iri === 'string' ? scopesOfResource(iri) : []
}

export const webhookPreview = {
  type: 'WebhookPreview',
  description: 'The webhook that a subscription would now receive for a resource.',
  collection: `${of}/preview`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    resource: createOnly(
      z.union([resource, z.looseObject({ '@id': resource }).transform((object) => object['@id'])]),
      'The resource, which may be deleted. The preview shows its last event.',
      {
        required: true,
        isLink: true,
        targetType: anyType,
        neededScopes: { scopes: scopesOfInput, described: 'the scope that reads it' },
      },
    ),
    subscription,
    ...call,
  },
} satisfies Shape

export const webhookTest = {
  type: 'WebhookTest',
  description: 'A sample that the service sent to a subscription, with its result.',
  collection: `${of}/test`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    subscription,
    status: readOnly(z.enum(['DELIVERED', 'FAILED']), 'Whether the receiver accepted the sample.'),
    ...outcome,
    ...call,
  },
} satisfies Shape
