import * as z from 'zod'
import { relativeIri } from '../../../core/iri.ts'
import { isJsonObject, type Json } from '../../../core/json.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { anyType, createOnly, readOnly, type Shape } from '../../../core/schema.ts'
import type { Scope } from '../../../core/scopes.ts'
import { violation } from '../../../core/violations.ts'
import { resourceForms, resourceIn, scopesOfResource } from '../../events/topics.ts'
import { instantInput, iriText } from '../../shared/properties.ts'

const of = '/api/webhook_subscriptions/{id}'

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const

const subscription = readOnly(iriText, 'The subscription that it is for.', {
  link: true,
  to: 'WebhookSubscription',
})
const moment = z.string().nullable()

/** The outcome of the last attempt. */
const outcome = {
  httpStatus: readOnly(z.int().nullable(), 'The status that the receiver answered; null when none came.'),
  latency: readOnly(z.int().nullable(), 'Milliseconds until the answer, or until it was given up.'),
  error: readOnly(
    z.string().nullable(),
    'Of what kind the failure was: http_status, redirect, timeout, connection, blocked_address, unknown_host, event_expired, too_large, not_sent or withheld; or why it waits without an attempt being counted: resolver_unavailable or secret_unreadable.',
  ),
}

/** The request of an attempt, without its outcome. */
const call = {
  callbackUrl: readOnly(z.string(), 'The address that is called.'),
  headers: readOnly(z.record(z.string(), z.string()), 'The headers, signed at this moment.'),
  body: readOnly(z.string(), 'The body, to the byte.'),
}

export const webhookDelivery = {
  type: 'WebhookDelivery',
  description: 'The telling of one event to one subscription, with what came of it.',
  collection: `${of}/deliveries`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    subscription,
    webhookId: readOnly(z.string(), 'The header webhook-id: the same on every attempt and replay.'),
    event: readOnly(iriText, 'The event that is told.', { link: true, to: 'Event' }),
    sequence: readOnly(z.int(), "The event's place in the changes of the tenant."),
    topic: readOnly(z.string(), 'What happened: product/created.'),
    resource: readOnly(iriText, 'What it happened to.', { link: true, to: anyType }),
    resourceVersion: readOnly(z.int(), 'The version of the resource after the change.'),
    version: readOnly(z.string(), 'The API version of the payload.'),
    locale: readOnly(z.string(), 'The language of the payload.'),
    includeFields: readOnly(z.array(z.string()).nullable(), 'What of the document the payload holds.'),
    status: readOnly(z.enum(deliveryStatuses), 'Whether it is still to arrive, has arrived or was given up.'),
    attempts: readOnly(z.int(), 'How often it was sent.'),
    ...outcome,
    nextAttemptAt: readOnly(moment, 'When it is sent next, UTC; null when it is not.'),
    createdAt: readOnly(z.string(), 'When it was made: RFC 3339, UTC, microseconds.'),
    completedAt: readOnly(moment, 'When it arrived or was given up, UTC.'),
    log: readOnly(z.array(z.unknown()), 'Every attempt, oldest first; in the answer about one delivery.'),
  },
} satisfies Shape

export const webhookDeliveryBody = {
  type: 'WebhookDeliveryBody',
  description: 'What a delivery carries, rendered anew from its event.',
  collection: `${of}/deliveries/{deliveryId}/body`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    subscription,
    delivery: readOnly(iriText, 'The delivery that carries it.', { link: true, to: 'WebhookDelivery' }),
    webhookId: readOnly(z.string(), 'The header webhook-id.'),
    body: readOnly(
      z.string().nullable(),
      'The body: what its event left of the resource, in the version, language and fields of the delivery. Without what the caller may not read.',
    ),
    error: readOnly(
      z.enum(['withheld', 'too_large', 'event_expired']).nullable(),
      'Why there is no body: it may not be shown to the caller or the receiver, it would be too large, or its event is too old.',
    ),
  },
} satisfies Shape

export const webhookReplay = {
  type: 'WebhookReplay',
  description: 'The telling of past events to a subscription, once more or for the first time.',
  collection: `${of}/replay`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    afterSequence: createOnly(z.int().min(0), 'Events after this sequence.'),
    from: createOnly(instantInput, 'Events from this moment on, UTC.'),
    until: createOnly(instantInput, 'Events up to this moment, UTC.'),
    subscription,
    deliveries: readOnly(z.int(), 'How many deliveries were made or opened anew.'),
    lastSequence: readOnly(
      z.int().nullable(),
      'The last event that was looked at: where the next call goes on.',
    ),
    complete: readOnly(z.boolean(), 'Whether that was all.'),
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
  description: 'What a subscription would be sent of a resource now.',
  collection: `${of}/preview`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    resource: createOnly(
      z.union([resource, z.looseObject({ '@id': resource }).transform((object) => object['@id'])]),
      'The resource, also one that is deleted: its last event is what is told.',
      {
        required: true,
        link: true,
        to: anyType,
        demand: { scopes: scopesOfInput, described: 'the scope that reads it' },
        example: '/api/products/019aa000-0000-7000-8000-000000000001',
      },
    ),
    subscription,
    ...call,
  },
} satisfies Shape

export const webhookTest = {
  type: 'WebhookTest',
  description: 'A sample that was sent to a subscription, and what came of it.',
  collection: `${of}/test`,
  readWith: 'webhook_subscriptions:read',
  properties: {
    subscription,
    status: readOnly(z.enum(['DELIVERED', 'FAILED']), 'Whether the receiver took it.'),
    ...outcome,
    ...call,
  },
} satisfies Shape
