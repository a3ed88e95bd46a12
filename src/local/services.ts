/** Everything that the Worker needs on a developer's machine: Postgres, migrations, demo tenants, the bridge, and its files. */
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBridge } from './bridge/bridge.ts'
import { areCurrent, assetsDirectory, everything } from './build.ts'
import { withDatabase } from './cli/database.ts'
import { explain, step } from './cli/output.ts'
import { demoPictures, restoreDemo } from './demo.ts'
import {
  dataDirectory,
  demoTenants,
  ensureTenant,
  type LocalKeys,
  localKeys,
  publicKeys,
} from './local-tenants.ts'
import { appUrl, migrate } from './migrate.ts'
import { startPostgres } from './postgres.ts'
import { keepProcess, type Lifetime } from './processes.ts'

export type Services = {
  /** The Worker's variables, in addition to those of wrangler.toml. */
  readonly variables: Readonly<Record<string, string>>
}

export type ServicesOptions = {
  /** The port of the Worker, under which browsers find the pictures of the demo. */
  readonly port: number
  /** Deletes the data of the embedded Postgres first. */
  readonly fresh?: boolean
}

/** Starts the services; `lifetime` stops them. Throws an Error that says which one failed and why. */
export async function startServices(
  { port, fresh = false }: ServicesOptions,
  lifetime: Lifetime,
): Promise<Services> {
  const files = filesInBackground(lifetime)
  const keys = await localKeys(dataDirectory)
  const ownerUrl = await database(fresh, lifetime)
  const names = await step('Migrations', () =>
    lifetime.finish(migrate({ ownerUrl, appPassword: keys.appPassword })),
  )
  if (names.length > 0) explain(`${names.length} applied`)
  const restored = await step('Demo tenants', () => lifetime.finish(createTenants(ownerUrl, keys, port)))
  for (const line of restored) explain(line)
  const bridge = await step('Database bridge', () =>
    lifetime.hold(
      startBridge({ server: ownerUrl, delay: Number(process.env.BRIDGE_DELAY ?? 0) }),
      (running) => running.close(),
    ),
  )
  if (files) await step('Pages and documents', () => files)
  cpSync(demoPictures, `${assetsDirectory}/admin`, { recursive: true })
  return {
    variables: {
      DATABASE_URL: appUrl(ownerUrl, keys.appPassword),
      NEON_FETCH_ENDPOINT: bridge.endpoint,
      LOCALHOST_TENANT: demoTenants[0]!.host,
      // An import is one client with thousands of writes.
      RATE_LIMITS: process.env.RATE_LIMITS === 'on' ? 'on' : 'off',
    },
  }
}

/** Builds the Worker's files where they are missing or old: in a process of its own, while Postgres starts. */
function filesInBackground(lifetime: Lifetime): Promise<unknown> | null {
  if (everything.every((each) => areCurrent(each))) return null
  const script = fileURLToPath(import.meta.resolve('./build.ts'))
  let output = ''
  const building = keepProcess(process.execPath, [script], {
    signal: 'TERM',
    cwd: process.cwd(),
    env: { ...process.env, WRANGLER_COMMAND: '' },
    output: (text) => {
      output += text
    },
  })
  lifetime.hold(Promise.resolve(building), (running) => running.stop())
  const built = building.exited.then((status) => {
    if (status !== 0) throw new Error(`Pages and documents were not built:\n${output}`)
  })
  // The caller reports the failure when it awaits the files.
  built.catch(() => undefined)
  return built
}

async function database(fresh: boolean, lifetime: Lifetime): Promise<string> {
  const given = process.env.DATABASE_URL
  if (given) return given
  const directory = `${dataDirectory}/postgres`
  const postgres = await step('Postgres', () =>
    lifetime.hold(startPostgres({ directory, fresh }), (started) => started.stop()),
  )
  lifetime.dependsOn(postgres.exited, `Postgres ended; its log is ${postgres.directory}/server.log`)
  if (postgres.directory !== directory) explain(`data in ${postgres.directory}`)
  return postgres.ownerUrl
}

/** Creates the demo tenants with their catalogues. Returns a line for each restored catalogue. */
async function createTenants(ownerUrl: string, keys: LocalKeys, port: number): Promise<string[]> {
  const restored: string[] = []
  await withDatabase(ownerUrl, async (client) => {
    for (const tenant of demoTenants) {
      // A developer may have replaced the tenant of this host.
      const others = await client.query('select from tenant_hosts where host = $1 and tenant_id <> $2', [
        tenant.host,
        tenant.id,
      ])
      if (others.rows.length > 0) continue
      await ensureTenant(client, tenant, publicKeys(keys))
      const rows = await restoreDemo(client, tenant.name, { tenantId: tenant.id, port })
      if (rows > 0) restored.push(`${rows} rows in the catalogue of ${tenant.name}`)
    }
  })
  return restored
}
