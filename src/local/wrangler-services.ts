/** The process that runs the services of a `wrangler dev`, calls its cron once a minute, and ends with it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { removeDevVars } from './dev-vars.ts'
import { accepts, openIpv6Door } from './network.ts'
import { Lifetime } from './processes.ts'
import { announce } from './running.ts'
import { startServices } from './services.ts'
import { callCron } from './worker-process.ts'
import { isRunning, nameOf, removeResult, type StartResult, type WranglerProcess } from './wrangler.ts'

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
  const withdraw = announce(wrangler.port)
  lifetime.hold(Promise.resolve(), async () => withdraw())
  report(await startServices({ port: wrangler.port }, lifetime))
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
