import { fallSilent } from './steps.ts'

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
