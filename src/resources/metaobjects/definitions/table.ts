import { pgTable, text } from 'drizzle-orm/pg-core'
import { resourceColumns } from '../../../db/columns.ts'

export const metaobjectDefinitions = pgTable('metaobject_definitions', {
  ...resourceColumns,
  type: text('type').notNull(),
})
