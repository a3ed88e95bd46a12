import { pgTable, text } from 'drizzle-orm/pg-core'
import { instant, resourceColumns } from '../../db/columns.ts'

const { externalId: _, ...columns } = resourceColumns

export const markets = pgTable('markets', {
  ...columns,
  key: text('key').notNull(),
  channel: text('channel').notNull(),
  country: text('country').notNull(),
  currency: text('currency').notNull(),
  pricesCompleteAt: instant('prices_complete_at'),
})
