import { sql } from 'drizzle-orm'
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

/** Whether the price index has all prices of a market, as an expression. */
export const pricesComplete = sql`(prices_complete_at is not null
  and not coalesce((select is_full from price_rebuilds where tenant_id = current_tenant()), false))`
