import { pgTable, text } from 'drizzle-orm/pg-core'
import { decimal } from '../../db/columns.ts'
import { offerColumns, offerTerms } from '../offers/table.ts'

export const purchaseOffers = pgTable('purchase_offers', {
  ...offerColumns,
  ...offerTerms,
  supplier: text('supplier').notNull(),
  /** With the decimals of the currency, which the column preserves. */
  cost: decimal('cost').notNull(),
})
