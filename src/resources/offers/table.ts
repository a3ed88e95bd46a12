import { text, uuid } from 'drizzle-orm/pg-core'
import { instant, resourceColumns } from '../../db/columns.ts'
import type { Offer, OfferValues } from './document.ts'

/** The columns that both tables of offers have. */
export const offerColumns = {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  variantId: uuid('variant_id').notNull(),
  status: text('status').notNull(),
  currency: text('currency').notNull(),
  validFrom: instant('valid_from'),
  validUntil: instant('valid_until'),
}

/** The values of these columns for one offer, without the columns that the write sets. */
export function offerRow({ parts, values }: Offer<OfferValues>) {
  const { id, productId, variantId, document, status, validFrom, validUntil } = parts
  return {
    id,
    productId,
    variantId,
    document,
    status,
    validFrom,
    validUntil,
    externalId: values.externalId,
    currency: values.currency,
  }
}
