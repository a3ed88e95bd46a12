/** The custom build of `wrangler dev`: it starts the services behind the Worker, and gives the Worker their addresses. */
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { localSettingsHelp } from '../env.ts'
import { assetsDirectory } from './assets.ts'
import { hasOwnDatabase, writeDevVars } from './dev-vars.ts'
import { dataDirectory } from './keys.ts'
import { isTaken } from './port.ts'
import { findWrangler, isRunning, type WranglerProcess } from './wrangler-process.ts'

/** Set to `external` for a `wrangler dev` whose services its parent process runs. */
export const servicesVariable = 'CATALOGUE_SERVICES'

/** The message of the services' process after its start. */
export type StartResult =
  | { readonly variables: Readonly<Record<string, string>> }
  | { readonly failure: string }

/**
 * Starts the services at the first build of a `wrangler dev`; in other builds it does nothing. If a service fails, the Worker runs without
 * settings and answers 503. Throws an Error if the port is taken.
 */
export async function provideServices(): Promise<void> {
  if (process.env.WRANGLER_COMMAND !== 'dev' || process.env[servicesVariable] === 'external') return
  const wrangler = findWrangler()
  if (wrangler === null || hasOwnDatabase()) return
  const stored = readResult(wrangler)
  if (stored === null) await demandPort(wrangler.port)
  const result = stored ?? (await start(wrangler))
  writeResult(wrangler, result)
  // wrangler does not start without the folder.
  mkdirSync(assetsDirectory, { recursive: true })
  writeDevVars(nameOf(wrangler), 'variables' in result ? result.variables : {})
  if ('failure' in result) console.error(`${result.failure}\n${localSettingsHelp}`)
}

/** Names the services of a `wrangler dev`. */
export function nameOf({ pid, startTime }: Pick<WranglerProcess, 'pid' | 'startTime'>): string {
  return `${pid}-${startTime}`
}

const fileOf = (wrangler: Pick<WranglerProcess, 'pid' | 'startTime'>) =>
  `${dataDirectory}/wrangler-${nameOf(wrangler)}.json`

/** Deletes the stored result of a start, when its `wrangler dev` has ended. */
export function removeResult(wrangler: Pick<WranglerProcess, 'pid' | 'startTime'>): void {
  rmSync(fileOf(wrangler), { force: true })
}

/** The result of the start for this `wrangler dev`; null before it. */
function readResult(wrangler: WranglerProcess): StartResult | null {
  const file = fileOf(wrangler)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

function writeResult(wrangler: WranglerProcess, result: StartResult): void {
  mkdirSync(dataDirectory, { recursive: true })
  for (const file of globSync(`${dataDirectory}/wrangler-*-*.json`)) {
    const [, pid = '', startTime = ''] = /wrangler-(\d+)-(\d+)\.json$/.exec(file) ?? []
    if (!isRunning({ pid: Number(pid), startTime })) rmSync(file, { force: true })
  }
  writeFileSync(fileOf(wrangler), JSON.stringify(result), { mode: 0o600 })
}

/** wrangler would take another port, or stop after everything was started. */
async function demandPort(port: number): Promise<void> {
  if (!(await isTaken(port))) return
  throw new Error(
    `Port ${port} is taken. Is "npm start" or "wrangler dev" already running? Stop it, or run: npx wrangler dev --port ${port + 1}`,
  )
}

/** Starts a process that outlives this build and ends with wrangler. */
function start(wrangler: WranglerProcess): Promise<StartResult> {
  const script = fileURLToPath(import.meta.resolve('./wrangler-services.ts'))
  const { npm_lifecycle_event: _, ...env } = process.env
  const child = spawn(process.execPath, [script, JSON.stringify(wrangler)], {
    // A session of its own: Ctrl-C reaches wrangler first, which may need its database for the last requests.
    detached: true,
    stdio: ['ignore', 'pipe', terminalOf(wrangler) ?? 'pipe', 'ipc'],
    env,
  })
  child.stdout?.pipe(process.stdout, { end: false })
  child.stderr?.pipe(process.stderr, { end: false })
  return new Promise((resolve) => {
    const finish = (result: StartResult) => {
      if (child.connected) child.disconnect()
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
      resolve(result)
    }
    child.once('message', (result: StartResult) => finish(result))
    child.once('error', ({ message }) => finish({ failure: message }))
    child.once('exit', () => finish({ failure: 'The local services ended while they started.' }))
  })
}

/** The error output of wrangler, which outlives this build; null if no other process can open it. */
function terminalOf({ pid }: WranglerProcess): number | null {
  try {
    return openSync(`/proc/${pid}/fd/2`, 'a')
  } catch {
    return null
  }
}
