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

/** Seconds from which a tenant has a gauge of its own, and the number of such tenants for each kind of work. */
const namedAfter = 120
const namedTenants = 20

/** Reads the gauges of `/metrics`. */
export const gaugesAt = (now: Date): Statement<WaitingWork> => waitingWork(now, namedAfter, namedTenants)

/**
 * Reads when work is due next, in milliseconds since 1970; null if no work waits. Boundaries of offers are due `aheadMs` earlier, because
 * their workers are scheduled before them.
 */
export function nextDue(aheadMs: number): Statement<{ due: number | null }> {
  return statement({ due: z.number().nullable() })`
    select extract(epoch from next_due(${aheadMs} * interval '1 millisecond'))::float8 * 1000 as due`
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
