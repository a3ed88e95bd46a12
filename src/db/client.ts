/**
 * The only file that knows Neon. A request holds one `Session`; each `read` or `write` is a statement by itself or a batch: one HTTP
 * round trip, one transaction, no branching between its statements.
 */
import { NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import { type SQL, sql } from 'drizzle-orm'
import {
  combineQueries,
  type DatabaseQueries,
  type Results,
  type SingleStatement,
  type Statement,
} from './query.ts'
import { type SentText, sentText, templateText } from './sql-text.ts'

/** Postgres refused a statement. Its message may hold parameter values and is not kept. */
export class DatabaseError extends Error {
  readonly sqlstate: string
  readonly constraint: string | undefined
  /** `kind:id` for the states that guard() and reject() raise themselves (class PC), else empty. */
  readonly subject: string
  readonly found: string | undefined

  constructor(sqlstate: string, constraint: string | undefined, subject = '', found?: string) {
    super(`Postgres ${sqlstate}${constraint ? ` on ${constraint}` : ''}`)
    this.name = 'DatabaseError'
    this.sqlstate = sqlstate
    this.constraint = constraint
    this.subject = subject
    this.found = found
  }
}

/** The database was not reached, or its answer was lost. */
export class StorageUnavailable extends Error {
  /**
   * Why, in our own words, since a stranger's message may hold the connection string: Postgres' code, `timeout`, `http_502` for
   * what its door answered, else `connection`.
   */
  readonly reason: string
  /** False where nothing can have been committed; else a write may have been, or may yet be. */
  readonly mayHaveCommitted: boolean

  constructor(cause: unknown, { mayHaveCommitted = true } = {}) {
    super('storage unavailable', { cause })
    this.name = 'StorageUnavailable'
    this.reason = reasonOf(cause)
    this.mayHaveCommitted = mayHaveCommitted
  }
}

function reasonOf(cause: unknown): string {
  if (typeof cause === 'string') return cause
  const source = cause instanceof NeonDbError ? (cause.sourceError ?? cause) : cause
  if (!(source instanceof Error)) return 'connection'
  if (/^(?:Timeout|Abort)Error$/.test(source.name)) return 'timeout'
  const status = answered.exec(source.message)?.[1]
  return status === undefined ? 'connection' : `http_${status}`
}

/** How the driver tells what the database's door has answered, but for 400. */
const answered = /^Server error \(HTTP status (\d+)\): (.*)$/s

/** A batch or its answer has more bytes than the database's door takes: nothing was committed, and no retry helps. */
export class TooLargeForStorage extends Error {
  readonly what: 'batch' | 'answer'
  /** False where it was weighed here and never sent; else a budget of the service did not hold. */
  readonly sent: boolean

  constructor(what: 'batch' | 'answer', { sent = true } = {}) {
    super(`${what} too large for storage`)
    this.name = 'TooLargeForStorage'
    this.what = what
    this.sent = sent
  }
}

/** The tenant's clock stands where the reader said: what it knows is what there is, and nothing was read. */
export class NotModified extends Error {
  constructor() {
    super('nothing has changed')
    this.name = 'ClockStands'
  }
}

// Thrown at every known answer, where nobody asks for a stack: making one is a twelfth of what such an answer costs in the Worker.
const clockStands = new NotModified()

/** The one door to Postgres. */
export type Database = {
  /** Statements outside any tenant: row security shows them no tenant's rows. */
  open(tenantId: string | null): Session
}

type Send = <Sent extends DatabaseQueries>(readings: Sent) => Promise<Results<Sent>>

/** Batches of statements for one tenant, each one round trip and one transaction. */
export type Session = {
  /** Sends what changes nothing and is of one snapshot: a statement by itself, several as a batch (REPEATABLE READ). @throws DatabaseError, StorageUnavailable, TooLargeForStorage */
  read: Send
  /** Sends a writing batch (READ COMMITTED), in the order of the names; steps that are one statement commit themselves. @throws DatabaseError, StorageUnavailable, TooLargeForStorage */
  write: Send
  /**
   * Has the reads that follow tell the tenant's clock, in `clock`; where it still stands at a moment that is known, they read
   * nothing and throw ClockStands.
   */
  followClock(known: string | null): void
  /** When the tenant's catalogue was last changed, as the last read that followed the clock has found it: UTC, microseconds. */
  readonly clock: string | null
  /** How many batches were sent, with how many statements in all, and the milliseconds spent waiting for them. */
  readonly spent: { trips: number; statements: number; milliseconds: number }
  /** False once it is known that no webhook subscription asked for what was committed; null where nothing is known. */
  awaited: boolean | null
  /** True where what was committed has something happen by itself within two minutes. */
  soon: boolean
}

/** Bytes of one batch as it is sent. Neon takes 64 MB, its open-source proxy 10 MiB; an isolate holds several at once. */
export const largestBatch = 10_000_000

const statementTimeout = '5000'
const lockTimeout = '2000'
/** Milliseconds until a batch whose answer does not come counts as lost. */
const standardDeadline = 15_000
/** How often a batch is sent that Postgres has no connection for, and the milliseconds before the second time. */
const connectionTries = 4
const connectionWait = 50

/** Connects by HTTP. `fetchEndpoint` replaces Neon's address, for a bridge in front of another Postgres. */
export function openDatabase(options: {
  url: string
  fetchEndpoint?: string | undefined
  deadline?: number
}): Database {
  if (options.fetchEndpoint) neonConfig.fetchEndpoint = options.fetchEndpoint
  const client = neon(options.url)
  const { deadline = standardDeadline } = options

  function send(setting: SQL, statements: readonly SQL[], readOnly: boolean) {
    const sent = [setting, ...statements].map(sentText)
    requireFreeSlot(sent)
    const queries = sent.map(({ text, params }) => client.query(text, params))
    return untilConnected((signal) =>
      client.transaction(queries, {
        ...(readOnly ? { readOnly, isolationLevel: 'RepeatableRead' } : { isolationLevel: 'ReadCommitted' }),
        fetchOptions: { signal },
      }),
    )
  }

  /** Sends a statement by itself, which is its own transaction. */
  function sendAlone(statement: SQL) {
    const sent = sentText(statement)
    requireFreeSlot([sent])
    return untilConnected((signal) => client.query(sent.text, sent.params, { fetchOptions: { signal } }))
  }

  /** Sends a statement that only reads by itself; rows without the names of their columns. */
  async function readAlone(sent: SentText): Promise<readonly (readonly unknown[])[]> {
    requireFreeSlot([sent])
    return untilConnected((signal) =>
      client.query(sent.text, sent.params, { arrayMode: true, fetchOptions: { signal } }),
    )
  }

  async function untilConnected<Answer>(ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask(AbortSignal.timeout(deadline))
      } catch (error) {
        const failure = translated(error)
        const isOverfull = failure instanceof StorageUnavailable && !failure.mayHaveCommitted
        if (!isOverfull || attempt === connectionTries) throw failure
      }
      const wait = (0.5 + Math.random()) * connectionWait * 2 ** (attempt - 1)
      await new Promise((done) => setTimeout(done, wait))
    }
  }

  return {
    open(tenantId) {
      const spent = { trips: 0, statements: 0, milliseconds: 0 }
      const followed = { clock: null as string | null }
      let known: string | null | undefined
      const sent = async (statements: readonly Statement[], readOnly: boolean) => {
        const [{ steps } = {}] = readOnly || statements.length > 1 ? [] : statements
        if (steps !== undefined) {
          spent.statements += 1
          return [await sendAlone(writing(tenantId, steps))]
        }
        const [sole] = readOnly && statements.length === 1 ? statements : []
        if (sole) {
          spent.statements += 1
          const clock = known === undefined ? null : (known ?? '')
          const [[at] = [], ...rows] = await readAlone(reading(tenantId, clock, sole))
          if (known !== undefined) followed.clock = typeof at === 'string' ? at : null
          if (known && at === known) throw clockStands
          return [rows.map(rowOf(sole))]
        }
        const queries = statements.map((each) => each.query)
        // The first one makes the settings.
        spent.statements += 1 + queries.length
        if (!readOnly || known === undefined) {
          const [, ...rows] = await send(setting(tenantId), queries, readOnly)
          return rows
        }
        const asked = known ? queries.map(unlessKnown) : queries
        const [entered, ...rows] = await send(entering(tenantId, known), asked, readOnly)
        followed.clock = clockIn(entered)
        if (known && followed.clock === known) throw clockStands
        return rows
      }
      const timed = async <Sent extends DatabaseQueries>(readings: Sent, readOnly: boolean) => {
        const { statements, take } = combineQueries(readings)
        const started = performance.now()
        spent.trips += 1
        try {
          return take(await sent(statements, readOnly))
        } finally {
          spent.milliseconds += performance.now() - started
        }
      }
      return {
        spent,
        awaited: null,
        soon: false,
        get clock() {
          return followed.clock
        },
        followClock(at) {
          known = at
        },
        read: (readings) => timed(readings, true),
        write: (readings) => timed(readings, false),
      }
    },
  }
}

/** A database that counts what all of its sessions send. */
export function counting(database: Database): Database & { readonly statements: number } {
  const sessions: Session[] = []
  return {
    open(tenantId) {
      const session = database.open(tenantId)
      sessions.push(session)
      return session
    },
    get statements() {
      return sessions.reduce((sum, { spent }) => sum + spent.statements, 0)
    },
  }
}

/** What a batch begins with, but for a read that follows the clock. */
function setting(tenantId: string | null): SQL {
  return sql`select set_config('app.tenant', ${tenantId ?? ''}, true),
    set_config('statement_timeout', ${statementTimeout}, true), set_config('lock_timeout', ${lockTimeout}, true)`
}

/** A write that is steps alone, with the settings made in it. */
function writing(tenantId: string | null, steps: string): SQL {
  return sql`select write_alone(${tenantId ?? ''}, ${lockTimeout}, ${steps}::jsonb) as written`
}

/** A read that is one statement, with the settings made in it. */
function reading(tenantId: string | null, known: string | null, sole: Statement): SentText {
  const { function: name, query, given } = sole.alone ?? runBy(sole)
  const { text, params } = query ? templateText(query) : { text: '', params: [] }
  const places = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => `$${from + index}`)
  const values = `array[${places(params.length, 5)}]::text[]`
  return {
    text: `select * from ${name}(${['$1', '$2', '$3', '$4', values, ...places(given.length, 5 + params.length)]})`,
    params: [tenantId ?? '', lockTimeout, known, text, ...params, ...given],
  }
}

function runBy({ query, line }: Statement): SingleStatement {
  const columns = sql.raw(line === undefined ? 'null::text, to_json(r)' : `r.${line}, null::json`)
  return { function: 'read_alone', query: sql`select ${columns} from (${query}) as r`, given: [] }
}

/** A row of what `read_alone()` gives: its one column of text, or all of them as JSON. */
function rowOf({ line }: Statement): (row: readonly unknown[]) => unknown {
  return line === undefined ? ([, told]) => told : ([text]) => ({ [line]: text })
}

/** The same for a read that follows the tenant's clock. */
function entering(tenantId: string | null, known: string | null): SQL {
  return sql`select enter_tenant(${tenantId ?? ''}, ${statementTimeout}, ${lockTimeout}, ${known}) as clock`
}

/** A statement that gives its rows only where the clock stands elsewhere; else it is not run. */
function unlessKnown(query: SQL): SQL {
  return sql`select * from (${query}) as asked where current_setting('app.known') = 'off'`
}

function clockIn(rows: readonly unknown[] | undefined): string | null {
  const [row] = rows ?? []
  const clock = Reflect.get(Object(row), 'clock')
  return typeof clock === 'string' ? clock : null
}

/** JSON makes at most six bytes of a UTF-16 unit, so that only large batches are written out to be weighed. */
const mostBytesOfUnit = 6

/** @throws TooLargeForStorage before anything is sent */
function requireFreeSlot(sent: readonly SentText[]): void {
  const length = (value: unknown) => (typeof value === 'string' ? value.length : 32)
  const units = sent.reduce(
    (sum, { text, params }) =>
      sum + text.length + params.reduce<number>((all, each) => all + length(each), 0),
    0,
  )
  if (units * mostBytesOfUnit <= largestBatch) return
  const bytes = new TextEncoder().encode(JSON.stringify(sent)).byteLength
  if (bytes > largestBatch) throw new TooLargeForStorage('batch', { sent: false })
}

function translated(error: unknown): Error {
  if (!(error instanceof NeonDbError)) return new StorageUnavailable(error)
  if (!error.code) return unanswered(error)
  if (error.code === tooManyConnections)
    return new StorageUnavailable(error.code, { mayHaveCommitted: false })
  const own = error.code.startsWith('PC')
  // Cancelled by the operator, shut down, out of resources, read-only after a failover: the statement was not at fault.
  if (/^(57P|08|53|25006|28|3D)/.test(error.code)) return new StorageUnavailable(error.code)
  return new DatabaseError(
    error.code,
    error.constraint,
    own ? error.message : '',
    own ? error.detail : undefined,
  )
}

const tooManyConnections = '53300'

/** The driver reads Postgres' code from answers of 400 alone; of any other it tells status and body in its message. */
function unanswered(error: NeonDbError): StorageUnavailable | TooLargeForStorage {
  const [, status, body = ''] = answered.exec(error.message) ?? []
  if (status === '413') return new TooLargeForStorage('batch')
  if (status === '507') return new TooLargeForStorage('answer')
  if (status === '500' && codeIn(body) === tooManyConnections)
    return new StorageUnavailable(tooManyConnections, { mayHaveCommitted: false })
  return new StorageUnavailable(error)
}

function codeIn(body: string): unknown {
  try {
    return JSON.parse(body)?.code
  } catch {
    return undefined
  }
}
