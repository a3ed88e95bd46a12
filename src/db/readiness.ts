import { sql } from 'drizzle-orm'
import { type Statement, statement } from './client.ts'

/** What the database tells of itself; ages in seconds, null where nothing waits. */
export type ReadinessRow = {
  /** Whether it has had the migration that was named; null where none was. */
  readonly migrated: boolean | null
  readonly oldestWaitingEvent: number | null
  readonly oldestWaitingDelivery: number | null
}

/** Asks outside any tenant, for all of them together. `needed` is the name of a migration's file. */
export function readinessStatement(needed: string | null): Statement<{ state: ReadinessRow }> {
  return statement<{ state: ReadinessRow }>(sql`select readiness(${needed}) as state`)
}
