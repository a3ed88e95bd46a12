/** The properties that offers of every kind have, in groups, so that each shape shows them in its own order. */
import * as z from 'zod'
import { readOnly, writable } from '../../../core/property.ts'
import { externalId, instantInput, stamps } from '../../property-schemas.ts'

export const offerStatuses = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
export const offerStates = ['SCHEDULED', 'LIVE', 'EXPIRED', 'INACTIVE'] as const

/** The properties that say when an offer applies. */
export const windowProperties = {
  validFrom: writable(instantInput, 'The moment from which it applies, UTC; null is no start.', {
    example: '2026-10-01T00:00:00.000000Z',
  }),
  validUntil: writable(instantInput, 'The first moment at which it no longer applies, UTC; null is no end.', {
    example: '2026-12-31T23:00:00.000000Z',
  }),
}

/** The properties that say whether an offer is in force. */
export const standingProperties = {
  status: writable(z.enum(offerStatuses), 'Whether it is worked on, in force or taken back.', {
    standard: 'ACTIVE',
    example: 'ACTIVE',
  }),
  state: readOnly(z.enum(offerStates), 'Where its validity stands at the moment of reading.', {
    example: 'LIVE',
  }),
  categories: readOnly(z.array(z.unknown()), 'The categories of its product.', {
    of: 'Category',
    link: true,
  }),
  externalId: writable(externalId, 'The identifier of the offer in another system.', { example: 'offer-17' }),
  ...stamps(),
}
