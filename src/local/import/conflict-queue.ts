/**
 * Work of which some is under way at once. What names something that other work under way names as well waits for that: of two that
 * want the same name the first gets it, however long either takes.
 */
export class Lanes {
  readonly #most: number
  readonly #running = new Map<Promise<void>, ReadonlySet<string>>()
  #failure: { readonly cause: unknown } | null = null

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Begins work as soon as it may; resolves when it has begun. Work gets a promise that resolves when all earlier work has
   * ended. Rejects with the first failure of any work, and begins nothing more.
   */
  async begin(names: ReadonlySet<string>, work: (ahead: Promise<unknown>) => Promise<void>): Promise<void> {
    for (let wait = this.#before(names); wait; wait = this.#before(names)) await wait
    this.#demandNone()
    const running = work(Promise.all(this.#running.keys()))
      .catch((cause: unknown) => {
        this.#failure ??= { cause }
      })
      .finally(() => this.#running.delete(running))
    this.#running.set(running, names)
  }

  /** Resolves when all is done; rejects with the first failure, when nothing is under way any more. */
  async end(): Promise<void> {
    await this.settled()
    this.#demandNone()
  }

  /** Resolves when nothing is under way any more, whether it failed or not. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.keys())
  }

  #demandNone(): void {
    if (this.#failure) throw this.#failure.cause
  }

  #before(names: ReadonlySet<string>): Promise<void> | undefined {
    for (const [running, theirs] of this.#running) if (!theirs.isDisjointFrom(names)) return running
    return this.#running.size < this.#most ? undefined : Promise.race(this.#running.keys())
  }
}
