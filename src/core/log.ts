import {
  counting,
  type Database,
  DatabaseError,
  StorageUnavailable,
  TooLargeForStorage,
} from '../db/client.ts'
import { Problem } from './problem.ts'

/** What may be told of an error: our own words of our own errors, and of strangers' ones, whose messages quote data, where they were thrown. */

/** An error whose reason is a word of our own, and may be told to the operator. */
export class SafeError extends Error {
  readonly reason: string

  constructor(name: string, reason: string) {
    super(reason)
    this.name = name
    this.reason = reason
  }
}

/** An error as the log has it. */
export type ErrorFields = {
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
export function errorFieldsOf(error: unknown): ErrorFields {
  if (error instanceof Problem) {
    const { cause } = error.extras
    return cause === undefined ? known('Problem', error.kind.slug) : errorFieldsOf(cause)
  }
  if (error instanceof StorageUnavailable) return known(error.name, error.reason)
  if (error instanceof TooLargeForStorage) return known(error.name, error.what)
  if (error instanceof SafeError) return known(error.name, error.reason)
  if (!(error instanceof Error)) return known('unknown', null)
  const { sqlstate = null, constraint = null } = error instanceof DatabaseError ? error : {}
  return { name: nameOf(error), reason: null, sqlstate, constraint, frames: framesOf(error) }
}

function known(name: string, reason: string | null): ErrorFields {
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

/**
 * What the operator is told: one JSON line for each failure, written where it is decided. `.github/logs.md` says of each line what it
 * means and what to do. A line is made of ids, numbers and words of our own, and of nothing that a request, a row or somebody
 * else's message says: so no token, secret, cost or connection string can be in one.
 */

type Level = 'error' | 'warn'

/** What lines tell beside what all of them tell; each name has one meaning. */
type Fields = {
  /** Of the answer. */
  readonly status: number
  /** The slug of the problem that was answered. */
  readonly problem: string
  /** Which of the checks a token did not pass, or why something was not done, in a word of our own. */
  readonly check: string
  readonly reason: string
  /** Milliseconds. */
  readonly thresholdMs: number
  /** Whether keys that were fetched before are used meanwhile. */
  readonly hasKeys: boolean
  readonly queue: string
  /** How many messages, or deliveries. */
  readonly count: number
  /** Attempts of a delivery or of a queue's message, from 1. */
  readonly attempts: number
  readonly subscription: string
  readonly delivery: string | null
  readonly eventId: string
  readonly topic: string
  readonly httpStatus: number | null
}

type Line = { readonly level: Level; readonly fields: readonly (keyof Fields)[] }

/** Every line that there is, by its event. */
export const logEvents = {
  answer_failed: { level: 'error', fields: ['status', 'problem'] },
  budget_exceeded: { level: 'error', fields: ['status', 'problem'] },
  token_refused: { level: 'warn', fields: ['status', 'check'] },
  issuer_unreachable: { level: 'warn', fields: ['reason', 'hasKeys'] },
  rate_limit_unavailable: { level: 'error', fields: [] },
  request_slow: { level: 'warn', fields: ['status', 'thresholdMs'] },
  later_failed: { level: 'error', fields: [] },
  relay_failed: { level: 'error', fields: [] },
  sweep_failed: { level: 'error', fields: [] },
  rebuild_failed: { level: 'error', fields: [] },
  locale_change_failed: { level: 'error', fields: [] },
  housekeeping_failed: { level: 'error', fields: [] },
  consumer_failed: { level: 'error', fields: ['queue', 'count', 'attempts'] },
  messages_dead: { level: 'warn', fields: ['queue', 'count'] },
  message_unreadable: { level: 'warn', fields: ['queue', 'count'] },
  secret_unreadable: { level: 'error', fields: ['subscription', 'delivery'] },
  delivery_waits: { level: 'warn', fields: ['subscription', 'delivery', 'reason'] },
  delivery_unrendered: { level: 'error', fields: ['subscription', 'delivery', 'eventId', 'topic'] },
  attempt_failed: { level: 'error', fields: ['subscription', 'delivery', 'eventId', 'topic', 'attempts'] },
  delivery_given_up: {
    level: 'warn',
    fields: ['subscription', 'delivery', 'eventId', 'topic', 'attempts', 'reason', 'httpStatus'],
  },
  subscription_disabled: { level: 'warn', fields: ['subscription', 'reason'] },
  deliveries_not_released: { level: 'error', fields: ['count'] },
  metrics_failed: { level: 'error', fields: [] },
} as const satisfies Readonly<Record<string, Line>>

export type LogEventName = keyof typeof logEvents

/** What every line tells of the request or work that it belongs to; null where it has none of it, or it is not known yet. */
export type LogFields = {
  /** The tenant's id. */
  readonly tenant: string | null
  /** The `X-Request-Id` of the answer; of a delivery, that of the write that it tells of. */
  readonly requestId: string | null
  /** The operation's name as OpenAPI has it (`listProducts`), a page's path, or the name of the work (`sweep`). */
  readonly operation: string | null
  /** The API version that is spoken. */
  readonly version: string | null
  readonly durationMs: number | null
  /** SQL statements sent for it so far. */
  readonly statements: number | null
  /** Of the W3C Trace Context. */
  readonly traceId: string | null
}

/** What is told of work that belongs to no request. */
export const noRequest: LogFields = {
  tenant: null,
  requestId: null,
  operation: null,
  version: null,
  durationMs: null,
  statements: null,
  traceId: null,
}

type Told<Name extends LogEventName> = Pick<Fields, (typeof logEvents)[Name]['fields'][number]>

/** Writes a line. `error` is what happened, of which `cause` tells what may be told. */
export function log<Name extends LogEventName>(
  event: Name,
  about: LogFields,
  told: Told<Name>,
  error: unknown = null,
): void {
  const { level } = logEvents[event]
  const { tenant, requestId, operation, version, durationMs, statements, traceId } = about
  const cause: ErrorFields | null = error === null ? null : errorFieldsOf(error)
  const line = {
    event,
    level,
    tenant,
    requestId,
    operation,
    version,
    durationMs: durationMs === null ? null : Math.round(durationMs * 10) / 10,
    statements,
    traceId,
    cause,
    ...told,
  }
  console[level](JSON.stringify(line))
}

/** Lines of work that nobody waits for an answer of. */
type WorkLine = Extract<
  LogEventName,
  | 'later_failed'
  | 'relay_failed'
  | 'sweep_failed'
  | 'rebuild_failed'
  | 'locale_change_failed'
  | 'housekeeping_failed'
>

/** Runs work with a database, and logs what it throws with its time and the statements that it sent; then throws it on. */
export async function runInBackground<Result>(
  line: WorkLine,
  about: Partial<LogFields>,
  database: Database,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const started = performance.now()
  const counted = counting(database)
  try {
    return await work(counted)
  } catch (error) {
    const durationMs = performance.now() - started
    log(line, { ...noRequest, ...about, durationMs, statements: counted.statements }, {}, error)
    throw error
  }
}
