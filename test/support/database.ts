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
 * Runs a statement past row security, for what no request could bring about in a test's time. The tenants' clocks move, as they do
 * with every commit of the service: answers that are kept are made anew.
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
 * Asks over a connection that nobody else has meanwhile. Its session is reset afterwards, and it is kept for the next:
 * to open one costs more than most of what is asked.
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
  // Who drops a database ends the connections that are kept to it.
  client.on('error', () => {})
  client.on('end', () => {
    const others = idle.get(connectionString)?.filter((each) => each !== client) ?? []
    idle.set(connectionString, others)
  })
  await client.connect()
  return client
}
