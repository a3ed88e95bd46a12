import type { Shape } from '../../../core/property.ts'
import { render } from '../../../core/state.ts'
import type { CategoryParts } from '../../categories/index.ts'
import type { OfferParts } from './document.ts'
import type { OfferValues } from './offer.ts'

/** A new offer of a variant, which its owner has. */
type NewOffer = {
  readonly id: string
  readonly variant: { readonly id: string; readonly ownerId: string }
  readonly values: OfferValues
}

/** What a new offer is made of; it has no version yet. */
export function newOfferParts(
  shape: Shape,
  locales: readonly [string, ...string[]],
  { id, variant, values }: NewOffer,
  categories: readonly CategoryParts[],
): OfferParts {
  const { status, validFrom, validUntil } = values
  const identity = { iri: `${shape.collection}/${id}`, id }
  return {
    id,
    productId: variant.ownerId,
    variantId: variant.id,
    document: render(shape, identity, { values, translations: {} }, locales),
    status,
    validFrom,
    validUntil,
    version: 0,
    createdAt: '',
    updatedAt: '',
    categories,
  }
}
