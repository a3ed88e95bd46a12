import { sql } from 'drizzle-orm'
import { type Statement, statement } from './query.ts'

/** Milliseconds for which a Worker may still use a tenant's old settings after a change. */
export const settingsTtl = 60_000

/** A tenant's settings by its exact host, or null: the only data that can be read without a tenant. */
export function tenantByHost<Settings>(host: string): Statement<{ tenant: Settings | null }> {
  return statement<{ tenant: Settings | null }>(sql`select tenant_by_host(${host}) as tenant`)
}

/** Rows older than these times are deleted; RFC 3339. */
export type Ages = { readonly keys: string; readonly documents: string; readonly deliveries: string }

/** Tenants after `after`, in order, that have expired rows. Housekeeping iterates them, with one transaction each. */
export function tenantsToClean(ages: Ages, after: string | null, limit: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`
    select tenants_to_tidy(${ages.keys}::timestamptz, ${ages.documents}::timestamptz, ${ages.deliveries}::timestamptz,
                           ${after}::uuid, ${limit}) as id`)
}

/** Deletes up to `limit` idempotency keys of a tenant from before a time. */
export function dropExpiredKeys(before: string, limit: number): Statement<{ dropped: number }> {
  return statement<{ dropped: number }>(sql`
    with dropped as (
      delete from idempotency_keys where tenant_id = current_tenant() and (client, subject, key) in (
        select client, subject, key from idempotency_keys
         where tenant_id = current_tenant() and created_at < ${before}::timestamptz limit ${limit})
      returning 1
    )
    select count(*)::int as dropped from dropped`)
}

/** Tenants with locales to index or remove, and without a worker that does it. */
export function tenantsChangingLocales(limit: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`select tenants_changing_locales(${limit}) as id`)
}

/** Tenants with collections whose products must be sorted, and without a worker that does it. */
export function tenantsRebuilding(limit: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`select tenants_rebuilding(${limit}) as id`)
}

/** The state of the database; ages in seconds, null if nothing is waiting. */
export type ReadinessRow = {
  /** Whether the database has this schema version or a later one; null if no version was named. */
  readonly migrated: boolean | null
  /** Whether the database also has a later schema version. */
  readonly isAhead: boolean
  readonly oldestWaitingEvent: number | null
  readonly oldestWaitingDelivery: number | null
}

/** Reads the state of all tenants together, outside of any tenant. `needed` is a schema version. */
export function readinessStatement(needed: string | null): Statement<{ state: ReadinessRow }> {
  return statement<{ state: ReadinessRow }>(sql`select readiness(${needed}) as state`)
}
