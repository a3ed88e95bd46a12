import * as z from 'zod'
import { anyType, readOnly, type Shape } from '../../core/schema.ts'
import { instantText, iriText } from '../shared/properties.ts'

/** Number of days that an event keeps its document. Its changes are never deleted. */
export const documentDays = 90

/** The document of `catalogue/restored`. */
export const restoredCatalogue = {
  type: 'Catalogue',
  description: 'The catalogue of a tenant after a restore to an earlier time.',
  collection: '/api',
  readWith: null,
  properties: {
    restoredTo: readOnly(
      instantText,
      'The time that the catalogue was restored to. Later changes are lost.',
      {
        stored: true,
      },
    ),
    lostUntil: readOnly(instantText, 'The time of the recovery. No later change is lost.', { stored: true }),
    epoch: readOnly(z.int(), 'The number that entity tags contain since then.', {
      stored: true,
      example: 1795946400,
    }),
  },
} satisfies Shape

export const event = {
  type: 'Event',
  description:
    'One change of one resource, or a moment at which an offer began or ceased to apply, or prices changed. Events have the order of all changes of the tenant.',
  collection: '/api/events',
  readWith: 'events:read',
  properties: {
    sequence: readOnly(
      z.int(),
      'The number of the event in the tenant: from 1, in commit order, without gaps but for that before `catalogue/restored`.',
      { example: 1042 },
    ),
    topic: readOnly(z.string(), 'The topic, such as product/created.', { example: 'product/updated' }),
    resource: readOnly(iriText, 'The resource of the event.', { isLink: true, targetType: anyType }),
    resourceVersion: readOnly(z.int(), 'The version of the resource after the change, or at that moment.', {
      example: 3,
    }),
    occurredAt: readOnly(instantText, 'The time of recording: RFC 3339, UTC, microseconds.'),
    effectiveAt: readOnly(
      instantText.nullable(),
      'The moment at which an offer began or ceased to apply, prices changed, or that the catalogue was restored to, for an event without a change. Null for changes, and if the caller may not read the resource.',
      { example: null },
    ),
    actor: readOnly(
      z.object({ subject: z.string(), client: z.string() }),
      'The user and the client of the write; absent for an event without a change.',
      { example: { subject: 'sync-job', client: 'sync-job' } },
    ),
    apiVersion: readOnly(z.string(), 'The API version of the write; absent for an event without a change.', {
      example: '2026-10',
    }),
    requestId: readOnly(
      z.string().meta({ format: 'uuid' }),
      'The X-Request-Id of the write; absent for an event without a change.',
    ),
    locale: readOnly(
      z.string().nullable(),
      'The locale of the write: the language of the translatable texts in `changes`, unless their path begins with `translations`. Null for older events; absent for an event without a change.',
      { example: 'en-US' },
    ),
    changes: readOnly(
      z.array(
        z.object({
          path: z.string(),
          before: z.unknown(),
          after: z.unknown(),
          omitted: z.boolean().optional(),
        }),
      ),
      'The changed properties, with their values before and after the write; null means no value. A value that is too large to store is null with `omitted: true`. Empty if the caller may not read the resource.',
      { example: [{ path: 'title', before: 'Shirt', after: 'Organic cotton shirt' }] },
    ),
    document: readOnly(
      z.unknown(),
      `The resource after the change, or before its deletion. Null after ${documentDays} days, and if the caller may not read the resource. Beyond two megabytes, totals and links replace embedded resources; if that is not enough, it is null.`,
      { objectType: anyType },
    ),
  },
} satisfies Shape
