import type { Database } from './db/client.ts'
import { dropExpiredKeys, tenantIds } from './db/tenants.ts'
import { dropOldDocuments } from './resources/events/index.ts'
import { dropOldDeliveries } from './resources/webhook-deliveries/index.ts'

/** Tenants read at once, and rows let go of in one transaction. */
const tenantsAtOnce = 100
const rowsAtOnce = 1000

export type Swept = {
  readonly tenants: number
  readonly keys: number
  readonly documents: number
  readonly deliveries: number
}

/**
 * Lets go of what is kept for a time only, tenant by tenant: idempotency keys after 24 hours, event documents after 90
 * days (their changes stay), deliveries after 30. What one run leaves, the next one finds. @throws StorageUnavailable
 */
export async function sweep(database: Database, now: Date): Promise<Swept> {
  const swept = { tenants: 0, keys: 0, documents: 0, deliveries: 0 }
  let last: string | null = null
  for (;;) {
    const [tenants]: { id: string }[][] = await database.open(null).read(tenantIds(last, tenantsAtOnce))
    for (const { id } of tenants!) {
      const [keys, documents, deliveries] = await database
        .open(id)
        .write(
          dropExpiredKeys(rowsAtOnce),
          dropOldDocuments(now, rowsAtOnce),
          dropOldDeliveries(now, rowsAtOnce),
        )
      swept.tenants += 1
      swept.keys += keys[0]?.dropped ?? 0
      swept.documents += documents[0]?.dropped ?? 0
      swept.deliveries += deliveries[0]?.dropped ?? 0
      last = id
    }
    if (tenants!.length < tenantsAtOnce) return swept
  }
}
