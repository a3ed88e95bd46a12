/** The process that runs the services of a `wrangler dev`, calls its cron once a minute, and ends with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeDevVars } from './dev-vars.ts'
import { openIpv6Door } from './ipv6.ts'
import { dataDirectory } from './keys.ts'
import { Lifetime } from './lifetime.ts'
import { accepts, freePort } from './port.ts'
import { loadDemo, type Services, startServices } from './services.ts'
import { step } from './steps.ts'
import { demoTenants } from './tenants.ts'
import { callCron, startWorker, untilHealthy, type WorkerProcess } from './worker-process.ts'
import { nameOf, removeResult, type StartResult } from './wrangler-dev.ts'
import { isRunning, type WranglerProcess } from './wrangler-process.ts'

const wrangler: WranglerProcess = JSON.parse(process.argv[2] ?? '')
const lifetime = new Lifetime()

// The build that started this process is gone soon, and the other ends of these pipes with it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const commands = [wrangler, ...wrangler.launchers]
setInterval(() => {
  if (commands.every(isRunning)) return
  // A launcher that was killed leaves wrangler behind, without a terminal.
  if (isRunning(wrangler)) process.kill(wrangler.pid, 'SIGTERM')
  lifetime.end(0)
}, 500)

lifetime.hold(Promise.resolve(), async () => {
  removeResult(wrangler)
  removeDevVars(nameOf(wrangler))
})

try {
  const services = await startServices({ share: true }, lifetime)
  if (services.incompleteTenants.length > 0) await loadDemos(services)
  report({ variables: services.variables })
  followPort().catch((error: Error) => console.error(error.message))
} catch (error) {
  // Stays, so that wrangler and what has started end together.
  report({ failure: (error as Error).message })
}

function report(result: StartResult): void {
  process.send?.(result)
}

/** Calls the cron, and listens on `::1` as well, when wrangler listens. Earlier, wrangler would find its port taken. */
async function followPort(): Promise<void> {
  const { port } = wrangler
  while (!(await accepts(port))) await sleep(250)
  await callCron(port)
  setInterval(() => callCron(port), 60_000)
  await lifetime.hold(openIpv6Door(port), async (door) => door?.close())
}

/** Loads the demo catalogues through a Worker of its own, so that they are there when wrangler says that it is ready. */
async function loadDemos({ variables, incompleteTenants }: Services): Promise<void> {
  const port = await freePort()
  const directory = mkdtempSync(`${dataDirectory}/demo-`)
  const stop = async (running: WorkerProcess) => {
    await running.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  const worker = await lifetime.hold(startWorker({ port, verbose: false, variables, directory }), stop)
  await step('Worker of the demo', () => untilHealthy(worker, port, demoTenants[0]!.host))
  for (const tenant of incompleteTenants) await loadDemo(tenant, port, wrangler.port)
  await stop(worker)
}
