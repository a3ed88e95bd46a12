/** CPU and memory of processes, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** Hundredths of a second: what /proc counts in on every Linux that Node runs on. */
const ticksPerSecond = 100

type Stat = { readonly parent: number; readonly ticks: number; readonly ofEnded: number }

/** Seconds of CPU that a process has used so far; null if that is unknown. */
export type Clock = () => number | null

/** The clock of one process. */
export function clockOf(pid: number | null): Clock {
  return () => {
    const stat = pid === null ? null : statOf(pid)
    return stat && stat.ticks / ticksPerSecond
  }
}

/** The clock of a process and its children, those that have ended meanwhile included. */
export function familyClockOf(pid: number | null): Clock {
  return () => {
    const stat = pid === null ? null : statOf(pid)
    if (pid === null || !stat) return null
    const children = pids().map(statOf)
    const ticks = children.reduce((sum, each) => sum + (each?.parent === pid ? each.ticks : 0), 0)
    return (stat.ticks + stat.ofEnded + ticks) / ticksPerSecond
  }
}

/** Bytes of memory that a process occupies; null if that is unknown. */
export function residentBytesOf(pid: number | null): number | null {
  const kilobytes = pid === null ? undefined : /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status') ?? '')?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

/** The process that runs a program with this argument; null where there is no /proc. */
export function processWith(program: string, argument: string): number | null {
  return (
    pids().find((pid) => {
      const [command, ...others] = (read(pid, 'cmdline') ?? '').split('\0')
      return command === program && others.includes(argument)
    }) ?? null
  )
}

/** The Postgres that a backend belongs to; null where it is not on this machine. */
export function postgresOf(backend: number): number | null {
  return read(backend, 'comm')?.trim() === 'postgres' ? (statOf(backend)?.parent ?? null) : null
}

function statOf(pid: number): Stat | null {
  const text = read(pid, 'stat')
  if (text === null) return null
  // The name before it is in parentheses, and may have spaces and parentheses of its own.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (place: number) => Number(fields[place])
  return { parent: field(1), ticks: field(11) + field(12), ofEnded: field(13) + field(14) }
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

function read(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return null
  }
}
