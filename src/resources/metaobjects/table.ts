import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { resourceColumns, translationsColumn } from '../../db/columns.ts'

export const metaobjectDefinitions = pgTable('metaobject_definitions', {
  ...resourceColumns,
  type: text('type').notNull(),
})

export const metaobjects = pgTable('metaobjects', {
  ...resourceColumns,
  definitionId: uuid('definition_id').notNull(),
  handle: text('handle').notNull(),
  status: text('status').notNull(),
  fields: jsonb('fields').$type<Readonly<Record<string, string>>>().notNull(),
  translations: translationsColumn,
  referenceIds: uuid('reference_ids').array().notNull(),
})
