import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { areCurrent, assetsDirectory, documents, pages } from './assets.ts'
import { startBridge } from './bridge.ts'
import { bridgeHelp, bridgeSettings } from './bridge-settings.ts'
import { drawPictures } from './demo/pictures.ts'
import { demoPictures, seedDemo } from './demo.ts'
import { openIpv6Door } from './ipv6.ts'
import { keepProcess } from './kept-process.ts'
import { dataDirectory, type LocalKeys, localKeys, publicKeys } from './keys.ts'
import { Lifetime } from './lifetime.ts'
import { appUrl, migrate } from './migrate.ts'
import { isTaken } from './port.ts'
import { startPostgres } from './postgres.ts'
import { explain, step, tell, warn } from './steps.ts'
import { type DemoTenant, demoTenants, ensureTenant, originOf } from './tenants.ts'
import { tokenFor } from './token.ts'
import { startWorker, untilHealthy } from './worker-process.ts'

const help = `Starts the whole service on this machine: Postgres, migrations, two demo tenants, the Worker with its
queues, and its cron once a minute. The first tenant also answers at http://localhost and http://127.0.0.1.
Ctrl-C stops all of it. Data is kept in .data/.

  npm start -- [--port 8787] [--fresh] [--verbose]

  --port NUMBER   port of the service (default 8787)
  --fresh         begins with an empty database
  --verbose       shows every request too, and what wrangler says; the lines of the log are always shown
  --help          this text

DATABASE_URL=postgresql://…  uses that Postgres (15 or newer, or Neon; an owner's connection string) instead of the
embedded one.
DATA_DIRECTORY=…  keeps the data there, so that several can run side by side, each with its --port.
RATE_LIMITS=on  limits what one client may ask in ten seconds, as in production; off by default.
${bridgeHelp}`

type Options = { port: number; fresh: boolean; verbose: boolean }

async function start({ port, fresh, verbose }: Options, lifetime: Lifetime): Promise<void> {
  const started = performance.now()
  await demandPort(port)
  const files = filesInBackground(lifetime)
  const keys = await localKeys()
  const ownerUrl = await database(fresh, lifetime)
  const names = await step('Migrations', () =>
    lifetime.finish(migrate({ ownerUrl, appPassword: keys.appPassword })),
  )
  if (names.length > 0) explain(`${names.length} applied`)
  const empty = await step('Demo tenants', () => lifetime.finish(tenants(ownerUrl, keys)))
  const bridge = await step('Database bridge', () =>
    lifetime.hold(startBridge({ ...bridgeSettings(process.env), server: ownerUrl }), (running) =>
      running.close(),
    ),
  )
  if (files) await step('Pages and documents', () => files)
  drawPictures(demoPictures, `${assetsDirectory}/admin`)
  const worker = await lifetime.hold(
    startWorker({
      port,
      verbose,
      variables: {
        DATABASE_URL: appUrl(ownerUrl, keys.appPassword),
        NEON_FETCH_ENDPOINT: bridge.endpoint,
        LOCALHOST_TENANT: demoTenants[0]!.host,
        // The demo and an import are one client with thousands of writes.
        RATE_LIMITS: process.env.RATE_LIMITS === 'on' ? 'on' : 'off',
      },
    }),
    (running) => running.stop(),
  )
  lifetime.dependsOn(worker.exited, 'The Worker ended.')
  await lifetime.hold(openIpv6Door(port), async (door) => door?.close())
  await step('Worker', () => untilHealthy(worker, port, 'localhost'))
  for (const tenant of empty) await seed(tenant, port)
  tell(await farewell(port, (performance.now() - started) / 1000))
}

/** Builds the Worker's files where they are missing or old: in a process of its own, while Postgres starts. */
function filesInBackground(lifetime: Lifetime): Promise<unknown> | null {
  if ([documents, pages].every((each) => areCurrent(each))) return null
  const script = fileURLToPath(import.meta.resolve('./build.ts'))
  let said = ''
  const building = keepProcess(process.execPath, [script], {
    signal: 'TERM',
    cwd: process.cwd(),
    env: process.env,
    output: (text) => {
      said += text
    },
  })
  lifetime.hold(Promise.resolve(building), (running) => running.stop())
  const built = building.exited.then((status) => {
    if (status !== 0) throw new Error(`Pages and documents were not built:\n${said}`)
  })
  // Told where it is waited for.
  built.catch(() => undefined)
  return built
}

async function demandPort(port: number): Promise<void> {
  // A run that was killed a moment ago is still letting go of it.
  for (let attempt = 0; attempt < 10; attempt++) {
    if (!(await isTaken(port))) return
    await sleep(300)
  }
  throw new Error(
    `Port ${port} is taken. Is "npm start" already running? Stop that, or run beside it: DATA_DIRECTORY=/tmp/other npm start -- --port ${port + 1}`,
  )
}

async function database(fresh: boolean, lifetime: Lifetime): Promise<string> {
  const given = process.env.DATABASE_URL
  if (given) {
    if (fresh) throw new Error('--fresh empties the embedded database only; unset DATABASE_URL.')
    return given
  }
  const directory = `${dataDirectory}/postgres`
  const postgres = await step('Postgres', () =>
    lifetime.hold(startPostgres({ directory, fresh }), (running) => running.stop()),
  )
  lifetime.dependsOn(postgres.exited, `Postgres ended; its log is ${postgres.directory}/server.log`)
  if (postgres.directory !== directory) explain(`data in ${postgres.directory}`)
  return postgres.ownerUrl
}

/** Makes the demo tenants; answers those whose catalogue is empty, was not filled to its end, or lacks a language. */
async function tenants(ownerUrl: string, keys: LocalKeys): Promise<DemoTenant[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const empty: DemoTenant[] = []
    for (const tenant of demoTenants) {
      if (await ensureTenant(client, tenant, publicKeys(keys))) writeFileSync(seedingMarker(tenant), '')
      const { rows } = await client.query('select from products where tenant_id = $1 limit 1', [tenant.id])
      if (rows.length === 0 || existsSync(seedingMarker(tenant))) empty.push(tenant)
    }
    return empty
  } finally {
    await client.end()
  }
}

async function seed(tenant: DemoTenant, port: number): Promise<void> {
  writeFileSync(seedingMarker(tenant), '')
  try {
    const made = await step(`Demo catalogue of ${tenant.name}`, async (onProgress) =>
      seedDemo({
        port,
        host: tenant.host,
        token: await tokenFor(tenant.name),
        timeZone: tenant.timeZone,
        onProgress,
      }),
    )
    explain(`${made.products} products, ${made.offers} offers`)
    rmSync(seedingMarker(tenant))
  } catch (error) {
    warn(`${(error as Error).message} The next start tries again.`)
  }
}

const seedingMarker = (tenant: DemoTenant) => `${dataDirectory}/seeding-${tenant.name}`

async function farewell(port: number, seconds: number): Promise<string> {
  const tenant = demoTenants[0]!
  const origin = originOf(tenant, port)
  const token = await tokenFor(tenant.name)
  const context = `resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${new Date().toISOString()}`
  return `
Ready in ${seconds.toFixed(1)} s.

${demoTenants.map((each) => `  ${originOf(each, port)}   ${each.title}`).join('\n')}

The catalogue of ${tenant.name} in the browser; the link signs you in for an hour:

  ${origin}/admin#token=${token}

The API reference, where calls can be tried: ${origin}/docs

A token for ${tenant.name}, good for an hour (another: npm run token -- --tenant ${tenant.name}):

  ${token}

Its products with the prices of a French customer on the web:

  curl -g '${origin}/api/products?${context}' -H 'Authorization: Bearer ${token}'

Ctrl-C stops everything; the data stays.
`
}

function options(): Options | null {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8787' },
      fresh: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('--port is a number from 1 to 65535.')
  return { port, fresh: values.fresh, verbose: values.verbose }
}

try {
  const chosen = options()
  if (chosen === null) process.stdout.write(help)
  else {
    const lifetime = new Lifetime()
    start(chosen, lifetime).catch((error: Error) => lifetime.end(1, error.message))
  }
} catch (error) {
  console.error(`${(error as Error).message}\nSee: npm start -- --help`)
  process.exitCode = 1
}
