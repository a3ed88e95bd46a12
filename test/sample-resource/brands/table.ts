import { pgTable, text } from 'drizzle-orm/pg-core'
import { resourceColumns, translationsColumn } from '../../db/columns.ts'

export const brands = pgTable('brands', {
  ...resourceColumns,
  handle: text('handle').notNull(),
  translations: translationsColumn,
})
