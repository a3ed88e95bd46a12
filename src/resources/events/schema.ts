import * as z from 'zod'
import { anyType, readOnly, type Shape } from '../../core/schema.ts'
import { instantText, iriText } from '../shared/properties.ts'

/** Number of days that an event keeps its document. Its changes are never deleted. */
export const documentDays = 90

export const event = {
  type: 'Event',
  description:
    'One change of one resource, or a moment at which one took effect, in the order of all changes of the tenant.',
  collection: '/api/events',
  readWith: 'events:read',
  properties: {
    sequence: readOnly(
      z.int(),
      'Its place in the changes of the tenant: from 1, without gaps, in commit order.',
      { example: 1042 },
    ),
    topic: readOnly(z.string(), 'What happened: product/created.', { example: 'product/updated' }),
    resource: readOnly(iriText, 'What it happened to.', { link: true, to: anyType }),
    resourceVersion: readOnly(z.int(), 'The version of the resource after the change, or at that moment.', {
      example: 3,
    }),
    occurredAt: readOnly(instantText, 'When it was recorded: RFC 3339, UTC, microseconds.'),
    effectiveAt: readOnly(
      instantText.nullable(),
      'The moment at which it took effect, where it is of no change: an offer began to apply or ceased to. Null for changes, and for whoever may not read the resource.',
      { example: null },
    ),
    actor: readOnly(
      z.object({ subject: z.string(), client: z.string() }),
      'Who did it, and with which client; absent where it is of no change.',
      { example: { subject: 'sync-job', client: 'sync-job' } },
    ),
    apiVersion: readOnly(
      z.string(),
      'The API version that the writer used; absent where it is of no change.',
      { example: '2026-10' },
    ),
    requestId: readOnly(
      z.string().meta({ format: 'uuid' }),
      'The X-Request-Id of the write; absent where it is of no change.',
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
      'What changed, property by property; null where there was or is nothing. Values that are too large to be kept are null with `omitted: true`. Empty for whoever may not read the resource.',
      { example: [{ path: 'title', before: 'Shirt', after: 'Organic cotton shirt' }] },
    ),
    document: readOnly(
      z.unknown(),
      `The resource as it was after the change, or before it was deleted; null after ${documentDays} days, and for whoever may not read the resource. Beyond two megabytes what it embeds becomes totals and links; it is null where that is not enough.`,
      { of: anyType },
    ),
  },
} satisfies Shape
