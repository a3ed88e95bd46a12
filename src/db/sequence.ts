import { sql } from 'drizzle-orm'
import { statement } from './client.ts'

/** What `sequenceStatement` answers. */
export type SequenceRow = { sequence: number }

/** The tenant's event sequence at the moment of a read: sent with every read, in the batch that it describes. */
export const sequenceStatement = statement<SequenceRow>(
  sql`select sequence::float8 as sequence from tenant_clock where tenant_id = current_tenant()`,
)
