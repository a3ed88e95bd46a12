/**
 * What query strings say, once they were read: callers ask with few of them again and again, and to read one is a twentieth of what a
 * product takes the Worker. Nothing is kept of one that has a fault.
 */
import type { Operation } from '../core/operation.ts'
import { type Call, established } from './call.ts'
import { keepNewest } from './newest.ts'

/** A query without fault: what it says in today's names, and the names of it that nobody knows. */
export type ReadQuery = { readonly said: object; readonly ignored: readonly string[] }

/** A thousand take some megabytes at most. */
const most = 1000
const longest = 1000

/** Queries of all operations, of which those go that were kept the longest ago. */
export class KnownQueries {
  readonly #read = new Map<string, ReadQuery>()

  /** What the query of a call was read as. */
  at(operation: Operation, call: Call): ReadQuery | undefined {
    return this.#read.get(keyOf(operation, call))
  }

  keep(operation: Operation, call: Call, read: ReadQuery): void {
    const key = keyOf(operation, call)
    // Who asks next must find what was read, whatever was done with it.
    if (key.length <= longest) keepNewest(this.#read, key, { ...read, said: Object.freeze(read.said) }, most)
  }
}

/** All that reading rests on: absolute IRIs are understood by the origins of the tenant that is asked. */
function keyOf({ method, path }: Operation, { url, origins, dialect, strict }: Call): string {
  const { name } = established(dialect).version
  return `${method} ${path} ${name} ${strict} ${origins.join(' ')}\n${url.search}`
}
