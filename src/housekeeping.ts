import { sql } from 'drizzle-orm'
import type { Database } from './db/client.ts'
import { type Statement, statement } from './db/query.ts'
import { dropExpiredKeys, tenantsToClean } from './db/tenants.ts'
import { oldest } from './resources/events/event-sql.ts'
import { deliveryDays, dropOldDeliveries } from './resources/webhooks/deliveries/reopen.ts'

/**
 * Drops the documents of a tenant's events that are too old, up to `most` of them; answers how many. The last document of
 * an option, a value or a variant that was current when the period began stays: events of its product that are still
 * young show it.
 */
export function dropOldDocuments(now: Date, most: number): Statement<{ dropped: number }> {
  const age = oldest(now)
  return statement<{ dropped: number }>(sql`
    with dropped as (
      update events set document = null where tenant_id = current_tenant() and sequence in (
        select e.sequence from events e
         where e.tenant_id = current_tenant() and e.occurred_at < ${age}::timestamptz and e.document is not null
           and (e.owner_id is null or exists (
             select from events later
              where later.tenant_id = e.tenant_id and later.kind = e.kind and later.resource_id = e.resource_id
                and later.sequence > e.sequence and later.occurred_at < ${age}::timestamptz))
         order by e.sequence limit ${most})
      returning 1
    )
    select count(*)::int as dropped from dropped`)
}

/** Tenants read at once, and rows let go of in one transaction. */
const tenantsAtOnce = 100
const rowsAtOnce = 1000

type Found = { readonly tenants: readonly { readonly id: string }[] }

export type HousekeepingResult = {
  readonly tenants: number
  readonly keys: number
  readonly documents: number
  readonly deliveries: number
}

/**
 * Lets go of what is kept for a time only, for the tenants that have any of it: idempotency keys after 24 hours, event
 * documents after 90 days (their changes stay), deliveries after 30. What one run leaves, the next one finds.
 * @throws StorageUnavailable
 */
export async function runHousekeeping(database: Database, now: Date): Promise<HousekeepingResult> {
  const swept = { tenants: 0, keys: 0, documents: 0, deliveries: 0 }
  let last: string | null = null
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  const ages = { keys: daysAgo(1), documents: oldest(now), deliveries: daysAgo(deliveryDays) }
  for (;;) {
    const { tenants }: Found = await database
      .open(null)
      .read({ tenants: tenantsToClean(ages, last, tenantsAtOnce) })
    for (const { id } of tenants) {
      const { keys, documents, deliveries } = await database.open(id).write({
        keys: dropExpiredKeys(ages.keys, rowsAtOnce),
        documents: dropOldDocuments(now, rowsAtOnce),
        deliveries: dropOldDeliveries(now, rowsAtOnce),
      })
      swept.tenants += 1
      swept.keys += keys[0]?.dropped ?? 0
      swept.documents += documents[0]?.dropped ?? 0
      swept.deliveries += deliveries[0]?.dropped ?? 0
      last = id
    }
    if (tenants.length < tenantsAtOnce) return swept
  }
}
