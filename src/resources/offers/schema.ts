import type * as z from 'zod'
import { createOnly, readOnly, writable } from '../../core/schema.ts'
import { iriText, ownedRelation } from '../shared/properties.ts'
import { variantCollection, variantIri } from '../variants/schema.ts'

/** The properties that say of an offer what is offered. */

/** How many offers of one kind that are not archived a variant may have. */
export const maximumOffers = 1000

const variantRelation = ownedRelation(variantCollection)
/** The variant that a body names: its id and its product's. */
export type VariantReference = z.output<typeof variantRelation>

const variantDescription = 'The variant that is offered; it stays the same.'

/** The properties that say what is offered. */
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

/** What a patch is read with: a variant may be sent back, so that another one than the offer's can be told. */
export const patchTargetProperties = {
  variant: writable(variantRelation, variantDescription, { required: true, link: true }),
}

/** The variant of a body that was let in: a new offer has one. */
export function requireVariant({
  variant: variantDescription,
}: {
  readonly variant?: VariantReference | null
}): VariantReference {
  if (!variantDescription) throw new Error('an offer without a variant was let in')
  return variantDescription
}
