import type { OfferParts } from './document.ts'

/** Stored properties that offers of every kind have. */
export type OfferValues = {
  readonly status: 'DRAFT' | 'ACTIVE' | 'ARCHIVED'
  readonly currency: string
  readonly validFrom: string | null
  readonly validUntil: string | null
  readonly externalId: string | null
}

/** An offer that is to be stored, and the priced values that its document was rendered from. */
export type Offer<Values> = { readonly parts: OfferParts; readonly values: Values }
