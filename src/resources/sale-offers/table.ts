import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { decimal } from '../../db/columns.ts'
import type { Offer, OfferValues } from '../offers/document.ts'
import { offerColumns, offerRow } from '../offers/table.ts'

export const saleOffers = pgTable('sale_offers', {
  ...offerColumns,
  /** Null is every channel. */
  channel: text('channel'),
  /** Empty is every country. */
  countries: text('countries').array().notNull(),
  /** With as many decimals as the currency has, which the column keeps. */
  amount: decimal('amount').notNull(),
  compareAtAmount: decimal('compare_at_amount'),
  priority: integer('priority').notNull(),
  minQuantity: integer('min_quantity').notNull(),
  taxIncluded: boolean('tax_included').notNull(),
})

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
