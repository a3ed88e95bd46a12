import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { decimal } from '../../../db/columns.ts'
import { offerColumns } from '../offers/index.ts'

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
