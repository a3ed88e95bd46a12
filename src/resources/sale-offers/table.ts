import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { decimal, instant, resourceColumns } from '../../db/columns.ts'

export const saleOffers = pgTable('sale_offers', {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  variantId: uuid('variant_id').notNull(),
  status: text('status').notNull(),
  /** Null is every channel. */
  channel: text('channel'),
  /** Empty is every country. */
  countries: text('countries').array().notNull(),
  currency: text('currency').notNull(),
  /** With as many decimals as the currency has, which the column keeps. */
  amount: decimal('amount').notNull(),
  compareAtAmount: decimal('compare_at_amount'),
  validFrom: instant('valid_from'),
  validUntil: instant('valid_until'),
  priority: integer('priority').notNull(),
  minQuantity: integer('min_quantity').notNull(),
  taxIncluded: boolean('tax_included').notNull(),
})
