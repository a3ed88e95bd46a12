import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { metaobjectIdsColumn, resourceColumns, translationsColumn } from '../../db/columns.ts'

export const categories = pgTable('categories', {
  ...resourceColumns,
  handle: text('handle').notNull(),
  /** The title in the tenant's default locale. */
  title: text('title').notNull(),
  /** Null for a root. */
  parentId: uuid('parent_id'),
  position: integer('position').notNull(),
  /** 0 for a root. */
  level: integer('level').notNull(),
  metaobjectIds: metaobjectIdsColumn,
  translations: translationsColumn,
})
