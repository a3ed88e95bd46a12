import type * as z from 'zod'
import { readOnly, writable } from '../../core/schema.ts'
import { iriText, ownedRelation } from '../shared/properties.ts'
import { variantCollection, variantIri } from '../variants/schema.ts'

/** The maximum number of a variant's offers of one kind, without archived ones. */
export const maximumOffers = 1000

const variantRelation = ownedRelation(variantCollection)
/** The variant in a body: its id and its product's id. */
export type VariantReference = z.output<typeof variantRelation>

/**
 * The variant and the product of an offer. A patch may send the offer's own variant back; another variant is a
 * violation.
 */
export const targetProperties = {
  variant: writable(variantRelation, 'The variant that is offered; it stays the same.', {
    required: true,
    isLink: true,
    merge: (_: unknown, { id, ownerId }: VariantReference) => variantIri(ownerId, id),
  }),
  product: readOnly(iriText, 'The product that owns the variant.', {
    isLink: true,
    targetType: 'Product',
    stored: true,
  }),
}
