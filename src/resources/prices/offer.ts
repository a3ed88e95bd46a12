/** What a price depends on. Instants are canonical texts, amounts decimal texts. */
export type PriceOffer = {
  readonly id: string
  /** Null is every channel. */
  readonly channel: string | null
  /** Upper-case ISO 3166-1 alpha-2 codes; empty is every country. */
  readonly countries: readonly string[]
  readonly currency: string
  readonly amount: string
  readonly compareAtAmount: string | null
  readonly validFrom: string | null
  /** The first moment at which the offer no longer applies. */
  readonly validUntil: string | null
  readonly priority: number
  readonly minQuantity: number
  readonly taxIncluded: boolean
  readonly status: 'DRAFT' | 'ACTIVE' | 'ARCHIVED'
}

/** Who asks for a price: in which channel, which country, at which moment. */
export type PriceQuestion = { readonly channel: string; readonly country: string; readonly at: string }

/** The IRI of an offer. */
export function iriOf({ id }: Pick<PriceOffer, 'id'>): string {
  return `/api/sale_offers/${id}`
}
