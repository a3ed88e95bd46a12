import type { Database } from './db/client.ts'
import { dropExpiredKeys, tenantsToTidy } from './db/tenants.ts'
import { dropOldDocuments, oldest } from './resources/events/index.ts'
import { deliveryDays, dropOldDeliveries } from './resources/webhooks/deliveries/index.ts'

/** Tenants read at once, and rows let go of in one transaction. */
const tenantsAtOnce = 100
const rowsAtOnce = 1000

type Found = { readonly tenants: readonly { readonly id: string }[] }

export type Swept = {
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
export async function tidy(database: Database, now: Date): Promise<Swept> {
  const swept = { tenants: 0, keys: 0, documents: 0, deliveries: 0 }
  let last: string | null = null
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  const ages = { keys: daysAgo(1), documents: oldest(now), deliveries: daysAgo(deliveryDays) }
  for (;;) {
    const { tenants }: Found = await database
      .open(null)
      .read({ tenants: tenantsToTidy(ages, last, tenantsAtOnce) })
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
