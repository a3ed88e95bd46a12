/** The properties that offers of every kind have, in groups, so that each shape shows them in its own order. */
import * as z from 'zod'
import { onCreate, readOnly, writable } from '../../core/property.ts'
import { externalId, instantInput, iriText, ownedRelation, stamps } from '../fields.ts'
import { variantCollection, variantIri } from '../products/variants/iri.ts'

/** How many offers of one kind that are not archived a variant may have. */
export const maximumOffers = 1000

export const offerStatuses = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
export const offerStates = ['SCHEDULED', 'LIVE', 'EXPIRED', 'INACTIVE'] as const

const variantRelation = ownedRelation(variantCollection)
/** The variant that a body names: its id and its product's. */
export type VariantReference = z.output<typeof variantRelation>

const variant = 'The variant that is offered; it stays the same.'

/** The properties that say what is offered. */
export const targetProperties = {
  variant: onCreate(variantRelation, variant, {
    required: true,
    link: true,
    merge: (_: unknown, { id, ownerId }: VariantReference) => variantIri(ownerId, id),
  }),
  product: readOnly(iriText, 'The product that owns the variant.', {
    link: true,
    to: 'Product',
    stored: true,
  }),
}

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

/** What a patch is read with: a variant may be sent back, so that another one than the offer's can be told. */
export const patchedTarget = { variant: writable(variantRelation, variant, { required: true, link: true }) }

/** The variant of a body that was let in: a new offer has one. */
export function requiredVariant({
  variant,
}: {
  readonly variant?: VariantReference | null
}): VariantReference {
  if (!variant) throw new Error('an offer without a variant was let in')
  return variant
}
