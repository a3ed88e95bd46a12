import { basename } from 'node:path'
import { Failure } from '../cli/command.ts'

/** Faults that are listed at most; the others are counted. */
const mostListed = 20

/** Collects what is wrong with a file, by line. */
export class Faults {
  readonly #name: string
  readonly #listed: string[] = []
  #count = 0

  constructor(path: string) {
    this.#name = basename(path)
  }

  /** Adds a fault of a line, or of the whole file if the line is null. */
  add(line: number | null, text: string): void {
    this.#count += 1
    if (this.#listed.length < mostListed)
      this.#listed.push(`${this.#name}${line === null ? '' : `:${line}`}: ${text}`)
  }

  /** @throws Failure with every listed fault */
  demandNone(): void {
    if (this.#count === 0) return
    const more = this.#count - this.#listed.length
    throw new Failure(
      [
        ...this.#listed,
        ...(more > 0 ? [`${more} more faults are not listed.`] : []),
        'Nothing was restored.',
      ].join('\n'),
    )
  }
}
