import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { keyDays } from '../core/idempotency.ts'
import type { WaitingWork } from '../core/wake-up.ts'
import type { Session } from '../db/client.ts'
import { type Statement, statement } from '../db/query.ts'
import { idColumn } from '../db/sql.ts'
import { dropExpiredKeys, rowCountColumn } from '../db/tenants.ts'
import { bulkOperationDays } from './bulk-operations/schema.ts'
import { oldest } from './events/event-sql.ts'
import { keptFromAt } from './prices/price-index.ts'
import { deliveryDays } from './webhooks/deliveries/reopen.ts'

/**
 * Clears the documents of a tenant's old events, of the next `limit` events after those of earlier calls. The events
 * stay, with their changes. An event of an option, a value or a variant clears the document of the event before it. Its
 * own document stays until a later event is old, because more recent events of its product show that document.
 * Returns the number of these events.
 */
export function clearOldDocuments(before: string, limit: number): Statement<{ rowCount: number }> {
  return statement(rowCountColumn)`
    select clear_old_documents(${before}::timestamptz, ${limit}) as "rowCount"`
}

/** Deletes a tenant's expired deliveries with their attempts, up to `limit` of each age. Returns their number. */
function dropOldDeliveries(ages: Ages, limit: number): Statement<{ rowCount: number }> {
  return statement(rowCountColumn)`
    with deleted as (
      delete from webhook_deliveries where tenant_id = current_tenant() and ctid = any(array(
        (select ctid from webhook_deliveries
          where tenant_id = current_tenant() and status <> 'PENDING' and created_at < ${ages.deliveries}::timestamptz
          order by created_at limit ${limit})
        union all
        (select ctid from webhook_deliveries
          where tenant_id = current_tenant() and status = 'PENDING' and created_at < ${ages.heldDeliveries}::timestamptz
          order by created_at limit ${limit})))
      returning 1
    )
    select count(*)::int as "rowCount" from deleted`
}

/** Deletes a tenant's old responses of receivers. Attempts of pending deliveries are stored longer than responses. Returns their number. */
function dropOldResponses(before: string, limit: number): Statement<{ rowCount: number }> {
  return statement(rowCountColumn)`
    with cleared as (
      update webhook_attempts set response = null where tenant_id = current_tenant() and ctid = any(array(
        select ctid from webhook_attempts
         where tenant_id = current_tenant() and response is not null and started_at < ${before}::timestamptz
         order by started_at limit ${limit}))
      returning 1
    )
    select count(*)::int as "rowCount" from cleared`
}

/** Deletes a tenant's prices of a table that ended before a moment, up to `limit`. Returns their number. */
function dropEndedPrices(
  table: 'variant_prices' | 'product_prices',
  before: string,
  limit: number,
): Statement<{ rowCount: number }> {
  const prices = sql.identifier(table)
  return statement(rowCountColumn)`
    with deleted as (
      delete from ${prices} where tenant_id = current_tenant() and ctid = any(array(
        select ctid from ${prices}
         where tenant_id = current_tenant() and until_at <= ${before}::timestamptz and until_at < 'infinity'
         order by until_at limit ${limit}))
      returning 1
    )
    select count(*)::int as "rowCount" from deleted`
}

/** Deletes a tenant's bulk operations that ended before a moment, after their results, up to `limit` of each. Returns their number. */
function dropOldBulkOperations(before: string, limit: number): Statement<{ rowCount: number }> {
  return statement(rowCountColumn)`
    with ended as (
      select id from bulk_operations where tenant_id = current_tenant() and finished_at < ${before}::timestamptz order by finished_at limit 1
    ), results as (
      delete from bulk_operation_results where tenant_id = current_tenant() and ctid = any(array(
        select r.ctid from ended join bulk_operation_results r on r.tenant_id = current_tenant() and r.operation_id = ended.id limit ${limit}))
      returning 1
    ), operations as (
      delete from bulk_operations where tenant_id = current_tenant() and id = (select id from ended) and (select count(*) from results) < ${limit}
    )
    select (select count(*) from results)::int + (select count(*) from ended)::int * ${limit} as "rowCount"`
}

/** Deletes pieces of a tenant's files that were stored before a moment, up to `limit`. Returns their number. */
function dropOldPieces(before: string, limit: number): Statement<{ rowCount: number }> {
  return statement(rowCountColumn)`
    with deleted as (
      delete from bulk_operation_pieces where tenant_id = current_tenant() and ctid = any(array(
        select ctid from bulk_operation_pieces
         where tenant_id = current_tenant() and created_at < ${before}::timestamptz order by created_at limit ${limit}))
      returning 1
    )
    select count(*)::int as "rowCount" from deleted`
}

/** Rows deleted or cleared in one transaction. */
const rowsAtOnce = 1000

/** Days until a pending delivery is deleted. Those of a paused subscription stay pending until it is resumed. */
const heldDays = 90

/** RFC 3339. Rows older than these times are deleted. SQL functions take all of them as `ages`. */
export function agesAt(now: Date) {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  return {
    keys: daysAgo(keyDays),
    documents: oldest(now),
    deliveries: daysAgo(deliveryDays),
    heldDeliveries: daysAgo(heldDays),
    prices: keptFromAt(now),
    bulkOperations: daysAgo(bulkOperationDays),
  }
}
type Ages = ReturnType<typeof agesAt>

/** Tenants after `after`, in order, that have expired rows. */
export function tenantsToClean(now: Date, after: string | null, limit: number): Statement<{ id: string }> {
  return statement(idColumn)`
    select tenants_to_tidy(${JSON.stringify(agesAt(now))}::jsonb, ${after}::uuid, ${limit}) as id`
}

/**
 * Deletes the rows of a session's tenant that are older than `agesAt()`, while it has time. Of old events only the
 * documents are deleted. Returns whether more may be expired. @throws StorageUnavailable
 */
export async function cleanTenant(db: Session, now: Date, hasTime: () => boolean): Promise<boolean> {
  const ages = agesAt(now)
  let mayHaveMore = true
  while (mayHaveMore && hasTime()) {
    const counts = await db.write({
      keys: dropExpiredKeys(ages.keys, rowsAtOnce),
      documents: clearOldDocuments(ages.documents, rowsAtOnce),
      deliveries: dropOldDeliveries(ages, rowsAtOnce),
      responses: dropOldResponses(ages.deliveries, rowsAtOnce),
      prices: dropEndedPrices('variant_prices', ages.prices, rowsAtOnce),
      bulkOperations: dropOldBulkOperations(ages.bulkOperations, rowsAtOnce),
      pieces: dropOldPieces(ages.bulkOperations, rowsAtOnce),
      productPrices: dropEndedPrices('product_prices', ages.prices, rowsAtOnce),
    })
    mayHaveMore = Object.values(counts).some(([counted]) => (counted?.rowCount ?? 0) >= rowsAtOnce)
  }
  return mayHaveMore
}

/** A row of `waiting_work()` in migrations/functions/70_background.sql. */
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
