import { keyDays } from '../core/idempotency.ts'
import type { Session } from '../db/client.ts'
import { type Statement, statement } from '../db/query.ts'
import { idColumn } from '../db/sql.ts'
import { dropExpiredKeys, rowCountColumn } from '../db/tenants.ts'
import { oldest } from './events/event-sql.ts'
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
      delete from webhook_deliveries where tenant_id = current_tenant() and id in (
        (select id from webhook_deliveries
          where tenant_id = current_tenant() and status <> 'PENDING' and created_at < ${ages.deliveries}::timestamptz
          order by created_at limit ${limit})
        union all
        (select id from webhook_deliveries
          where tenant_id = current_tenant() and status = 'PENDING' and created_at < ${ages.heldDeliveries}::timestamptz
          order by created_at limit ${limit}))
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
    const { keys, documents, deliveries } = await db.write({
      keys: dropExpiredKeys(ages.keys, rowsAtOnce),
      documents: clearOldDocuments(ages.documents, rowsAtOnce),
      deliveries: dropOldDeliveries(ages, rowsAtOnce),
    })
    mayHaveMore = [keys, documents, deliveries].some(([counted]) => (counted?.rowCount ?? 0) >= rowsAtOnce)
  }
  return mayHaveMore
}
