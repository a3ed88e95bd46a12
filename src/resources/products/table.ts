import { sql } from 'drizzle-orm'
import { boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
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

export const productOptions = pgTable('product_options', {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  position: integer('position').notNull(),
  /** In the tenant's default locale: unique within the product. Null titles never conflict. */
  title: text('title'),
  /** True while its product is archived: other rows may then use its external id. */
  productArchived: boolean('product_archived').notNull().default(false),
  translations: translationsColumn,
})

export const optionValues = pgTable('option_values', {
  ...resourceColumns,
  productId: uuid('product_id').notNull(),
  optionId: uuid('option_id').notNull(),
  position: integer('position').notNull(),
  /** In the tenant's default locale: unique within the option. */
  title: text('title').notNull(),
  /** True while its product is archived: other rows may then use its external id. */
  productArchived: boolean('product_archived').notNull().default(false),
  translations: translationsColumn,
})

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

/** The condition that selects published products: active ones that are sold in the channel of a market. */
export const isPublished = sql`products.status = 'ACTIVE' and products.id in (
  select c.product_id from product_channels c where c.tenant_id = current_tenant()
     and c.channel = any(array(select m.channel from markets m where m.tenant_id = current_tenant())))`

const { externalId: _, ...synonymColumns } = resourceColumns

/** `lookup` has the sets as queries, and their numbers by word. `synonym_lookup()` adds the numbers. */
export const searchSynonyms = pgTable('search_synonyms', {
  ...synonymColumns,
  locale: text('locale').notNull(),
  lookup: jsonb('lookup').$type<object>().notNull(),
})
