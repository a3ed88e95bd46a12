import { type StdioOptions, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fallSilent } from './cli/output.ts'

/** A child process that cannot outlive this one. */
export type KeptProcess = {
  /** Resolves with the exit status when the process has ended; never rejects. */
  readonly exited: Promise<number>
  running(): boolean
  /** Asks it to end, and after ten seconds kills it with its children; resolves when it has ended. */
  stop(): Promise<void>
  /** Kills it and its children at once. */
  kill(): void
}

export type KeptProcessOptions = {
  /** The signal that ends it. */
  readonly signal: 'INT' | 'TERM'
  readonly uid?: number | undefined
  readonly gid?: number | undefined
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Where standard output and error go: a file descriptor, or a function that gets their text. */
  readonly output: number | ((text: string) => unknown)
  /** A folder to delete when it has ended, however that came about. */
  readonly remove?: string | undefined
}

/**
 * Starts a command next to a small shell that waits for the end of its standard input. It ends at `stop()`, and also
 * when this process is killed, because the kernel then closes the pipe. Both are in a session of
 * their own, so that Ctrl-C in a terminal reaches this process alone, which stops things in the right order.
 */
export function keepProcess(
  command: string,
  parameters: readonly string[],
  options: KeptProcessOptions,
): KeptProcess {
  const { signal, uid, gid, cwd, env, output, remove = '' } = options
  const stdio: StdioOptions = typeof output === 'number' ? ['pipe', output, output] : 'pipe'
  const shell = spawn('/bin/sh', ['-c', keeper, 'keeper', signal, remove, command, ...parameters], {
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    cwd,
    env,
    stdio,
    detached: true,
  })
  if (typeof output === 'function') {
    shell.stdout?.setEncoding('utf8').on('data', output)
    shell.stderr?.setEncoding('utf8').on('data', output)
  }
  shell.stdin?.on('error', () => {})
  const exited = new Promise<number>((resolve) => {
    shell.once('exit', (status) => resolve(status ?? 1))
    shell.once('error', () => resolve(1))
  })
  const running = () => shell.pid !== undefined && shell.exitCode === null && shell.signalCode === null
  const kill = () => {
    if (!running() || shell.pid === undefined) return
    try {
      process.kill(-shell.pid, 'SIGKILL')
    } catch {
      // It ended in this very moment.
    }
  }
  return {
    exited,
    running,
    kill,
    async stop() {
      shell.stdin?.end()
      const patience = new AbortController()
      await Promise.race([exited, sleep(10_000, undefined, { signal: patience.signal })])
      patience.abort()
      kill()
      await exited
    },
  }
}

const keeper = `
signal=$1; remove=$2; shift 2
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
exec 2>/dev/null
{ read -r _ <&3; kill -s "$signal" "$child"; } >/dev/null &
reader=$!
wait "$child"; status=$?
kill "$reader"
[ -z "$remove" ] || rm -rf "$remove"
exit "$status"
`

/**
 * Processes and servers that run until Ctrl-C. They are stopped in the reverse order of their start, then the process exits. The first
 * SIGINT, SIGTERM or SIGHUP stops in order with status 0, as does the death of the npm that started it; another forces.
 */
export class Lifetime {
  readonly #stops: (() => Promise<void>)[] = []
  #ending = 0

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (this.#ending === 0) {
          console.log('\nStopping …')
          this.end(0)
        } else if (Date.now() - this.#ending > 1000) {
          // Kept processes die with this one. Within a second it is npm, passing on the same Ctrl-C.
          process.exit(130)
        }
      })
    }
    // A killed npm passes on no signal, and its child would keep the port.
    const parent = process.ppid
    const watch = () => {
      if (process.ppid !== parent) this.end(0)
    }
    if (process.env.npm_lifecycle_event !== undefined) setInterval(watch, 500).unref()
  }

  /** Waits for a start and will stop what it gave, also when the end comes in the middle of the start. */
  hold<Running>(starting: Promise<Running>, stop: (running: Running) => Promise<void>): Promise<Running> {
    this.#stops.push(() =>
      starting.then(stop).catch(() => {
        // It never started, and its caller got the error.
      }),
    )
    return starting
  }

  /** Waits for what must not be cut off, also when the end comes meanwhile. */
  finish<Result>(work: Promise<Result>): Promise<Result> {
    return this.hold(work, async () => {})
  }

  /** Ends everything with status 1 when this comes first. */
  dependsOn(exited: Promise<unknown>, reason: string): void {
    exited.then(() => this.end(1, reason))
  }

  /** Stops everything and exits the process. Only the first call counts. */
  async end(status: number, reason?: string): Promise<void> {
    if (this.#ending !== 0) return
    this.#ending = Date.now()
    fallSilent()
    if (reason) console.error(`\n${reason}`)
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) await stop()
    process.exit(status)
  }
}
