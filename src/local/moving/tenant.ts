import type pg from 'pg'
import type { Locales } from '../../core/locale.ts'
import { findTenant, type StoredTenant } from '../tenant/stored.ts'

/** A tenant whose catalogue moves. */
export type MovingTenant = Pick<StoredTenant, 'id' | 'host' | 'hosts' | 'name' | 'defaultApiVersion'> &
  Locales

/**
 * Finds a tenant by a host of it, the first label of its primary host (`acme` of `acme.example.com`) or its id, and makes it the one that
 * the connection sees. @throws Failure for none or several tenants
 */
export async function enterTenant(client: pg.ClientBase, asked: string): Promise<MovingTenant> {
  const found = await findTenant(client, asked)
  const leaving = found.localeChanges.filter(({ action }) => action === 'remove').map(({ locale }) => locale)
  // Exported moments are text: both commands have them in the same zone.
  await client.query(`select set_config('app.tenant', $1, false), set_config('timezone', 'UTC', false)`, [
    found.id,
  ])
  return { ...found, leaving }
}

/** The newest migration that was applied to a database. */
export async function newestMigration(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select name from schema_migrations where name ~ '^[0-9]' order by name desc limit 1`,
  )
  return rows[0]?.name ?? ''
}
