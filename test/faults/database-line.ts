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
export type Line = {
  /** Nothing gets through. */
  away: boolean
  /** Applied once for each of `times` writing batches. */
  fault: Fault
  times: number
  /** How many statements the last writing batch had, the settings in front not counted. */
  statements: number
  /** A batch that was given up and is still on its way. */
  held: Send | null
  /** Called before each writing batch; may set the fault for it. */
  before?: (batch: Line) => void
}

/** A line on which nothing goes wrong. */
export function newLine(): Line {
  return { away: false, fault: 'none', times: 0, statements: 0, held: null }
}

/** The line of every tenant that has none of its own. */
export const line = newLine()

/** Lines of single tenants, by id, so that histories of several can run side by side. */
export const lines = new Map<string, Line>()

neonConfig.fetchFunction = async (url: string, init: Send['init']): Promise<Response> => {
  const send = { url, init }
  const line = lineOf(send)
  if (line.away) throw new TypeError('fetch failed')
  if (init.headers['Neon-Batch-Read-Only'] === 'true') return forward(send)
  line.statements = queriesOf(send).length - 1
  line.before?.(line)
  if (line.held) {
    const late = line.held
    line.held = null
    await forward(late)
  }
  if (line.times === 0 || line.fault === 'none') return forward(send)
  line.times -= 1
  if (typeof line.fault === 'object') return forward(broken(send, line.fault))
  if (line.fault === 'response lost' || line.fault === 'lost for long') await forward(send)
  if (line.fault === 'late') line.held = send
  line.away = line.fault === 'lost for long'
  throw new TypeError('fetch failed')
}

/** The settings in front of every batch name its tenant. */
function lineOf(send: Send): Line {
  return lines.get(String(queriesOf(send)[0]?.params[0])) ?? line
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
