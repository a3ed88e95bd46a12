/** Programs of guide pages: started with their variables, and ended with everything that they started. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './service.ts'

export type Program = {
  /** Standard output and errors, up to now. */
  readonly output: () => string
  /** Standard output alone. */
  readonly printed: () => string
  /** Resolves with the exit code. After two minutes it is killed */
  readonly exited: Promise<number>
  readonly kill: () => void
}

/** Starts a program in the root of the repository. @throws Error if it is not installed */
export function startProgram(
  command: string,
  parameters: readonly string[],
  variables: Readonly<Record<string, string>>,
  isBackground = false,
): Program {
  const child = spawn(command, parameters, {
    cwd: root,
    // Not the variables of the test runner.
    env: { HOME: process.env.HOME, LANG: 'C.UTF-8', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that its children end with it.
    detached: true,
  })
  let [printed, output] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  const exited = new Promise<number>((resolve, reject) => {
    const limit = isBackground ? undefined : setTimeout(kill, 120_000)
    child.once('error', () => reject(new Error(`${command} cannot be started: apt-get install ${command}`)))
    child.once('close', (code) => {
      clearTimeout(limit)
      resolve(code ?? 1)
    })
  })
  exited.catch(() => {})
  return { output: () => output, printed: () => printed, exited, kill }
}

/** Whether it becomes true within some seconds. */
export async function becomes(isTrue: () => boolean, seconds: number): Promise<boolean> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(50)) if (isTrue()) return true
  return isTrue()
}

let running = 0
const waiting: (() => void)[] = []

/** Runs at most four pieces of work at a time. */
export async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= 4) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}
