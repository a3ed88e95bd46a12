import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { resourceColumns, translationsColumn } from '../../../db/columns.ts'

export const collections = pgTable('collections', {
  ...resourceColumns,
  handle: text('handle').notNull(),
  type: text('type').notNull(),
  /** The title in the tenant's default locale. */
  title: text('title').notNull(),
  /** Null where products are chosen one by one. */
  rules: jsonb('rules'),
  translations: translationsColumn,
})

export const productCollections = pgTable('product_collections', {
  tenantId: uuid('tenant_id').notNull(),
  collectionId: uuid('collection_id').notNull(),
  productId: uuid('product_id').notNull(),
})
