import type { Tenant } from '../core/context.ts'
import { setInLru } from '../core/lru.ts'
import type { Session } from '../db/client.ts'
import { settingsTtl, tenantByHost } from '../db/tenants.ts'

/** Milliseconds for which a host is remembered as nobody's. */
const unknownLife = 5_000
/** Entries of each kind; hosts come from outside, so memory must not grow with them. */
const most = 1000

type Kept<Value> = { readonly value: Value; readonly until: number }

export type Tenants = {
  /** The tenant of a host; `session` is used where it is not known. @throws StorageUnavailable */
  at(host: string, now: Date, session: Pick<Session, 'read'>): Promise<Tenant | null>
  /** Whether a host has been a tenant's, or the answer is at hand: whether made-up hosts would not be asked for. */
  isExpected(host: string, now: Date): boolean
}

/** Finds tenants by exact host. Settings are kept as data for a minute, so a failed look-up is never remembered. */
export function newTenants(): Tenants {
  const known = new Map<string, Kept<Tenant>>()
  const unknown = new Map<string, Kept<null>>()
  return {
    isExpected: (host, now) => known.has(host) || (unknown.get(host)?.until ?? 0) > now.getTime(),
    async at(host, now, session) {
      const kept = known.get(host) ?? unknown.get(host)
      if (kept && kept.until > now.getTime()) return kept.value
      const { found } = await session.read({ found: tenantByHost<Tenant>(host) })
      const tenant = found[0]?.tenant ?? null
      known.delete(host)
      unknown.delete(host)
      // Two stores, so that a flood of made-up hosts pushes no tenant out.
      if (tenant) setInLru(known, host, { value: tenant, until: now.getTime() + settingsTtl }, most)
      else setInLru(unknown, host, { value: null, until: now.getTime() + unknownLife }, most)
      return tenant
    },
  }
}
