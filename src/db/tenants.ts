import { sql } from 'drizzle-orm'
import { type Statement, statement } from './query.ts'

/** Milliseconds for which a Worker may still have a tenant's settings of before a change. */
export const settingsTtl = 60_000

/** A tenant's settings by its exact host, or null: the one thing that can be read without a tenant. */
export function tenantByHost<Settings>(host: string): Statement<{ tenant: Settings | null }> {
  return statement<{ tenant: Settings | null }>(sql`select tenant_by_host(${host}) as tenant`)
}

/** Moments before which things of a kind are let go of, as RFC 3339. */
export type Ages = { readonly keys: string; readonly documents: string; readonly deliveries: string }

/** Tenants from one on, in order, that have something older than that: where tidying walks, one transaction each. */
export function tenantsToClean(ages: Ages, after: string | null, most: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`
    select tenants_to_tidy(${ages.keys}::timestamptz, ${ages.documents}::timestamptz, ${ages.deliveries}::timestamptz,
                           ${after}::uuid, ${most}) as id`)
}

/** Forgets a tenant's idempotency keys from before a moment, up to `most`. */
export function dropExpiredKeys(before: string, most: number): Statement<{ dropped: number }> {
  return statement<{ dropped: number }>(sql`
    with dropped as (
      delete from idempotency_keys where tenant_id = current_tenant() and (client, subject, key) in (
        select client, subject, key from idempotency_keys
         where tenant_id = current_tenant() and created_at < ${before}::timestamptz limit ${most})
      returning 1
    )
    select count(*)::int as dropped from dropped`)
}

/** Tenants with locales that are still to be indexed or taken away, and nobody at work on it. */
export function tenantsChangingLocales(most: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`select tenants_changing_locales(${most}) as id`)
}

/** Tenants with collections whose products have still to be sorted, and nobody at work on it. */
export function tenantsRebuilding(most: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`select tenants_rebuilding(${most}) as id`)
}

/** What the database tells of itself; ages in seconds, null where nothing waits. */
export type ReadinessRow = {
  /** Whether it has the version of the schema, or a later one; null if no version was named. */
  readonly migrated: boolean | null
  /** Whether it has a later version of the schema as well. */
  readonly isAhead: boolean
  readonly oldestWaitingEvent: number | null
  readonly oldestWaitingDelivery: number | null
}

/** Asks outside any tenant, for all of them together. `needed` is a version of the schema. */
export function readinessStatement(needed: string | null): Statement<{ state: ReadinessRow }> {
  return statement<{ state: ReadinessRow }>(sql`select readiness(${needed}) as state`)
}
