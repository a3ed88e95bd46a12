/**
 * The file of an export: NDJSON, a line for each row. Later lines replace earlier ones of the same row, so that what changes while
 * the tables are read is appended, and a broken export continues where it stopped. The last line ends with a digest of the whole file.
 */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, truncateSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import * as z from 'zod'
import { decodeUtf8, JsonError, parseJson } from '../../core/strict-json.ts'
import { Failure } from '../cli/command.ts'

const sequence = z.int().min(0)
const byKind = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value)

/** The first line of an export: the tenant, the migration, and the event sequence of the first page. */
const header = z.object({
  kind: z.literal('export'),
  format: z.literal(1),
  tenant: z.object({ host: z.string(), name: z.string(), locales: z.tuple([z.string()], z.string()) }),
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
  /** The digest of every byte of the file in front of this member. */
  sha256: z.string().optional(),
})
const row = z.object({
  kind: z.string(),
  id: z.string(),
  row: byKind(z.json()),
  beside: byKind(z.array(byKind(z.json()))).default({}),
})
const deleted = z.object({ kind: z.string(), id: z.string(), deleted: z.literal(true) })

const line = z.union([header, changes, end, deleted, row])

/** A line as its members. */
export type Line = z.infer<typeof line>
export type Header = z.infer<typeof header>
export type Changes = z.infer<typeof changes>
export type End = z.infer<typeof end>
/** A row with the rows of other tables that describe it. */
export type MovedRow = z.infer<typeof row>

/** A line of a file: its number from 1, its first byte and its length in bytes. The text is null if it is not UTF-8. */
export type ReadLine = {
  readonly text: string | null
  readonly number: number
  readonly at: number
  readonly bytes: number
}

const newline = 10
const chunkBytes = 1 << 20

/** Reads the lines of a file, one at a time; what follows the last line break was never finished, and is left out. */
export function* linesOf(path: string): Generator<ReadLine> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let pending: Buffer[] = []
    let [at, number] = [0, 1]
    for (let read = 0; (read = readSync(file, chunk)) > 0; ) {
      let from = 0
      for (let to = 0; (to = chunk.subarray(0, read).indexOf(newline, from)) >= 0; from = to + 1) {
        const whole = Buffer.concat([...pending, chunk.subarray(from, to)])
        pending = []
        yield { text: textOf(whole), number, at, bytes: whole.length }
        at += whole.length + 1
        number += 1
      }
      if (from < read) pending.push(Buffer.from(chunk.subarray(from, read)))
    }
  } finally {
    closeSync(file)
  }
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return decodeUtf8(bytes)
  } catch {
    return null
  }
}

/** Reads one line again from an open file. @throws Failure if the file has changed since the line was read */
export function lineAt(file: number, { at, bytes, number }: Omit<ReadLine, 'text'>): Line {
  const content = Buffer.alloc(bytes)
  readSync(file, content, 0, bytes, at)
  return parsedLine({ text: textOf(content), number })
}

/** Parses a line. @throws Failure for a line that no export has */
export function parsedLine({ text, number }: Pick<ReadLine, 'text' | 'number'>): Line {
  const read = readLine(text)
  if (typeof read !== 'string') return read
  throw new Failure(`Line ${number} ${read}.`)
}

/** A line of an export, or in words what is wrong with it. */
export function readLine(text: string | null): Line | string {
  if (text === null) return 'is not UTF-8'
  let json: unknown
  try {
    json = parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return 'is not JSON that Postgres can store'
    throw error
  }
  const read = line.safeParse(json)
  return read.success ? read.data : 'is no line of an export'
}

/** Appends lines to a file, which its owner alone may read: it has what goods cost. */
export class LineWriter {
  readonly #path: string
  readonly #file: number

  /** `keep` bytes of the existing file stay. */
  constructor(path: string, keep: number) {
    this.#path = path
    this.#file = openSync(path, 'a', 0o600)
    truncateSync(path, keep)
  }

  write(lines: readonly string[]): void {
    if (lines.length > 0) writeSync(this.#file, `${lines.join('\n')}\n`)
  }

  /** Writes the last line, with the digest of the file. */
  seal(end: Omit<End, 'sha256'>): void {
    const opened = JSON.stringify(end).slice(0, -1)
    const digest = hashOf(this.#path, fstatSync(this.#file).size).update(opened).digest('hex')
    this.write([`${opened}${sealed(digest)}`])
  }

  close(): void {
    fsyncSync(this.#file)
    closeSync(this.#file)
  }
}

/** The end of the last line. */
const sealed = (digest: string) => `,"sha256":"${digest}"}`
const sealBytes = sealed('0'.repeat(64)).length + 1

/** Compares the digest at the end of a file with its content. */
export function sealOf(path: string): 'matches' | 'differs' | 'missing' {
  const file = openSync(path, 'r')
  try {
    const content = fstatSync(file).size - sealBytes
    if (content < 0) return 'missing'
    const seal = Buffer.alloc(sealBytes)
    readSync(file, seal, 0, sealBytes, content)
    const [, digest] = /^,"sha256":"([0-9a-f]{64})"\}\n$/.exec(seal.toString('latin1')) ?? []
    if (digest === undefined) return 'missing'
    return hashOf(path, content).digest('hex') === digest ? 'matches' : 'differs'
  } finally {
    closeSync(file)
  }
}

/** Hashes the first bytes of a file. */
function hashOf(path: string, bytes: number): Hash {
  const hash = createHash('sha256')
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let at = 0; at < bytes; ) {
      const read = readSync(file, chunk, 0, Math.min(chunkBytes, bytes - at), at)
      if (read === 0) break
      hash.update(chunk.subarray(0, read))
      at += read
    }
    return hash
  } finally {
    closeSync(file)
  }
}

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
