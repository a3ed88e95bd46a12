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

/** Runs a statement past row security, for what no request could bring about in a test's time. */
export async function asOwner(sql: string, values: readonly unknown[]): Promise<void> {
  await query(databaseUrls().ownerUrl, sql, values)
}

const command = (sql: string) => query(inject('ownerUrl'), sql, [])

async function query(connectionString: string, sql: string, values: readonly unknown[]): Promise<void> {
  await connected(connectionString, (client) => client.query(sql, [...values]))
}

/** Asks over a connection that is closed afterwards. */
export async function connected<Result>(
  connectionString: string,
  ask: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}
