import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../src/local/network.ts'
import { keepProcess } from '../../../src/local/processes.ts'
import type { Bundle } from '../../support/bundle.ts'
import { type Clock, clockOf, processWith, residentBytesOf } from './processes.ts'
import { ask } from './request.ts'

/** A Worker in a workerd of its own, with nothing in front of it. */
export type RunningWorker = {
  readonly port: number
  readonly clock: Clock
  /** Bytes of memory that it occupies; null without /proc. */
  residentBytes(): number | null
  /** Its log. */
  said(): string
  stop(): Promise<void>
}

/**
 * Starts a bundle with these texts as its bindings. It ends with this process. Queues, counters of requests and pages are left
 * out: the Worker does without.
 */
export async function startWorkerd(
  bundle: Bundle,
  bindings: Readonly<Record<string, string>>,
): Promise<RunningWorker> {
  const port = await freePort()
  const config = join(bundle.directory, 'workerd.capnp')
  writeFileSync(config, configText(port, bundle, bindings), { mode: 0o600 })
  const program = workerdProgram()
  let said = ''
  const running = keepProcess(program, ['serve', config], {
    signal: 'TERM',
    cwd: bundle.directory,
    env: { PATH: process.env.PATH, TZ: 'UTC' },
    output: (text) => {
      said += text
    },
  })
  for (const deadline = Date.now() + 30_000; !(await answers(port)); await sleep(20)) {
    if (running.running() && Date.now() < deadline) continue
    await running.stop()
    throw new Error(`workerd did not start: ${said}`)
  }
  const pid = processWith(program, config)
  return {
    port,
    clock: clockOf(pid),
    residentBytes: () => residentBytesOf(pid),
    said: () => said,
    stop: running.stop,
  }
}

/** The workerd binary of miniflare's dependencies. */
function workerdProgram(): string {
  const { default: program } = createRequire(import.meta.resolve('miniflare'))('workerd')
  return program
}

function answers(port: number): Promise<boolean> {
  return ask(port, { method: 'GET', path: '/health', headers: {} }).then(
    () => true,
    () => false,
  )
}

const text = (value: string) => JSON.stringify(value)

function configText(
  port: number,
  { script, compatibilityDate, compatibilityFlags }: Bundle,
  bindings: Readonly<Record<string, string>>,
): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = ${text(`127.0.0.1:${port}`)}, http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [(name = ${text(script)}, esModule = embed ${text(script)})],
  compatibilityDate = ${text(compatibilityDate)},
  compatibilityFlags = [${compatibilityFlags.map(text).join(', ')}],
  bindings = [${Object.entries(bindings)
    .map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`)
    .join(', ')}],
);
`
}
