import * as z from 'zod'
import type { Resource } from '../../core/operation.ts'
import { readOnly, type Shape } from '../../core/property.ts'
import { instantText, iriText } from '../property-schemas.ts'

/** Where the timelines of a product's variants are. */
export const timelinesPath = '/api/products/{id}/price_timeline'

const view = z.object({ '@id': iriText, '@type': z.literal('PartialCollectionView'), next: iriText })

const cause = z.enum(['WINDOW', 'EDIT'])

const priceSegment: Shape = {
  type: 'PriceSegment',
  description: 'A span in which the price of a variant stays the same.',
  collection: timelinesPath,
  readWith: 'sale_offers:read',
  properties: {
    from: readOnly(instantText, 'Its first moment.'),
    until: readOnly(instantText, 'The moment at which it ends, and the next one begins.'),
    resolvedPrice: readOnly(
      z.unknown().nullable(),
      'The price, as it is resolved at its first moment, without `nextChangeAt`, which its end tells; null where no offer applies.',
      { of: 'ResolvedPrice' },
    ),
    cause: readOnly(
      cause.nullable(),
      'What had it begin: `WINDOW`, an offer began or ended by its own terms; `EDIT`, somebody changed what is recorded. Null where nothing changed: where the timeline or its page begins, and now.',
      { example: 'EDIT' },
    ),
    event: readOnly(iriText.nullable(), 'Of an `EDIT`, the event of that change.', {
      link: true,
      to: 'Event',
    }),
  },
}

/** The price of a variant over a span of time. */
export const priceTimeline = {
  type: 'PriceTimeline',
  description:
    'The price of a variant over a span of time: what passed as it applied, what is to come as it is known now.',
  collection: timelinesPath,
  readWith: 'sale_offers:read',
  properties: {
    variant: readOnly(iriText, 'The variant whose price it is.', { link: true, to: 'Variant' }),
    channel: readOnly(z.string(), 'The channel that was asked about.', { example: 'web' }),
    country: readOnly(z.string(), 'The country that was asked about.', { example: 'FR' }),
    from: readOnly(instantText, 'The first moment that was asked about.'),
    until: readOnly(instantText, 'The moment at which the span ends that was asked about.'),
    historyFrom: readOnly(
      instantText.nullable(),
      'When the first event of the tenant was recorded: before it there are no prices. Null where there is none yet.',
    ),
    segments: readOnly(
      z.array(z.unknown()),
      'In their order and without gaps; one ends and another begins now.',
      { of: 'PriceSegment' },
    ),
    view: readOnly(view, 'Where it goes on; absent where it is whole.'),
  },
} satisfies Shape

/** A type without operations, so that it is described like the others. */
export const segments: Resource = { shape: priceSegment, operations: [], problems: [] }
