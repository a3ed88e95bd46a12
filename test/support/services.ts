import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { sizes, startBridge } from '../../src/local/bridge/bridge.ts'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { startPostgres } from '../../src/local/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the owner of a migrated, empty database. */
    ownerUrl: string
    /** The same database as the Worker's role, under row security. */
    appUrl: string
    /** For `neonConfig.fetchEndpoint` or the binding NEON_FETCH_ENDPOINT. */
    bridgeEndpoint: string
  }
}

/**
 * One Postgres and one bridge for the whole run; every test mints its own tenant. TEST_DATABASE_URL names a
 * server to use instead: the run makes a database of its own there and drops it at the end.
 */
export default async function services(project: TestProject): Promise<() => Promise<void>> {
  const server = process.env.TEST_DATABASE_URL
  const database = server ? await temporaryDatabase(server) : await temporaryServer()
  try {
    const appPassword = 'test'
    await migrate({ ownerUrl: database.ownerUrl, appPassword })
    // The stricter of Neon's sizes.
    const bridge = await startBridge({
      server: database.ownerUrl,
      maximumRequest: sizes.openSource,
      maximumResponse: sizes.openSource,
    })
    project.provide('ownerUrl', database.ownerUrl)
    project.provide('appUrl', appUrl(database.ownerUrl, appPassword))
    project.provide('bridgeEndpoint', bridge.endpoint)
    return async () => {
      await bridge.close()
      await database.remove()
    }
  } catch (error) {
    await database.remove()
    throw error
  }
}

type Database = { ownerUrl: string; remove(): Promise<void> }

async function temporaryServer(): Promise<Database> {
  const directory = join(tmpdir(), `product-catalogue-test-${process.pid}-${Date.now()}`)
  const postgres = await startPostgres({ directory, throwaway: true })
  return {
    ownerUrl: postgres.ownerUrl,
    async remove() {
      await postgres.stop()
      rmSync(postgres.directory, { recursive: true, force: true })
    },
  }
}

async function temporaryDatabase(server: string): Promise<Database> {
  const name = `catalogue_test_${process.pid}_${Date.now()}`
  await command(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = name
  return { ownerUrl: url.href, remove: () => command(server, `drop database ${name} with (force)`) }
}

async function command(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}
