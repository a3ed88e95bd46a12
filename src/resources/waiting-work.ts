import * as z from 'zod'
import { type RowOf, type Statement, statement } from '../db/query.ts'
import { agesAt } from './housekeeping.ts'

/** A row of `waiting_work()` in migrations/functions/70_background.sql. */
export type WaitingWork = RowOf<typeof waitingRow>
const waitingRow = {
  kind: z.string(),
  /** Null for a row about all tenants. */
  tenant: z.string().nullable(),
  amount: z.number(),
  seconds: z.number().nullable(),
}

/**
 * Reads the work that waits, and by tenant the longest waits of at least `above` seconds, up to `most` of each kind. It
 * runs outside of any tenant.
 */
export function waitingWork(now: Date, above: number, most: number): Statement<WaitingWork> {
  return statement(waitingRow)`
    select kind, tenant, amount, seconds
      from waiting_work(${above}::float8, ${most}, ${JSON.stringify(agesAt(now))}::jsonb)`
}
