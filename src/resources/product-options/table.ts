import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { resourceColumns, translationsColumn } from '../../db/columns.ts'

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
