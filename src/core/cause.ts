/** What may be told of an error: our own words of our own errors, and of strangers' ones, whose messages quote data, where they were thrown. */
import { DatabaseError, StorageUnavailable, TooLargeForStorage } from '../db/client.ts'
import { Problem } from './problem.ts'

/** An error whose reason is a word of our own, and may be told to the operator. */
export class KnownError extends Error {
  readonly reason: string

  constructor(name: string, reason: string) {
    super(reason)
    this.name = name
    this.reason = reason
  }
}

/** An error as the log has it. */
export type Cause = {
  /** The class of the error. */
  readonly name: string
  /** Why, in a word of our own; null where a stranger threw it. */
  readonly reason: string | null
  /** Of Postgres. */
  readonly sqlstate: string | null
  readonly constraint: string | null
  /** The innermost places of the stack, for a defect. */
  readonly frames: readonly string[]
}

const most = 8

/** What may be told of an error. Of a problem, what it came from. */
export function causeOf(error: unknown): Cause {
  if (error instanceof Problem) {
    const { cause } = error.extras
    return cause === undefined ? known('Problem', error.kind.slug) : causeOf(cause)
  }
  if (error instanceof StorageUnavailable) return known(error.name, error.reason)
  if (error instanceof TooLargeForStorage) return known(error.name, error.what)
  if (error instanceof KnownError) return known(error.name, error.reason)
  if (!(error instanceof Error)) return known('unknown', null)
  const { sqlstate = null, constraint = null } = error instanceof DatabaseError ? error : {}
  return { name: nameOf(error), reason: null, sqlstate, constraint, frames: framesOf(error) }
}

function known(name: string, reason: string | null): Cause {
  return { name, reason, sqlstate: null, constraint: null, frames: [] }
}

function nameOf({ name }: Error): string {
  return /^\w{1,60}$/.test(name) ? name : 'Error'
}

/** A message may hold lines that look like frames: what stands there before the stack is taken away first. */
function framesOf({ message, stack = '' }: Error): string[] {
  const places = message === '' ? stack : stack.replaceAll(message, '')
  const lines = places.split('\n').map((line) => line.trim())
  return lines.filter((line) => /^at [^"']{1,300}:\d+:\d+\)?$/.test(line)).slice(0, most)
}
