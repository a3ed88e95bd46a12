/**
 * The file of an export: NDJSON, a line for each row. Later lines replace earlier ones of the same row, so that what changes while
 * the tables are read is appended, and a broken export goes on where it was.
 */
import { closeSync, fsyncSync, openSync, readSync, truncateSync, writeSync } from 'node:fs'
import * as z from 'zod'

const sequence = z.int().min(0)
const byKind = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value)

/** What an export begins with: whose catalogue it is, in which schema, and the event sequence of its first page. */
const header = z.object({
  kind: z.literal('export'),
  format: z.literal(1),
  tenant: z.object({ host: z.string(), name: z.string(), locales: z.array(z.string()).min(1) }),
  /** The newest migration of the database. */
  migration: z.string(),
  sequence,
})
/** From here on, what changed after a sequence is read again. */
const changes = z.object({ kind: z.literal('changes'), after: sequence })
/** The file is whole at this sequence: it has so many rows of each kind, with these checksums. */
const end = z.object({
  kind: z.literal('end'),
  sequence,
  counts: byKind(z.int().min(0)),
  checksums: byKind(z.string()),
  /** Collections whose products were still being sorted by changed rules. */
  rebuilding: z.array(z.string()),
})
const row = z.object({
  kind: z.string(),
  id: z.string(),
  row: byKind(z.json()),
  beside: byKind(z.array(byKind(z.json()))).default({}),
})
const deleted = z.object({ kind: z.string(), id: z.string(), deleted: z.literal(true) })

const line = z.union([header, changes, end, deleted, row])

export type Header = z.infer<typeof header>
export type Changes = z.infer<typeof changes>
export type End = z.infer<typeof end>
/** A row with the rows of other tables that tell of it. */
export type MovedRow = z.infer<typeof row>

/** A mistake that the caller can mend, told without a stack trace. */
export class Refused extends Error {}

/** A line that was read, and where it stands. */
export type ReadLine = { readonly text: string; readonly at: number; readonly bytes: number }

const newline = 10

/** Reads the lines of a file, one at a time; what follows the last line break was never finished, and is left out. */
export function* linesOf(path: string): Generator<ReadLine> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(1 << 20)
    let pending: Buffer[] = []
    let at = 0
    for (let read = 0; (read = readSync(file, chunk)) > 0; ) {
      let from = 0
      for (let to = 0; (to = chunk.subarray(0, read).indexOf(newline, from)) >= 0; from = to + 1) {
        const whole = Buffer.concat([...pending, chunk.subarray(from, to)])
        pending = []
        yield { text: whole.toString('utf8'), at, bytes: whole.length }
        at += whole.length + 1
      }
      if (from < read) pending.push(Buffer.from(chunk.subarray(from, read)))
    }
  } finally {
    closeSync(file)
  }
}

/** A line as what it tells. @throws Refused where it is of no export */
export function parsedLine({ text, at }: Pick<ReadLine, 'text' | 'at'>): z.infer<typeof line> {
  const read = line.safeParse(jsonIn(text))
  if (read.success) return read.data
  throw new Refused(`This is no export: what stands at byte ${at} is no line of one.`)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Appends lines to a file, which its owner alone may read: it has what goods cost. */
export class LineWriter {
  readonly #file: number

  /** `keep` bytes of what is there stay. */
  constructor(path: string, keep: number) {
    this.#file = openSync(path, 'a', 0o600)
    truncateSync(path, keep)
  }

  write(lines: readonly string[]): void {
    if (lines.length > 0) writeSync(this.#file, `${lines.join('\n')}\n`)
  }

  close(): void {
    fsyncSync(this.#file)
    closeSync(this.#file)
  }
}
