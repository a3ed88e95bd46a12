import { getTableColumns } from 'drizzle-orm'
import { type PgTable, text, uuid } from 'drizzle-orm/pg-core'
import { instant, resourceColumns } from '../../db/columns.ts'
import { type ClockStep, save } from '../../db/write-steps.ts'
import type { Offer } from './document.ts'
import { offerStatuses } from './properties.ts'

/** The columns that identify an offer and its variant, in both tables of offers. */
export const offerColumns = {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  variantId: uuid('variant_id').notNull(),
}

/** The terms that both kinds of offers have. */
export const offerTerms = {
  status: text('status', { enum: offerStatuses }).notNull(),
  currency: text('currency').notNull(),
  validFrom: instant('valid_from'),
  validUntil: instant('valid_until'),
}

/** Inserts or updates the rows of offers. Their values contain a value for each term of the table. */
export function saveOffers(table: PgTable, offers: readonly Offer[]): ClockStep[] {
  const columns = getTableColumns(table)
  const rows = offers.map(({ parts: { id, productId, variantId, document }, values }) => ({
    ...Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(columns, name))),
    id,
    productId,
    variantId,
    document,
  }))
  return save(table, rows)
}
