import { pgTable } from 'drizzle-orm/pg-core'
import { resourceColumns } from '../../db/columns.ts'

export const campaigns = pgTable('campaigns', resourceColumns)
