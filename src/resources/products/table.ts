import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { metaobjectIdsColumn, resourceColumns, translationsColumn } from '../../db/columns.ts'

export const products = pgTable('products', {
  ...resourceColumns,
  handle: text('handle').notNull(),
  status: text('status').notNull(),
  /** In the tenant's default locale, for ordering. */
  title: text('title').notNull(),
  vendor: text('vendor'),
  productType: text('product_type'),
  metaobjectIds: metaobjectIdsColumn,
  translations: translationsColumn,
  /** The channels that an archived product had; empty for all others. */
  archivedChannels: text('archived_channels').array().notNull().default([]),
})

export const productTags = pgTable('product_tags', {
  tenantId: uuid('tenant_id').notNull(),
  tag: text('tag').notNull(),
  productId: uuid('product_id').notNull(),
})

export const productChannels = pgTable('product_channels', {
  tenantId: uuid('tenant_id').notNull(),
  channel: text('channel').notNull(),
  productId: uuid('product_id').notNull(),
})

export const productCategories = pgTable('product_categories', {
  tenantId: uuid('tenant_id').notNull(),
  productId: uuid('product_id').notNull(),
  categoryId: uuid('category_id').notNull(),
  position: integer('position').notNull(),
})
