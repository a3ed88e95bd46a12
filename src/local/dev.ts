import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bridgeHelp } from './bridge-settings.ts'
import { openIpv6Door } from './ipv6.ts'
import { Lifetime } from './lifetime.ts'
import { isTaken } from './port.ts'
import { loadDemo, startServices } from './services.ts'
import { step, tell } from './steps.ts'
import { demoTenants, originOf } from './tenants.ts'
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
  const { variables, incompleteTenants } = await startServices({ fresh }, lifetime)
  const worker = await lifetime.hold(startWorker({ port, verbose, variables }), (running) => running.stop())
  lifetime.dependsOn(worker.exited, 'The Worker ended.')
  await lifetime.hold(openIpv6Door(port), async (door) => door?.close())
  await step('Worker', () => untilHealthy(worker, port, 'localhost'))
  for (const tenant of incompleteTenants) await loadDemo(tenant, port)
  tell(await farewell(port, (performance.now() - started) / 1000))
}

async function demandPort(port: number): Promise<void> {
  // A run that was killed a moment ago is still letting go of it.
  for (let attempt = 0; attempt < 10; attempt++) {
    if (!(await isTaken(port))) return
    await sleep(300)
  }
  throw new Error(
    `Port ${port} is taken. Is "npm start" or "wrangler dev" already running? Stop it, or run another one: DATA_DIRECTORY=/tmp/other npm start -- --port ${port + 1}`,
  )
}

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
