import { sql } from 'drizzle-orm'
import { type Statement, statement } from './client.ts'

/** A tenant's settings by its exact host, or null: the one thing that can be read without a tenant. */
export function tenantByHost<Settings>(host: string): Statement<{ tenant: Settings | null }> {
  return statement<{ tenant: Settings | null }>(sql`select tenant_by_host(${host}) as tenant`)
}
