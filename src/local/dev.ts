import { command, flag, option, port, runHere } from './cli/command.ts'
import { explain, printLine, step, table } from './cli/output.ts'
import { demoTenants, originOf } from './local-tenants.ts'
import { isLastinglyTaken, isTaken, openIpv6Door } from './network.ts'
import { Lifetime } from './processes.ts'
import { announce, runningServices } from './running.ts'
import { startServices } from './services.ts'
import { tokenFor } from './token.ts'
import { startWorker, untilHealthy } from './worker-process.ts'

type Options = { port: number; fresh: boolean; verbose: boolean }

async function start({ port: wanted, fresh, verbose }: Options, lifetime: Lifetime): Promise<void> {
  const started = performance.now()
  const port = await nextFreePort(wanted)
  const withdraw = announce(port)
  lifetime.hold(Promise.resolve(), async () => withdraw())
  if (port !== wanted) explain(`Port ${wanted} is taken. The port of this service is ${port}.`)
  const { variables } = await startServices({ port, fresh }, lifetime)
  const worker = await lifetime.hold(startWorker({ port, verbose, variables }), (running) => running.stop())
  lifetime.dependsOn(worker.exited, 'The Worker ended.')
  await lifetime.hold(openIpv6Door(port), async (door) => door?.close())
  await step('Worker', () => untilHealthy(worker, port, 'localhost'))
  printLine(await farewell(port, (performance.now() - started) / 1000))
}

async function nextFreePort(wanted: number): Promise<number> {
  const others = runningServices().map(({ port }) => port)
  let port = wanted
  while (others.includes(port) || (await (port === wanted ? isLastinglyTaken : isTaken)(port))) port += 1
  return port
}

async function farewell(port: number, seconds: number): Promise<string> {
  const tenant = demoTenants[0]!
  const origin = originOf(tenant, port)
  const which = runningServices().length > 1 ? ` --port ${port}` : ''
  const links = [
    ...demoTenants.map((each) => [each.title, originOf(each, port)]),
    ['API reference', `${origin}/docs`],
  ]
  return `
Ready in ${seconds.toFixed(1)} s.

  ${table(links).replaceAll('\n', '\n  ')}

This link signs you in to /admin of ${tenant.title}, for an hour:

  ${origin}/admin#token=${await tokenFor(tenant.name)}

A first request:

  curl '${origin}/api/products?q=lamp' -H "Authorization: Bearer $(npm run -s token -- --tenant ${tenant.name}${which})"

Ctrl-C stops everything; the data stays.
`
}

/** `npm start`. */
export const startCommand = command({
  name: 'start',
  summary:
    'Starts the whole service locally: Postgres, migrations, two demo tenants, the Worker with its queues, and its cron once a minute. The first tenant is also at http://localhost and http://127.0.0.1. Ctrl-C stops all of it. Data is stored in .data/.',
  examples: ['npm start', 'npm start -- --fresh'],
  options: {
    port: option(
      'NUMBER',
      'the port of the service; if it is taken, the next free one (default: 8787)',
      port.default(8787),
    ),
    fresh: flag('begins with an empty database'),
    verbose: flag('also prints each request and the output of wrangler; log lines are always printed'),
  },
  notes: [
    'Environment variables:',
    [
      'DATABASE_URL=postgresql://…  uses this Postgres (15 or newer, or Neon) as its owner, instead of the embedded one',
      'DATA_DIRECTORY=…             stores the data there, so that several services can run',
      'RATE_LIMITS=on               limits the requests of a client in ten seconds, as in production (default: off)',
      'BRIDGE_DELAY=5               delays each message between bridge and Postgres by these milliseconds, as over a network:',
      '                             a batch of N statements then takes 2 N + 2 delays, as on Neon',
    ].join('\n'),
  ],
  exitCodes: '0 ended by Ctrl-C, 1 failed',
  faults: (given) => [
    ...('fresh' in given && process.env.DATABASE_URL
      ? ['--fresh empties the embedded database only: unset DATABASE_URL.']
      : []),
    ...(/^\d{1,6}$/.test(process.env.BRIDGE_DELAY ?? '0') ? [] : ['BRIDGE_DELAY is a whole number.']),
  ],
  async run(options) {
    const lifetime = new Lifetime()
    await start(options, lifetime).catch((error: Error) => lifetime.end(1, error.message))
    return 0
  },
})

if (import.meta.main) await runHere(startCommand)
