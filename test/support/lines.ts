/** The log of the service during a test. */
import { vi } from 'vitest'
import type { logEvents } from '../../src/core/log.ts'

type HeardLine = { readonly event: string; readonly [name: string]: unknown }

/** The lines since then: each as it was written, and those of the catalogue of log lines as data. */
export type Heard = {
  readonly texts: string[]
  /** The lines of an event, in their order. */
  readonly of: (event: keyof typeof logEvents) => HeardLine[]
  readonly all: () => HeardLine[]
}

/** Listens to everything that is written to the console, and keeps it from there. Ends with `vi.restoreAllMocks()`. */
export function hear(): Heard {
  const texts: string[] = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...said) => void texts.push(said.map(String).join(' ')))
  const all = () => texts.map((text): HeardLine => JSON.parse(text))
  return { texts, all, of: (event) => all().filter((each) => each.event === event) }
}
