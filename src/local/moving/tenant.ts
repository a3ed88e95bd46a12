import type pg from 'pg'
import { Refused } from './file.ts'

/** A tenant whose catalogue moves. */
export type MovingTenant = {
  readonly id: string
  readonly host: string
  readonly name: string
  readonly locales: readonly [string, ...string[]]
  readonly defaultApiVersion: string
}

/**
 * Finds a tenant by its host, the first label of it (`acme` of `acme.example.com`) or its id, and makes it the one that the
 * connection sees. @throws Refused where there is none, or several
 */
export async function enterTenant(client: pg.ClientBase, asked: string): Promise<MovingTenant> {
  const { rows } = await client.query<MovingTenant>(
    `select id, host, name, locales, default_api_version as "defaultApiVersion" from tenants
      where host = lower($1) or id::text = $1 or split_part(host, '.', 1) = lower($1) order by host = lower($1) desc, host`,
    [asked],
  )
  const exact = rows.filter((each) => each.host === asked.toLowerCase() || each.id === asked)
  const [found, another] = exact.length > 0 ? exact : rows
  if (!found) throw new Refused(`There is no tenant ${asked}.`)
  if (another)
    throw new Refused(
      `Several tenants are called ${asked}: ${rows.map((each) => each.host).join(', ')}. Give the host.`,
    )
  await client.query(`select set_config('app.tenant', $1, false)`, [found.id])
  return found
}

/** The newest migration that a database has had. */
export async function newestMigration(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    'select name from schema_migrations order by name desc limit 1',
  )
  return rows[0]?.name ?? ''
}
