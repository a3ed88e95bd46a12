import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { neonConfig } from '@neondatabase/serverless'
import type pg from 'pg'
import { connected, databaseUrls } from '../support/database.ts'
import { onlyReads } from '../support/reads.ts'

/**
 * The faults of the line to the database, for the next writing batch:
 * - `request lost`: it never arrives.
 * - `response lost`: it commits, and its response is lost.
 * - `late`: the client stops waiting, and it commits just before the next writing batch arrives.
 * - `lost for long`: it commits, and the database is away from then on.
 * - `cancelled`: its caller disconnects while the database works at it, with everything done but the COMMIT.
 * - `cancelled for long`: the same, and the database is away from then on.
 * - a statement's index and an SQLSTATE: that statement fails.
 */
export type Fault =
  | 'none'
  | 'request lost'
  | 'response lost'
  | 'late'
  | 'lost for long'
  | 'cancelled'
  | 'cancelled for long'
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
  /** A batch that the client stopped waiting for, and that is still under way. */
  held: Send | null
  /** Resolves when Postgres has rolled back the last cancelled batch. */
  rolledBack: () => Promise<unknown>
  /** Whether a step of a rebuild of prices is lost, before or after it commits. Called for each step. */
  rebuildLoss: () => 'before' | 'after' | null
  /** Called before each writing batch; may set the fault for it. */
  before?: (batch: Line) => void
}

/** A line on which nothing goes wrong. */
export function newLine(): Line {
  return {
    away: false,
    fault: 'none',
    times: 0,
    statements: 0,
    held: null,
    rolledBack: async () => {},
    rebuildLoss: () => null,
  }
}

/** The line of every tenant without its own. */
export const line = newLine()

/** Lines of single tenants, by id, so that histories of several can run side by side. */
export const lines = new Map<string, Line>()

neonConfig.fetchFunction = async (url: string, init: Send['init']): Promise<Response> => {
  const send = { url, init }
  const line = lineOf(send)
  if (line.away) throw new TypeError('fetch failed')
  if (onlyReads(init)) return forward(send)
  const rebuildLoss = isRebuildStep(init.body) ? line.rebuildLoss() : null
  if (rebuildLoss) {
    if (rebuildLoss === 'after') await forward(send)
    throw new TypeError('fetch failed')
  }
  line.statements = queriesOf(send).length - (isAlone(send) ? 0 : 1)
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
  if (line.fault === 'cancelled' || line.fault === 'cancelled for long') {
    line.rolledBack = await cancelled(send)
  }
  line.away = line.fault === 'lost for long' || line.fault === 'cancelled for long'
  throw new TypeError('fetch failed')
}

/** Whether the text of a write is a step of a rebuild of prices. */
const isRebuildStep = (text: unknown) => String(text).includes('advance_price_rebuild')

/** The settings in front of every batch name its tenant. */
function lineOf(send: Send): Line {
  return lines.get(String(queriesOf(send)[0]?.params[0])) ?? line
}

function forward({ url, init }: Send): Promise<Response> {
  return fetch(url, { ...init, signal: null })
}

/**
 * Sends a batch that never ends, and disconnects once the database is at its end. Returns a function that waits
 * until it is rolled back, which no client notices: until then its rows are locked.
 */
async function cancelled({ url, init }: Send): Promise<() => Promise<unknown>> {
  const endless = `select pg_sleep(600) /* ${randomUUID()} */`
  const body = JSON.stringify({ queries: [...queriesOf({ url, init }), { query: endless, params: [] }] })
  const caller = new AbortController()
  let isOver = false
  const answer = fetch(url, { ...init, body, signal: caller.signal })
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  await asWorker(async (client) => {
    // Asleep, not only about to be: a cancel request is lost while Postgres waits for a message.
    const asleep = `select from pg_stat_activity where query = $1 and wait_event = 'PgSleep'`
    // A batch that is refused, or waits for others in vain, is over before.
    while (!isOver && (await client.query(asleep, [endless])).rowCount === 0) await sleep(5)
  })
  caller.abort()
  await answer
  return () =>
    asWorker(async (client) => {
      const open = `select from pg_stat_activity where query = $1 and state <> 'idle'`
      while ((await client.query(open, [endless])).rowCount !== 0) await sleep(5)
    })
}

/** Queries as the Worker's role: Postgres shows the query of a connection to its own role only. */
const asWorker = (ask: (client: pg.Client) => Promise<void>) => connected(databaseUrls().appUrl, ask)

type Query = { readonly query: string; readonly params: readonly unknown[] }

/** The statements of a batch, its settings first; or the single one that makes its own settings. */
const queriesOf = ({ init }: Send): Query[] => {
  const body: Query | { queries: Query[] } = JSON.parse(String(init.body))
  return 'queries' in body ? body.queries : [body]
}

const isAlone = ({ init }: Send) => !('queries' in JSON.parse(String(init.body)))

function broken(send: Send, { statement, sqlstate }: { statement: number; sqlstate: string }): Send {
  const query = `do $$ begin raise exception 'made to fail' using errcode = '${sqlstate}'; end $$`
  const queries = queriesOf(send).with(statement + (isAlone(send) ? 0 : 1), { query, params: [] })
  return { ...send, init: { ...send.init, body: JSON.stringify({ queries }) } }
}
