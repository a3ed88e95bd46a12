import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { appUrl, migrate } from '../../src/local/migrate.ts'

export type Urls = { readonly ownerUrl: string; readonly appUrl: string }

let own: Urls | null = null

/** The database of this test file: the one that all share, unless it asked for its own. */
export function databaseUrls(): Urls {
  return own ?? { ownerUrl: inject('ownerUrl'), appUrl: inject('appUrl') }
}

/** Gives the test file a database of its own, for what goes from tenant to tenant; answers how to drop it. */
export async function useOwnDatabase(): Promise<() => Promise<void>> {
  const name = `catalogue_own_${randomUUID().slice(0, 8)}`
  await command(`create database ${name}`)
  const url = new URL(inject('ownerUrl'))
  url.pathname = name
  await migrate({ ownerUrl: url.href, appPassword: 'test' })
  own = { ownerUrl: url.href, appUrl: appUrl(url.href, 'test') }
  return async () => {
    own = null
    await command(`drop database ${name} with (force)`)
  }
}

/**
 * Runs a statement past row security, for states that no request could create in a test's time. The tenants' clocks move, as they do
 * with every commit of the service: cached responses are not used.
 */
export async function asOwner(sql: string, values: readonly unknown[]): Promise<void> {
  await connected(databaseUrls().ownerUrl, async (client) => {
    await client.query(sql, [...values])
    await client.query(`update tenant_clock set last_at = last_at + interval '1 microsecond'`)
  })
}

const command = (sql: string) => query(inject('ownerUrl'), sql, [])

async function query(connectionString: string, sql: string, values: readonly unknown[]): Promise<void> {
  await connected(connectionString, (client) => client.query(sql, [...values]))
}

/**
 * Queries over a connection that no other test uses meanwhile. Its session is reset afterwards, and the connection stays open for
 * the next use: opening one costs more than most queries.
 */
export async function connected<Result>(
  connectionString: string,
  ask: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = idle.get(connectionString)?.pop() ?? (await opened(connectionString))
  try {
    const result = await ask(client)
    await client.query('discard all')
    idle.set(connectionString, [...(idle.get(connectionString) ?? []), client])
    return result
  } catch (error) {
    await client.end()
    throw error
  }
}

const idle = new Map<string, pg.Client[]>()

async function opened(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // A test that drops a database ends the open connections to it.
  client.on('error', () => {})
  client.on('end', () => {
    const others = idle.get(connectionString)?.filter((each) => each !== client) ?? []
    idle.set(connectionString, others)
  })
  await client.connect()
  return client
}
