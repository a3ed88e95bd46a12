import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { decimal } from '../../db/columns.ts'
import type { Offer, OfferValues } from '../offers/document.ts'
import { offerColumns, offerRow } from '../offers/table.ts'

export const saleOffers = pgTable('sale_offers', {
  ...offerColumns,
  /** Null means every channel. */
  channel: text('channel'),
  /** Empty means every country. */
  countries: text('countries').array().notNull(),
  /** With the decimals of the currency, which the column preserves. */
  amount: decimal('amount').notNull(),
  compareAtAmount: decimal('compare_at_amount'),
  priority: integer('priority').notNull(),
  minQuantity: integer('min_quantity').notNull(),
  taxIncluded: boolean('tax_included').notNull(),
})

/** The stored values of a sale offer. */
export type SaleOfferValues = OfferValues & {
  readonly channel: string | null
  readonly countries: string[]
  readonly amount: string
  readonly compareAtAmount: string | null
  readonly priority: number
  readonly minQuantity: number
  readonly taxIncluded: boolean
}

/** The row of a sale offer, without the columns that the write sets. */
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
