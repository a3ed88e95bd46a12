import { sql } from 'drizzle-orm'
import { type Statement, statement } from './client.ts'

/** What the database tells of itself; ages in seconds, null where nothing waits. */
export type ReadinessRow = {
  /** Whether it has the version of the schema, or a later one; null if no version was named. */
  readonly migrated: boolean | null
  /** Whether it has a later version of the schema as well. */
  readonly isAhead: boolean
  readonly oldestWaitingEvent: number | null
  readonly oldestWaitingDelivery: number | null
}

/** Asks outside any tenant, for all of them together. `needed` is a version of the schema. */
export function readinessStatement(needed: string | null): Statement<{ state: ReadinessRow }> {
  return statement<{ state: ReadinessRow }>(sql`select readiness(${needed}) as state`)
}
