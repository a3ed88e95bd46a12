/** Finds the `wrangler dev` that runs this process as its custom build, through /proc. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

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
export function findWrangler(): WranglerProcess | null {
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
  return read(pid)?.startTime === startTime
}

function ancestorsOf(pid: number): Entry[] {
  const entry = pid > 1 ? read(pid) : null
  return entry ? [entry, ...ancestorsOf(entry.parent)] : []
}

function read(pid: number): Entry | null {
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
