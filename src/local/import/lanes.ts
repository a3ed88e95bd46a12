/**
 * Work of which some is under way at once. What names something that other work under way names as well waits for that: of two that
 * want the same name the first gets it, however long either takes.
 */
export class Lanes {
  readonly #most: number
  readonly #running = new Map<Promise<void>, ReadonlySet<string>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Begins work as soon as it may; resolves when it has begun. Rejects when something under way has failed. */
  async begin(names: ReadonlySet<string>, work: () => Promise<void>): Promise<void> {
    for (let wait = this.#before(names); wait; wait = this.#before(names)) await wait
    const running = work().finally(() => this.#running.delete(running))
    // Told by who waits for it.
    running.catch(() => {})
    this.#running.set(running, names)
  }

  /** Resolves when all is done; rejects with the first failure, when nothing is under way any more. */
  async end(): Promise<void> {
    const done = await Promise.allSettled(this.#running.keys())
    for (const each of done) if (each.status === 'rejected') throw each.reason
  }

  #before(names: ReadonlySet<string>): Promise<void> | undefined {
    for (const [running, theirs] of this.#running) if (!theirs.isDisjointFrom(names)) return running
    return this.#running.size < this.#most ? undefined : Promise.race(this.#running.keys())
  }
}
