import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { resourceColumns, translationsColumn } from '../../db/columns.ts'

export const collections = pgTable('collections', {
  ...resourceColumns,
  handle: text('handle').notNull(),
  type: text('type').notNull(),
  /** The title in the tenant's default locale. */
  title: text('title').notNull(),
  /** Null for manual collections. */
  rules: jsonb('rules'),
  translations: translationsColumn,
})
