import { forEachTenant } from './core/each-tenant.ts'
import { keyDays } from './core/idempotency.ts'
import type { Database } from './db/client.ts'
import { type Statement, statement } from './db/query.ts'
import { dropExpiredKeys, rowCountColumn, tenantsToClean } from './db/tenants.ts'
import { oldest } from './resources/events/event-sql.ts'
import { deliveryDays, dropOldDeliveries } from './resources/webhooks/deliveries/reopen.ts'

/**
 * Clears the documents of a tenant's old events, up to `limit` of them. The events stay, with their changes. It keeps
 * the document of an option, a value or a variant that was current when the retention period began. More
 * recent events of its product show that document.
 */
export function clearOldDocuments(now: Date, limit: number): Statement<{ rowCount: number }> {
  const age = oldest(now)
  return statement(rowCountColumn)`
    with cleared as (
      update events set document = null where tenant_id = current_tenant() and sequence in (
        select e.sequence from events e
         where e.tenant_id = current_tenant() and e.occurred_at < ${age}::timestamptz and e.document is not null
           and (e.owner_id is null or exists (
             select from events later
              where later.tenant_id = e.tenant_id and later.kind = e.kind and later.resource_id = e.resource_id
                and later.sequence > e.sequence and later.occurred_at < ${age}::timestamptz))
         order by e.sequence limit ${limit})
      returning 1
    )
    select count(*)::int as "rowCount" from cleared`
}

/** Rows deleted or cleared in one transaction. */
const rowsAtOnce = 1000
/** Milliseconds after which no further transaction begins. A cron invocation may take 15 minutes. */
const timeLimit = 5 * 60_000

export type HousekeepingResult = {
  readonly tenants: number
  readonly keys: number
  readonly documents: number
  readonly deliveries: number
}

/**
 * Deletes expired rows of the tenants that have any: idempotency keys after 24 hours, event documents after
 * 90 days (their changes stay), and deliveries after 30 days. After the time limit, the next run continues.
 * @throws StorageUnavailable
 */
export async function runHousekeeping(database: Database, now: Date): Promise<HousekeepingResult> {
  const counts = { tenants: 0, keys: 0, documents: 0, deliveries: 0 }
  const started = performance.now()
  const hasTime = () => performance.now() - started < timeLimit
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  const ages = { keys: daysAgo(keyDays), documents: oldest(now), deliveries: daysAgo(deliveryDays) }
  const job = {
    database,
    event: 'housekeeping_failed' as const,
    operation: 'housekeeping',
    hasTime,
    tenants: (after: string | null, limit: number) => tenantsToClean(ages, after, limit),
  }
  await forEachTenant(job, async (id, tenantDatabase) => {
    for (let mayHaveMore = true; mayHaveMore && hasTime(); ) {
      const results = await tenantDatabase.open(id).write({
        keys: dropExpiredKeys(ages.keys, rowsAtOnce),
        documents: clearOldDocuments(now, rowsAtOnce),
        deliveries: dropOldDeliveries(now, rowsAtOnce),
      })
      mayHaveMore = false
      for (const kind of ['keys', 'documents', 'deliveries'] as const) {
        const rows = results[kind][0]?.rowCount ?? 0
        counts[kind] += rows
        if (rows === rowsAtOnce) mayHaveMore = true
      }
    }
    counts.tenants += 1
  })
  return counts
}
