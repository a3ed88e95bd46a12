import { type Offer, type OfferValues, offerRow } from '../offers/index.ts'

/** What is stored of a sale offer beside what all offers have. */
export type SaleOfferValues = OfferValues & {
  readonly channel: string | null
  readonly countries: string[]
  readonly amount: string
  readonly compareAtAmount: string | null
  readonly priority: number
  readonly minQuantity: number
  readonly taxIncluded: boolean
}

/** The row of a sale offer, but for what commit() stamps. */
export function saleOfferRow({ parts, values }: Offer<SaleOfferValues>) {
  return {
    ...offerRow({ parts, values }),
    channel: values.channel,
    countries: values.countries,
    amount: values.amount,
    compareAtAmount: values.compareAtAmount,
    priority: values.priority,
    minQuantity: values.minQuantity,
    taxIncluded: values.taxIncluded,
  }
}
