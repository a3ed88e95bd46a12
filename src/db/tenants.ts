import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { type Statement, statement } from './query.ts'
import { idColumn } from './sql.ts'

/** Milliseconds for which a Worker may still use a tenant's old settings after a change. */
export const settingsTtl = 60_000

/** A tenant's settings by its exact host, or null: the only data that can be read without a tenant. */
export function tenantByHost<Settings extends z.ZodType>(host: string, settings: Settings) {
  return statement(sql`select tenant_at(${host}) as tenant`, { tenant: settings.nullable() })
}

/** The column of a statement that counts the rows which it changes. */
export const rowCountColumn = { rowCount: z.number() }

/** Deletes up to `limit` idempotency keys of a tenant from before a time. `ctid` needs no join, whatever the statistics. */
export function dropExpiredKeys(before: string, limit: number): Statement<{ rowCount: number }> {
  return statement(rowCountColumn)`
    with deleted as (
      delete from idempotency_keys where tenant_id = current_tenant() and ctid = any(array(
        select ctid from idempotency_keys
         where tenant_id = current_tenant() and created_at < ${before}::timestamptz limit ${limit}))
      returning 1
    )
    select count(*)::int as "rowCount" from deleted`
}

/** Tenants after `after`, in order, with locales to index or remove, and without a worker that does it. */
export function tenantsChangingLocales(after: string | null, limit: number): Statement<{ id: string }> {
  return statement(sql`select tenants_changing_locales(${after}::uuid, ${limit}) as id`, idColumn)
}

/** Tenants after `after`, in order, with collections whose products must be sorted, and without a worker that does it. */
export function tenantsRebuilding(after: string | null, limit: number): Statement<{ id: string }> {
  return statement(sql`select tenants_rebuilding(${after}::uuid, ${limit}) as id`, idColumn)
}

const schemaState = z.strictObject({
  /** Whether the database has this schema version or a later one; null if no version was named. */
  migrated: z.boolean().nullable(),
  /** Whether the database also has a later schema version. */
  isAhead: z.boolean(),
})

export type SchemaState = z.infer<typeof schemaState>

/** Compares the schema of the database with a version. */
export function schemaStatement(needed: string | null): Statement<{ state: SchemaState }> {
  return statement(sql`select schema_state(${needed}) as state`, { state: schemaState })
}
