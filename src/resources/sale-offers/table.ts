import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { decimal, instant } from '../../db/columns.ts'
import { offerColumns, offerTerms } from '../offers/table.ts'

/** The reasons for a reduction that decide about its prior price. */
export const reductionReasons = ['EXPIRING'] as const

/**
 * The terms of a sale offer: the columns that its price depends on. Offers in stored parts, recorded terms and the lines of
 * timelines have the same members.
 */
const terms = {
  ...offerTerms,
  /** Null means every channel. */
  channel: text('channel'),
  /** Upper-case ISO 3166-1 alpha-2 codes; empty means every country. */
  countries: text('countries').array().$type<readonly string[]>().notNull(),
  /** With the decimals of the currency, which the column preserves. */
  amount: decimal('amount').notNull(),
  compareAtAmount: decimal('compare_at_amount'),
  priority: integer('priority').notNull(),
  minQuantity: integer('min_quantity').notNull(),
  taxIncluded: boolean('tax_included').notNull(),
  reductionReason: text('reduction_reason', { enum: reductionReasons }),
}

export const saleOffers = pgTable('sale_offers', { ...offerColumns, ...terms })

export type SaleOfferTerms = Readonly<Pick<typeof saleOffers.$inferSelect, keyof typeof terms>>

/** The names of the terms. */
export const termNames = Object.keys(terms).filter((name): name is keyof typeof terms => name in terms)

/** The recorded terms of sale offers. Only the function `record_terms()` writes them. */
export const saleOfferTerms = pgTable('sale_offer_terms', {
  tenantId: uuid('tenant_id').notNull(),
  id: uuid('sale_offer_id').notNull(),
  variantId: uuid('variant_id').notNull(),
  knownFrom: instant('known_from').notNull(),
  /** `infinity` for current terms. */
  knownUntil: instant('known_until').notNull(),
  recordedBy: uuid('recorded_by').notNull(),
  endedBy: uuid('ended_by'),
  ...terms,
})
