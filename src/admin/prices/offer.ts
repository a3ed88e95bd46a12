import type { Fields } from '../core/changed.ts'

/** A sale offer as it is read. */
export type SaleOffer = {
  readonly '@id': string
  readonly variant: string
  readonly version: number
  readonly channel: string | null
  readonly countries: readonly string[]
  readonly currency: string
  readonly amount: string
  readonly compareAtAmount: string | null
  readonly validFrom: string | null
  readonly validUntil: string | null
  readonly priority: number
  readonly minQuantity: number
  readonly taxIncluded: boolean
  readonly status: 'DRAFT' | 'ACTIVE' | 'ARCHIVED'
}

/** A document that was read at an address of sale offers. */
export function offerOf(document: Fields | undefined): SaleOffer | undefined {
  return document as SaleOffer | undefined
}
