import { getTableColumns } from 'drizzle-orm'
import { boolean, integer, type PgTable, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { idIn } from '../../core/iri.ts'
import { decimal, instant, resourceColumns } from '../../db/columns.ts'
import { type ClockStep, save } from '../../db/write-steps.ts'
import type { Offer } from './document.ts'
import { offerStatuses } from './properties.ts'

/** The columns that identify an offer and its variant, in both tables of offers. */
const offerColumns = {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  variantId: uuid('variant_id').notNull(),
}

/** The terms that both kinds of offers have. */
const offerTerms = {
  status: text('status', { enum: offerStatuses }).notNull(),
  currency: text('currency').notNull(),
  validFrom: instant('valid_from'),
  validUntil: instant('valid_until'),
}

/** The reasons for a reduction that decide about its prior price. */
export const reductionReasons = ['EXPIRING'] as const

/**
 * The terms of a sale offer: the columns that its price depends on. Offers in stored parts, recorded terms and the lines of
 * timelines have the same members.
 */
const saleTerms = {
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

export const saleOffers = pgTable('sale_offers', {
  ...offerColumns,
  campaignId: uuid('campaign_id'),
  ...saleTerms,
})

export type SaleOfferTerms = Readonly<Pick<typeof saleOffers.$inferSelect, keyof typeof saleTerms>>

/** The names of the terms. */
export const termNames = Object.keys(saleTerms).filter(
  (name): name is keyof typeof saleTerms => name in saleTerms,
)

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
  ...saleTerms,
})

export const purchaseOffers = pgTable('purchase_offers', {
  ...offerColumns,
  ...offerTerms,
  supplier: text('supplier').notNull(),
  /** With the decimals of the currency, which the column preserves. */
  cost: decimal('cost').notNull(),
})

/** The id in the link of an offer to its campaign. */
function campaignIdOf(values: Readonly<Record<string, unknown>>): string | null {
  return typeof values.campaign === 'string' ? idIn(values.campaign, '/api/campaigns') : null
}

/** Inserts or updates the rows of offers. Their values contain a value for each term of the table. */
export function saveOffers(table: PgTable, offers: readonly Offer[]): ClockStep[] {
  const columns = getTableColumns(table)
  const rows = offers.map(({ parts: { id, productId, variantId, document }, values }) => ({
    ...Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(columns, name))),
    id,
    productId,
    variantId,
    ...('campaignId' in columns && { campaignId: campaignIdOf(values) }),
    document,
  }))
  return save(table, rows)
}
