/**
 * What query strings say, once they were read: callers ask with few of them again and again, and to read one is a twentieth of what a
 * product takes the Worker. Nothing is kept of one that has a fault.
 */

import { setInLru } from '../core/lru.ts'
import type { Operation } from '../core/operation.ts'
import { type RequestContext, required } from './request.ts'

/** All that a query is read by. */
type Reader = Pick<RequestContext, 'url' | 'origins' | 'dialect' | 'strict'>
type Asked = Pick<Operation, 'method' | 'path'>

/** A query without fault: what it says in today's names, and the names of it that nobody knows. */
export type ReadQuery = { readonly said: object; readonly ignored: readonly string[] }

/** Those of at most so many characters, and with all that they rest on: all together take some megabytes at most. */
const longest = { query: 1000, key: 2000 }
const most = 1000

/** Queries of all operations, of which those go that were asked for the longest ago. */
export class KnownQueries {
  readonly #read = new Map<string, ReadQuery>()

  /** What the query of a call was read as. */
  at(operation: Asked, call: Reader): ReadQuery | undefined {
    const key = keyOf(operation, call)
    const found = this.#read.get(key)
    if (found) setInLru(this.#read, key, found, most)
    return found
  }

  /** Keeps what a query says, but for one that leads to a page: it is asked for once. */
  keep(operation: Asked, call: Reader, { said, ignored }: ReadQuery): void {
    const { search, searchParams } = call.url
    const key = keyOf(operation, call)
    if (search.length > longest.query || key.length > longest.key || searchParams.has('cursor')) return
    setInLru(this.#read, key, { said: unchangeable(said), ignored }, most)
  }
}

/** Who asks next finds what was read, whatever was done with it: values are lists of texts at most. */
function unchangeable(said: object): object {
  for (const value of Object.values(said)) Object.freeze(value)
  return Object.freeze(said)
}

/** All that reading rests on: absolute IRIs are understood by the origins of the tenant that is asked. */
function keyOf({ method, path }: Asked, { url, origins, dialect, strict }: Reader): string {
  const { name } = required(dialect).version
  return `${method} ${path} ${name} ${strict} ${origins.join(' ')}\n${url.search}`
}
