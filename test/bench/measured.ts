/** The measured processes: the Worker in workerd with its queues, a bridge with Neon's protocol and a throwaway Postgres. */
import pg from 'pg'
import { createTestHarness, unstable_readConfig } from 'wrangler'
import { startBridge } from '../../src/local/bridge/bridge.ts'
import { appUrl, migrate } from '../../src/local/migrate.ts'
import { startPostgres } from '../../src/local/postgres.ts'
import { newTenant } from './tenant.ts'

export const host = 'bench.test'

/** Asks the Worker for the tenant with every scope; answers the parsed JSON, throws for anything but success. */
export type Call = (method: string, path: string, body?: unknown) => Promise<ReturnType<typeof JSON.parse>>

/** The service as it is measured, with one tenant. */
export type Measured = {
  /** The owner of the database, past row security. */
  readonly owner: pg.Client
  /** The address of the database for the Worker's role. */
  readonly appUrl: string
  readonly tenant: string
  readonly call: Call
  /** Creates another tenant, on a host of its own. */
  readonly callerOf: (host: string) => Promise<Call>
  /** Does what the Worker does once a minute, at this minute. */
  readonly minute: (at?: Date) => Promise<unknown>
  /** The file of Postgres' log. */
  readonly log: string
}

/** Starts all of it on loopback under a name of its own, has it measured, and ends it. */
export async function withService(
  name: string,
  measure: (service: Measured) => Promise<void>,
): Promise<void> {
  Object.assign(process.env, {
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG: 'error',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  })
  const postgres = await startPostgres({
    directory: `/tmp/catalogue-bench-${name}-${process.pid}`,
    throwaway: true,
  })
  const bridge = await startBridge({ server: postgres.ownerUrl })
  const {
    queues,
    compatibility_date = '',
    compatibility_flags,
  } = unstable_readConfig({
    config: 'wrangler.toml',
  })
  await migrate({ ownerUrl: postgres.ownerUrl, appPassword: 'bench' })
  const url = appUrl(postgres.ownerUrl, 'bench')
  const server = createTestHarness({
    workers: [
      {
        config: {
          name: 'catalogue',
          main: 'src/worker.ts',
          compatibility_date,
          compatibility_flags,
          queues,
          vars: {
            DATABASE_URL: url,
            NEON_FETCH_ENDPOINT: bridge.endpoint,
            ENVIRONMENT: 'local',
            CALLBACKS: 'loopback',
            RATE_LIMITS: 'off',
          },
        },
      },
    ],
  })
  const owner = new pg.Client(postgres.ownerUrl)
  try {
    await owner.connect()
    await server.listen()
    const { tenant, token } = await newTenant(owner, host)
    await measure({
      owner,
      appUrl: url,
      tenant,
      call: caller(server.fetch, host, token),
      callerOf: async (other) => caller(server.fetch, other, (await newTenant(owner, other)).token),
      minute: (at = new Date()) => server.getWorker().scheduled({ cron: '* * * * *', scheduledTime: at }),
      log: `${postgres.directory}/server.log`,
    })
  } finally {
    await owner.end()
    await server.close()
    await bridge.close()
    await postgres.stop()
  }
}

type Server = ReturnType<typeof createTestHarness>

function caller(fetch: Server['fetch'], host: string, token: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`http://${host}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 300)
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
}
