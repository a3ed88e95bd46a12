import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { metaobjectIdsColumn, resourceColumns } from '../../db/columns.ts'

export const variants = pgTable('variants', {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  status: text('status').notNull(),
  /** Null once archived. */
  position: integer('position'),
  sku: text('sku'),
  barcode: text('barcode'),
  optionValueIds: uuid('option_value_ids').array().notNull(),
  /** The sorted and joined ids of its values: unique among a product's active variants. */
  combination: text('combination').notNull(),
  /** True while its product is archived: other variants may then use its SKU. */
  productArchived: boolean('product_archived').notNull().default(false),
  metaobjectIds: metaobjectIdsColumn,
  saleOfferCount: integer('sale_offer_count').notNull().default(0),
  purchaseOfferCount: integer('purchase_offer_count').notNull().default(0),
})

export const variantOptionValues = pgTable('variant_option_values', {
  tenantId: uuid('tenant_id').notNull(),
  optionValueId: uuid('option_value_id').notNull(),
  variantId: uuid('variant_id').notNull(),
})
