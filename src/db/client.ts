/**
 * The only file that uses the Neon driver. A request has one `Session`. Each `read` or `write` is a single statement or
 * a batch: one HTTP round trip, one transaction, no branching between its statements.
 */
import { NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import { type Query, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { committedStamps } from './columns.ts'
import { combineQueries, type DatabaseQueries, type Results, type Statement } from './query.ts'
import { arrayText, serialize, templateOf } from './sql.ts'
import { sentWrite, type WriteRequest } from './write-steps.ts'

/** Postgres rejected a statement. Its message may contain parameter values and is not kept. */
export class DatabaseError extends Error {
  readonly sqlstate: string
  readonly constraint: string | undefined
  /** `kind:id` for errors that lock_rows() and reject() raise themselves (class PC), else empty. */
  readonly subject: string

  constructor(sqlstate: string, constraint: string | undefined, subject = '') {
    super(`Postgres ${sqlstate}${constraint ? ` on ${constraint}` : ''}`)
    this.name = 'DatabaseError'
    this.sqlstate = sqlstate
    this.constraint = constraint
    this.subject = subject
  }
}

/** The database was not reached, or its response was lost. */
export class StorageUnavailable extends Error {
  /**
   * The reason as a constant, because a third-party message may contain the connection string: the Postgres code,
   * `timeout`, `http_502` for a response of the database's proxy, else `connection`.
   */
  readonly reason: string
  /** False if nothing can have been committed; otherwise a write may have committed, or may still commit. */
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
  const status = proxyResponse.exec(source.message)?.[1]
  return status === undefined ? 'connection' : `http_${status}`
}

/** How the driver's message reports the proxy's responses other than 400. */
const proxyResponse = /^Server error \(HTTP status (\d+)\): (.*)$/s

/** A batch or its response is larger than the database's proxy allows. Nothing was committed, and a retry does not help. */
export class TooLargeForStorage extends Error {
  readonly what: 'batch' | 'answer'
  /** False if the batch was measured here and never sent; true if the proxy rejected it, so a limit of the service failed. */
  readonly wasSent: boolean

  constructor(what: 'batch' | 'answer', { sent = true } = {}) {
    super(`${what} too large for storage`)
    this.name = 'TooLargeForStorage'
    this.what = what
    this.wasSent = sent
  }
}

/** The tenant's clock equals the reader's: the cached data is current, and nothing was read. */
export class CacheIsCurrent extends Error {
  constructor() {
    super('nothing has changed')
    this.name = 'CacheIsCurrent'
  }
}

// Shared by all cache hits, because no caller needs its stack. Creating a stack takes a twelfth of a cached response's
// cost in the Worker.
const cacheIsCurrent = new CacheIsCurrent()

export type Database = {
  /** With null, statements run outside of any tenant: row security hides the rows of all tenants. */
  open(tenantId: string | null): Session
}

/** The result of a performed write. */
type AppliedWrite = {
  /** The rows that were read back; null if the write reads none. */
  readonly rows: readonly unknown[] | null
  /** The stamps of the changes, in order; null if the write has none. */
  readonly stamps: z.infer<typeof committedStamps> | null
  /** Of a write with a report: its rows, and the prices that the write would change, at most 1,000. */
  readonly report?: readonly unknown[]
  readonly prices?: readonly DifferingPrice[]
}

/** A moment since which a variant has another price in a market. Amounts are in minor units of the currency, or null. */
export type DifferingPrice = {
  readonly market: string
  readonly currency: string
  readonly variant_id: string
  readonly product_id: string
  readonly at: string
  readonly amount_before: number | null
  readonly amount_after: number | null
}

type Send = <Sent extends DatabaseQueries>(queries: Sent) => Promise<Results<Sent>>

/** Batches of statements for one tenant, each one round trip and one transaction. */
export type Session = {
  /**
   * Runs one or several statements on one snapshot, in the order of the names: one call of `run_reads()`.
   * @throws DatabaseError, StorageUnavailable, TooLargeForStorage
   */
  read: Send
  /**
   * Sends a writing batch (READ COMMITTED), in the order of the names.
   * @throws DatabaseError, StorageUnavailable, TooLargeForStorage
   */
  write: Send
  /**
   * Performs a whole write in one statement, which commits itself.
   * @throws DatabaseError, StorageUnavailable, TooLargeForStorage
   */
  apply(write: WriteRequest): Promise<AppliedWrite>
  /** Of a joint write: adds to the number of an owner's active parts. Returns the sum of the changes by the works before this one. */
  addParts?(owner: string, change: number): number
  /** Whether the session stores nothing: see src/http/dry-run.ts. */
  readonly isDryRun?: true
  /** Announces the next writing batch during the reads before it. The batch waits until it is announced. */
  announceWrite(): void
  /** Makes the following reads throw CacheIsCurrent, without reading, if the tenant's clock still equals this one. */
  setCachedClock(cachedClock: string | null): void
  /** The time of the last change of the tenant's catalogue, as the last read found it: UTC, microseconds. */
  readonly clock: string | null
  /** The number of batches and statements, and the milliseconds spent waiting for them. */
  readonly stats: { trips: number; statements: number; milliseconds: number }
  /** Decides the work after the session's commits. `send()` in src/core/write.ts sets it from the plan of each write. */
  readonly followUp: {
    /** True if deliveries may be due; false if no webhook subscription has the topics of the committed changes; null if unknown. */
    hasSubscribers: boolean | null
    /** True if a committed change takes effect automatically within 90 seconds. */
    hasNearSchedule: boolean
    /** True if a bulk operation was created. */
    hasBulkOperation?: true
  }
}

/** Maximum bytes of one batch. Neon accepts 64 MB, its open-source proxy 10 MiB; an isolate holds several at once. */
export const largestBatch = 10_000_000

const statementTimeout = '5000'
const lockTimeout = '2000'
/** Milliseconds until a batch without a response counts as lost. */
const defaultDeadline = 15_000
/** The number of tries when Postgres has no free connection: half a second. */
const connectionTries = 4
/** Writes of a tenant that run at once; others wait for a place. */
export const writersAtOnce = 8
/** The number of tries when other writers of the tenant take all places: about five seconds, so that ten imports at once succeed. */
const writerTries = 14
/** Milliseconds before the second try. They double, up to the longest. */
const firstWait = 50
const longestWait = 500

async function waitAfter(attempt: number): Promise<void> {
  const milliseconds = (0.5 + Math.random()) * Math.min(firstWait * 2 ** (attempt - 1), longestWait)
  await new Promise((done) => setTimeout(done, milliseconds))
}

/**
 * Connects by HTTP. `fetchEndpoint` replaces Neon's URL, for a proxy in front of another Postgres. `announce` runs before each writing
 * batch, and never fails.
 */
export function openDatabase(options: {
  url: string
  fetchEndpoint?: string | undefined
  deadline?: number
  announce?: () => Promise<void>
}): Database {
  if (options.fetchEndpoint) neonConfig.fetchEndpoint = options.fetchEndpoint
  const client = neon(options.url)
  const { deadline = defaultDeadline, announce = async () => {} } = options

  /** Sends one statement, which is its own transaction. Rows are arrays without column names. */
  function sendStatement(text: Query) {
    requireBatchSize([text])
    return untilConnected((signal) =>
      client.query(text.sql, text.params, { arrayMode: true, fetchOptions: { signal } }),
    )
  }

  /** Sends statements as one transaction. */
  function sendBatch(texts: readonly Query[]) {
    requireBatchSize(texts)
    const queries = texts.map((text) => client.query(text.sql, text.params))
    return untilConnected((signal) =>
      client.transaction(queries, { isolationLevel: 'ReadCommitted', fetchOptions: { signal } }),
    )
  }

  async function untilConnected<Answer>(
    attemptRequest: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptRequest(AbortSignal.timeout(deadline))
      } catch (error) {
        const failure = toStorageError(error)
        const isFinal = !(failure instanceof StorageUnavailable) || failure.mayHaveCommitted
        if (isFinal || attempt === connectionTries) throw failure
      }
      await waitAfter(attempt)
    }
  }

  return {
    open(tenantId) {
      const stats = { trips: 0, statements: 0, milliseconds: 0 }
      let clock: string | null = null
      let cachedClock: string | null = null
      let announcement: Promise<void> | null = null
      /** Waits until the next writing batch is announced, then sends it. */
      const announced = async <Result>(trip: () => Promise<Result>): Promise<Result> => {
        const ownAnnouncement = announcement ?? announce()
        announcement = null
        await ownAnnouncement
        return timed(trip)
      }
      const rowsOfReads = async (statements: readonly Statement[]) => {
        stats.statements += 1
        const [[, at] = [], ...lines] = await sendStatement(readsText(tenantId, cachedClock, statements))
        clock = at
        if (clock !== null && clock === cachedClock) throw cacheIsCurrent
        const rows: unknown[][] = statements.map(() => [])
        for (const [nth, line] of lines) rows[nth - 1]?.push(line)
        return rows.map((texts, index) => texts.map(rowOf(statements[index])))
      }
      const timed = async <Result>(trip: () => Promise<Result>): Promise<Result> => {
        const started = performance.now()
        stats.trips += 1
        try {
          return await trip()
        } finally {
          stats.milliseconds += performance.now() - started
        }
      }
      const sendWrite = async (text: Query) => {
        for (let attempt = 1; ; attempt += 1) {
          stats.statements += 1
          const [[result] = []] = await sendStatement(text)
          if (!result.isBusy) return result
          if (attempt === writerTries)
            throw new StorageUnavailable(tooManyWriters, { mayHaveCommitted: false })
          await waitAfter(attempt)
        }
      }
      return {
        stats,
        followUp: { hasSubscribers: null, hasNearSchedule: false },
        get clock() {
          return clock
        },
        announceWrite() {
          announcement ??= announce()
        },
        setCachedClock(at) {
          cachedClock = at
        },
        read(batch) {
          const { statements, take } = combineQueries(batch)
          return timed(async () => take(await rowsOfReads(statements)))
        },
        write(batch) {
          const { statements, take } = combineQueries(batch)
          const texts = [settings(tenantId), ...statements.map(({ query }) => query)].map(serialize)
          stats.statements += texts.length
          return announced(async () => take((await sendBatch(texts)).slice(1)))
        },
        apply(write) {
          const trip = () => sendWrite(applyText(tenantId, write))
          return write.report ? timed(trip) : announced(trip)
        },
      }
    },
  }
}

/** A database that counts the statements of all its sessions. */
export function counting(database: Database): Database & { readonly statements: number } {
  const sessions: Session[] = []
  return {
    open(tenantId) {
      const session = database.open(tenantId)
      sessions.push(session)
      return session
    },
    get statements() {
      return sessions.reduce((sum, { stats }) => sum + stats.statements, 0)
    },
  }
}

/** The first statement of a writing batch. */
function settings(tenantId: string | null): SQL {
  return sql`select set_config('app.tenant', ${tenantId ?? ''}, true),
    set_config('statement_timeout', ${statementTimeout}, true), set_config('lock_timeout', ${lockTimeout}, true)`
}

/** A whole write, including its settings. */
function applyText(tenantId: string | null, write: WriteRequest): Query {
  const apply = sql.identifier(write.report ? 'rehearse_write' : 'apply_write')
  return serialize(
    sql`select ${apply}(${tenantId ?? ''}, ${lockTimeout}, ${sentWrite(write, { writersAtOnce })}::jsonb)`,
  )
}

/** All reads, including their settings, as a call of `run_reads()`. */
function readsText(
  tenantId: string | null,
  cachedClock: string | null,
  statements: readonly Statement[],
): Query {
  const params: unknown[] = []
  const add = (own: readonly unknown[]) => params.push(...own) - own.length
  const templates = statements.map(({ query, selectsLines }, index) => ({
    number: index + 1,
    line: selectsLines ? 'r.line' : 'to_json(r)::text',
    ...templateOf(query),
  }))
  const groups = Map.groupBy(templates, ({ number, line, template }) =>
    isRepeatable(template) ? `${line} ${template}` : number,
  )
  const queries = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first || group.length < fewestRepeated)
      return group.map(({ number, line, template, params: own }) => {
        const from = add(own)
        const numbered = template.replaceAll(placeholders, (_, nth) => `%${from + Number(nth)}$L`)
        return `select ${number}, ${line} from (${numbered}) as r`
      })
    const lists = [
      group.map(({ number }) => number),
      ...first.params.map((_, nth) => group.map((each) => each.params[nth])),
    ]
    return repeatedQuery(first, lists.length, add(lists.map(arrayText)))
  })
  const array = (values: readonly unknown[], first: number) =>
    `array[${values.map((_, index) => `$${first + index}`).join()}]::text[]`
  return {
    sql: `select * from run_reads($1, $2, $3, ${array(queries, 4)}, ${array(params, 4 + queries.length)})`,
    params: [tenantId ?? '', lockTimeout, cachedClock, ...queries, ...params],
  }
}

/** The fewest equal statements that are read as one. */
const fewestRepeated = 4

/** Whether a template can have columns instead of literals: each parameter has an explicit type. */
function isRepeatable(template: string): boolean {
  return !/%\d+\$L(?!::\w)/.test(template)
}

/**
 * One query for equal statements, which Postgres plans once: the values of each parameter are a column. `lists` arrays follow the
 * parameter `from`: the numbers of the statements, then the values of each parameter.
 * Without `offset 0`, Postgres would repeat casts and constants in the conditions of the query. Row security then forbids an index.
 */
function repeatedQuery(
  { template, line }: { readonly template: string; readonly line: string },
  lists: number,
  from: number,
): string {
  const names = Array.from({ length: lists }, (_, index) => `p${index}`)
  const arrays = names.map((_, index) => `%${from + index + 1}$L::${index === 0 ? 'int' : 'text'}[]`)
  const types = new Map([...template.matchAll(typedPlaceholders)].map(([, nth, type]) => [`p${nth}`, type]))
  const columns = names.map((name) => (types.has(name) ? `${name}::${types.get(name)} as ${name}` : name))
  const inColumns = template.replaceAll(typedPlaceholders, (_, nth) => `parameters.p${nth}`)
  const expressions = [...new Set([...inColumns.matchAll(constants)].map(([, expression]) => expression))]
  const computed = expressions.map((expression, index) => `${expression} as c${index}`)
  const query = inColumns.replaceAll(constants, (_, each) => `constants.c${expressions.indexOf(each)}`)
  return `select parameters.p0, ${line}
    from (select ${columns.join()} from unnest(${arrays.join()}) as texts(${names.join()}) offset 0) as parameters
    cross join lateral (select ${computed.join()} offset 0) as constants cross join lateral (${query}) as r`
}

const typedPlaceholders = /%(\d+)\$L::(\w+(?:\[\])?)/g
const constants = /\/\*constant\*\/(.*?)\/\*end\*\//gs
const placeholders = /%(\d+)\$L/g

/** Decodes a line of `run_reads()`. */
function rowOf(statement: Statement | undefined): (line: unknown) => unknown {
  return statement?.selectsLines ? (line) => ({ line }) : (line) => JSON.parse(String(line))
}

/** JSON takes at most six bytes per UTF-16 unit, so only large batches need to be serialized to be measured. */
const maximumBytesOfUnit = 6

/** @throws TooLargeForStorage before anything is sent */
function requireBatchSize(texts: readonly Query[]): void {
  const length = (value: unknown) => (typeof value === 'string' ? value.length : 32)
  const units = texts.reduce(
    (sum, { sql: text, params }) =>
      sum + text.length + params.reduce<number>((total, param) => total + length(param), 0),
    0,
  )
  if (units * maximumBytesOfUnit <= largestBatch) return
  const queries = texts.map(({ sql: query, params }) => ({ query, params }))
  const bytes = new TextEncoder().encode(JSON.stringify(queries)).byteLength
  if (bytes > largestBatch) throw new TooLargeForStorage('batch', { sent: false })
}

function toStorageError(error: unknown): Error {
  if (!(error instanceof NeonDbError)) return new StorageUnavailable(error)
  if (!error.code) return toProxyError(error)
  if (error.code === tooManyConnections)
    return new StorageUnavailable(error.code, { mayHaveCommitted: false })
  const isRaised = error.code.startsWith('PC')
  // Cancelled by the operator, shut down, out of resources, read-only after a failover: not an error of the statement.
  if (/^(57P|08|53|25006|28|3D)/.test(error.code)) return new StorageUnavailable(error.code)
  return new DatabaseError(error.code, error.constraint, isRaised ? error.message : '')
}

const tooManyConnections = '53300'
/** The reason if `apply_write()` never found a free place for another writer of the tenant. */
export const tooManyWriters = 'too_many_writers'

/** The driver parses Postgres codes only from 400 responses. For others, its message contains status and body. */
function toProxyError(error: NeonDbError): StorageUnavailable | TooLargeForStorage {
  const [, status, body = ''] = proxyResponse.exec(error.message) ?? []
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
