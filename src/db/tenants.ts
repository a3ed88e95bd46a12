import { sql } from 'drizzle-orm'
import { type Statement, statement } from './client.ts'

/** A tenant's settings by its exact host, or null: the one thing that can be read without a tenant. */
export function tenantByHost<Settings>(host: string): Statement<{ tenant: Settings | null }> {
  return statement<{ tenant: Settings | null }>(sql`select tenant_by_host(${host}) as tenant`)
}

/** Every tenant's id from one on, in order: where recurring work walks from tenant to tenant, one transaction each. */
export function tenantIds(after: string | null, most: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`select tenant_ids(${after}::uuid, ${most}) as id`)
}

/** Forgets a tenant's idempotency keys of more than 24 hours ago, up to `most`. */
export function dropExpiredKeys(most: number): Statement<{ dropped: number }> {
  return statement<{ dropped: number }>(sql`
    with dropped as (
      delete from idempotency_keys where tenant_id = current_tenant() and (client, key) in (
        select client, key from idempotency_keys
         where tenant_id = current_tenant() and created_at < now() - interval '24 hours' limit ${most})
      returning 1
    )
    select count(*)::int as dropped from dropped`)
}

/** Tenants with collections whose products have still to be sorted, and nobody at work on it. */
export function tenantsRebuilding(most: number): Statement<{ id: string }> {
  return statement<{ id: string }>(sql`select tenants_rebuilding(${most}) as id`)
}
