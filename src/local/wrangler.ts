/** The custom build of `wrangler dev`: it starts the services behind the Worker, and gives the Worker their addresses. */
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { localSettingsHelp } from '../env.ts'
import { hasOwnDatabase, writeDevVars } from './dev-vars.ts'
import { dataDirectory } from './local-tenants.ts'
import { isLastinglyTaken } from './network.ts'

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
export async function provideServices(assetsDirectory: string): Promise<void> {
  if (process.env.WRANGLER_COMMAND !== 'dev' || process.env[servicesVariable] === 'external') return
  const wrangler = findWrangler()
  if (wrangler === null || hasOwnDatabase()) return
  const stored = readResult(wrangler)
  // wrangler would take another port, or stop after everything was started.
  if (stored === null && (await isLastinglyTaken(wrangler.port)))
    throw new Error(
      `Port ${wrangler.port} is taken. Is "npm start" or "wrangler dev" already running? Stop it, or run another one: npx wrangler dev --port ${wrangler.port + 1}`,
    )
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

export type Process = {
  readonly pid: number /** Clock ticks since boot: distinguishes two processes with the same id. */
  readonly startTime: string
}

export type WranglerProcess = Process & {
  /** The port of the service: `--port`, or wrangler's default. */
  readonly port: number
  /** The commands that started wrangler, `npx` and wrangler's launcher, of which each ends with the others. */
  readonly launchers: readonly Process[]
}

type Entry = Process & { readonly parent: number; readonly command: readonly string[] }

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ash'])
const isCli = ({ command }: Entry) => command.some((part) => part.endsWith('/wrangler-dist/cli.js'))
const isLauncher = ({ command }: Entry) =>
  command.some((part) =>
    /^np(?:m|x)\b.*\bwrangler\b|\/(?:bin|\.bin)\/(?:cf-)?wrangler2?(?:\.js)?$/.test(part),
  )
const isShell = ({ command }: Entry) => shells.has(basename(command[0] ?? ''))

/** Searches the ancestors of this process. Null if none of them is wrangler. */
function findWrangler(): WranglerProcess | null {
  const ancestors = ancestorsOf(process.ppid)
  const place = ancestors.findIndex(isCli)
  const cli = ancestors[place]
  if (!cli) return null
  const launchers: Process[] = []
  for (const ancestor of ancestors.slice(place + 1)) {
    if (isLauncher(ancestor) && !isShell(ancestor)) launchers.push(only(ancestor))
    else if (!isShell(ancestor)) break
  }
  return { ...only(cli), port: portIn(cli.command) ?? 8787, launchers }
}

const only = ({ pid, startTime }: Process): Process => ({ pid, startTime })

/** Whether the process that had this id is still running. */
export function isRunning({ pid, startTime }: Process): boolean {
  return readProcess(pid)?.startTime === startTime
}

function ancestorsOf(pid: number): Entry[] {
  const entry = pid > 1 ? readProcess(pid) : null
  return entry ? [entry, ...ancestorsOf(entry.parent)] : []
}

/** A running process; null if it has ended, and without /proc. */
export function readProcess(pid: number): Entry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent] = fields
    if (state === 'Z' || state === 'X') return null
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return { pid, startTime: fields[19] ?? '', parent: Number(parent), command }
  } catch {
    return null
  }
}

function portIn(command: readonly string[]): number | null {
  const place = command.findIndex((part) => /^--port(?:=|$)/.test(part))
  if (place < 0) return null
  const text = command[place]?.split('=')[1] ?? command[place + 1]
  return text !== undefined && /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : null
}
