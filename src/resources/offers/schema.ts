import type * as z from 'zod'
import { createOnly, readOnly, writable } from '../../core/schema.ts'
import { iriText, ownedRelation } from '../shared/properties.ts'
import { variantCollection, variantIri } from '../variants/schema.ts'

/** The maximum number of a variant's offers of one kind, without archived ones. */
export const maximumOffers = 1000

const variantRelation = ownedRelation(variantCollection)
/** The variant in a body: its id and its product's id. */
export type VariantReference = z.output<typeof variantRelation>

const variantDescription = 'The variant that is offered; it stays the same.'

/** The variant and the product of an offer. */
export const targetProperties = {
  variant: createOnly(variantRelation, variantDescription, {
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

/**
 * The variant in a patch. It is writable, so that a patch may send the offer's own variant back and another
 * variant is a violation.
 */
export const patchTargetProperties = {
  variant: writable(variantRelation, variantDescription, { required: true, link: true }),
}

/** Returns the variant of a validated body. The schema requires it for new offers. */
export function requireVariant({
  variant,
}: {
  readonly variant?: VariantReference | null
}): VariantReference {
  if (!variant) throw new Error('Validation accepted a new offer without a variant')
  return variant
}
