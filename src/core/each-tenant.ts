import type { Database } from '../db/client.ts'
import type { Statement } from '../db/query.ts'
import { runInBackground, type WorkEvent } from './log.ts'

const tenantsPerPage = 100

/** How a background job finds its tenants. */
export type TenantJob = {
  readonly database: Database
  /** Selects tenants with work for the job, after an id and in order. */
  readonly tenants: (after: string | null, limit: number) => Statement<{ id: string }>
  /** The log line and the operation of a failure. */
  readonly event: WorkEvent
  readonly operation: string
  /** Whether the job may begin with another tenant. */
  readonly hasTime: () => boolean
}

type TenantPage = { readonly tenants: readonly { readonly id: string }[] }

/**
 * Works for one tenant after the other while there is time. A failure of one tenant is logged and does not affect the
 * others. The next run repeats it. @throws StorageUnavailable if the tenants cannot be read
 */
export async function forEachTenant(
  { database, tenants, event, operation, hasTime }: TenantJob,
  work: (tenantId: string, database: Database) => Promise<unknown>,
): Promise<void> {
  for (let lastId: string | null = null; hasTime(); ) {
    const page: TenantPage = await database.open(null).read({ tenants: tenants(lastId, tenantsPerPage) })
    for (const { id } of page.tenants) {
      if (!hasTime()) return
      lastId = id
      const runTenant = (counted: Database) => work(id, counted)
      await runInBackground(event, { operation, tenant: id }, database, runTenant).catch(() => undefined)
    }
    if (page.tenants.length < tenantsPerPage) return
  }
}
