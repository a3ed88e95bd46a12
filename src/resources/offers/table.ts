import { text, uuid } from 'drizzle-orm/pg-core'
import { instant, resourceColumns } from '../../db/columns.ts'
import type { Offer, OfferValues } from './document.ts'

/** The columns that tables of offers begin with. */
export const offerColumns = {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  variantId: uuid('variant_id').notNull(),
  status: text('status').notNull(),
  currency: text('currency').notNull(),
  validFrom: instant('valid_from'),
  validUntil: instant('valid_until'),
}

/** What these columns hold of an offer, but for what commit() stamps. */
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
