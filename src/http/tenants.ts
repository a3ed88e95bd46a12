import { Lru } from '../core/cache.ts'
import { type Tenant, tenantSettings } from '../core/context.ts'
import type { Session } from '../db/client.ts'
import { settingsTtl, tenantByHost } from '../db/tenants.ts'

/** Milliseconds for which an unknown host is cached. */
const unknownHostTtl = 5_000
/** Entries of each cache. */
const maximumHosts = 1000

export type Tenants = {
  /** The tenant of a host. `session` looks it up if it is not cached. @throws StorageUnavailable */
  at(host: string, now: Date, session: Pick<Session, 'read'>): Promise<Tenant | null>
}

/** Finds tenants by exact host. Settings are cached as data for a minute, so a failed look-up is never cached. */
export function newTenants(): Tenants {
  // Two caches, so that a flood of invented hosts evicts no tenant.
  const tenants = new Lru<{ readonly tenant: Tenant; readonly until: number }>(maximumHosts)
  const unknownHosts = new Lru<{ readonly tenant: null; readonly until: number }>(maximumHosts)
  return {
    async at(host, now, session) {
      const cached = tenants.get(host) ?? unknownHosts.get(host)
      if (cached && cached.until > now.getTime()) return cached.tenant
      const { rows } = await session.read({ rows: tenantByHost(host, tenantSettings) })
      const tenant = rows[0]?.tenant ?? null
      tenants.delete(host)
      unknownHosts.delete(host)
      if (tenant) tenants.set(host, { tenant, until: now.getTime() + settingsTtl })
      else unknownHosts.set(host, { tenant, until: now.getTime() + unknownHostTtl })
      return tenant
    },
  }
}
