import { neonConfig } from '@neondatabase/serverless'

/**
 * What the line to the database does to the next writing batch:
 * - `request lost`: it never arrives.
 * - `response lost`: it commits, and nobody hears of it.
 * - `late`: it is given up, and commits just before the next writing batch arrives.
 * - `lost for long`: it commits, and the database is away from then on.
 * - a statement's index and an SQLSTATE: that statement fails.
 */
export type Fault =
  | 'none'
  | 'request lost'
  | 'response lost'
  | 'late'
  | 'lost for long'
  | { readonly statement: number; readonly sqlstate: string }

type Send = { readonly url: string; readonly init: RequestInit & { headers: Record<string, string> } }

/** The line between this process and its database: Neon's driver in this process, and nowhere else, sends through it. */
export const line = {
  /** Nothing gets through. */
  away: false,
  /** Applied once for each of `times` writing batches. */
  fault: 'none' as Fault,
  times: 0,
  /** How many statements the last writing batch had, the settings in front not counted. */
  statements: 0,
}

let held: Send | null = null

neonConfig.fetchFunction = async (url: string, init: Send['init']): Promise<Response> => {
  if (line.away) throw new TypeError('fetch failed')
  const send = { url, init }
  if (init.headers['Neon-Batch-Read-Only'] === 'true') return forward(send)
  line.statements = queriesOf(send).length - 1
  if (held) {
    const late = held
    held = null
    await forward(late)
  }
  if (line.times === 0 || line.fault === 'none') return forward(send)
  line.times -= 1
  if (typeof line.fault === 'object') return forward(broken(send, line.fault))
  if (line.fault === 'response lost' || line.fault === 'lost for long') await forward(send)
  if (line.fault === 'late') held = send
  line.away = line.fault === 'lost for long'
  throw new TypeError('fetch failed')
}

function forward({ url, init }: Send): Promise<Response> {
  return fetch(url, { ...init, signal: null })
}

const queriesOf = ({ init }: Send): { query: string; params: unknown[] }[] =>
  JSON.parse(init.body as string).queries

function broken(send: Send, { statement, sqlstate }: { statement: number; sqlstate: string }): Send {
  const query = `do $$ begin raise exception 'made to fail' using errcode = '${sqlstate}'; end $$`
  const queries = queriesOf(send).with(statement + 1, { query, params: [] })
  return { ...send, init: { ...send.init, body: JSON.stringify({ queries }) } }
}
