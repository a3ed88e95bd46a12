import { keyDays } from '../core/idempotency.ts'
import type { Session } from '../db/client.ts'
import { type Statement, statement } from '../db/query.ts'
import { idColumn } from '../db/sql.ts'
import { dropExpiredKeys, rowCountColumn } from '../db/tenants.ts'
import { oldest } from './events/event-sql.ts'
import { deliveryDays, dropOldDeliveries } from './webhooks/deliveries/reopen.ts'

/**
 * Clears the documents of a tenant's old events, of the next `limit` events after those of earlier calls. The events
 * stay, with their changes. An event of an option, a value or a variant clears the document of the event before it. Its
 * own document stays until a later event is old, because more recent events of its product show that document.
 * Returns the number of these events.
 */
export function clearOldDocuments(now: Date, limit: number): Statement<{ rowCount: number }> {
  return statement(rowCountColumn)`
    select clear_old_documents(${oldest(now)}::timestamptz, ${limit}) as "rowCount"`
}

/** Rows deleted or cleared in one transaction. */
const rowsAtOnce = 1000

/** RFC 3339. Rows older than these times are deleted. */
export function agesAt(now: Date) {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  return { keys: daysAgo(keyDays), documents: oldest(now), deliveries: daysAgo(deliveryDays) }
}

/** Tenants after `after`, in order, that have expired rows. */
export function tenantsToClean(now: Date, after: string | null, limit: number): Statement<{ id: string }> {
  const { keys, documents, deliveries } = agesAt(now)
  return statement(idColumn)`
    select tenants_to_tidy(${keys}::timestamptz, ${documents}::timestamptz, ${deliveries}::timestamptz,
                           ${after}::uuid, ${limit}) as id`
}

/**
 * Deletes the expired rows of a session's tenant: idempotency keys after 24 hours, event documents after 90 days (their
 * changes stay), and deliveries after 30 days. Works while it has time. Returns whether more
 * may be expired. @throws StorageUnavailable
 */
export async function cleanTenant(db: Session, now: Date, hasTime: () => boolean): Promise<boolean> {
  let mayHaveMore = true
  while (mayHaveMore && hasTime()) {
    const { keys, documents, deliveries } = await db.write({
      keys: dropExpiredKeys(agesAt(now).keys, rowsAtOnce),
      documents: clearOldDocuments(now, rowsAtOnce),
      deliveries: dropOldDeliveries(now, rowsAtOnce),
    })
    mayHaveMore = [keys, documents, deliveries].some(([counted]) => (counted?.rowCount ?? 0) >= rowsAtOnce)
  }
  return mayHaveMore
}
