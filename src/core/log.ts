import {
  counting,
  type Database,
  DatabaseError,
  StorageUnavailable,
  TooLargeForStorage,
} from '../db/client.ts'
import { Problem } from './problem.ts'

/**
 * Log lines for the operator: one JSON line for each failure, written where the failure is decided. `.github/docs/logs.md`
 * documents each line and what to do.
 * A line contains only ids, numbers and constants. It contains nothing from a request, a row or a third-party message,
 * so no token, secret, cost or connection string can leak. Of third-party errors it has the class and the place of the throw.
 */

/** An error whose reason is a constant of the service, so the log may contain it. */
export class SafeError extends Error {
  readonly reason: string

  constructor(name: string, reason: string) {
    super(reason)
    this.name = name
    this.reason = reason
  }
}

/** An error as the log contains it. */
export type ErrorFields = {
  readonly name: string
  /** A constant of the service; null for third-party errors. */
  readonly reason: string | null
  /** From Postgres. */
  readonly sqlstate: string | null
  readonly constraint: string | null
  /** The innermost frames of the stack, to locate a defect. */
  readonly frames: readonly string[]
}

const maximumFrames = 8

/** The loggable fields of an error; of a problem, those of its cause. */
export function errorFieldsOf(error: unknown): ErrorFields {
  if (error instanceof Problem) {
    const { cause } = error.extras
    return cause === undefined ? safeFields('Problem', error.kind.slug) : errorFieldsOf(cause)
  }
  if (error instanceof StorageUnavailable) return safeFields(error.name, error.reason)
  if (error instanceof TooLargeForStorage) return safeFields(error.name, error.what)
  if (error instanceof SafeError) return safeFields(error.name, error.reason)
  if (!(error instanceof Error)) return safeFields('unknown', null)
  const { sqlstate = null, constraint = null } = error instanceof DatabaseError ? error : {}
  return { name: nameOf(error), reason: null, sqlstate, constraint, frames: framesOf(error) }
}

function safeFields(name: string, reason: string | null): ErrorFields {
  return { name, reason, sqlstate: null, constraint: null, frames: [] }
}

function nameOf({ name }: Error): string {
  return /^\w{1,60}$/.test(name) ? name : 'Error'
}

/** The message may contain lines that look like frames, so the part of the stack before its end is removed first. */
function framesOf({ message, stack = '' }: Error): string[] {
  const trace = message === '' ? stack : stack.replaceAll(message, '')
  const lines = trace.split('\n').map((line) => line.trim())
  return lines.filter((line) => /^at [^"']{1,300}:\d+:\d+\)?$/.test(line)).slice(0, maximumFrames)
}

type Level = 'error' | 'warn'

/** Fields of single events, in addition to the common ones. Each name has one meaning. */
type Fields = {
  /** Of the response. */
  readonly status: number
  /** The slug of the returned problem. */
  readonly problem: string
  /** The failed check of a token, or the reason why an action was skipped, as a constant. */
  readonly check: string
  readonly reason: string
  readonly thresholdMs: number
  /** Whether previously fetched keys are used meanwhile. */
  readonly hasKeys: boolean
  readonly queue: string
  /** The number of messages or deliveries. */
  readonly count: number
  /** Attempts of a delivery or of a queue's message, from 1. */
  readonly attempts: number
  readonly subscription: string
  readonly delivery: string | null
  readonly eventId: string
  readonly topic: string
  readonly httpStatus: number | null
}

type EventDeclaration = { readonly level: Level; readonly fields: readonly (keyof Fields)[] }

/** The catalogue of all log lines, by event name. */
export const logEvents = {
  answer_failed: { level: 'error', fields: ['status', 'problem'] },
  budget_exceeded: { level: 'error', fields: ['status', 'problem'] },
  token_refused: { level: 'warn', fields: ['status', 'check'] },
  issuer_unreachable: { level: 'warn', fields: ['reason', 'hasKeys'] },
  rate_limit_unavailable: { level: 'error', fields: [] },
  request_slow: { level: 'warn', fields: ['status', 'thresholdMs'] },
  later_failed: { level: 'error', fields: [] },
  dispatch_failed: { level: 'error', fields: [] },
  cron_failed: { level: 'error', fields: [] },
  rebuild_failed: { level: 'error', fields: [] },
  locale_change_failed: { level: 'error', fields: [] },
  housekeeping_failed: { level: 'error', fields: [] },
  consumer_failed: { level: 'error', fields: ['queue', 'count', 'attempts'] },
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
} as const satisfies Readonly<Record<string, EventDeclaration>>

export type LogEventName = keyof typeof logEvents

/** The request or work that a line belongs to. A field is null if it does not apply or is not available yet. */
export type LogFields = {
  readonly tenant: string | null
  /** The `X-Request-Id` of the response; for a delivery, that of the write that caused it. */
  readonly requestId: string | null
  /** The OpenAPI operation name (`listProducts`), a page's path, or the name of the work (`dispatch`). */
  readonly operation: string | null
  /** The negotiated API version. */
  readonly version: string | null
  readonly durationMs: number | null
  /** SQL statements sent for it so far. */
  readonly statements: number | null
  /** Of the W3C Trace Context. */
  readonly traceId: string | null
}

/** The fields of work that belongs to no request. */
export const noRequest: LogFields = {
  tenant: null,
  requestId: null,
  operation: null,
  version: null,
  durationMs: null,
  statements: null,
  traceId: null,
}

type EventFields<Name extends LogEventName> = Pick<Fields, (typeof logEvents)[Name]['fields'][number]>

/** Writes a line. `error` is the failure; the line contains its fields as `cause`. */
export function log<Name extends LogEventName>(
  event: Name,
  context: LogFields,
  fields: EventFields<Name>,
  error: unknown = null,
): void {
  const { level } = logEvents[event]
  const { tenant, requestId, operation, version, durationMs, statements, traceId } = context
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
    ...fields,
  }
  console[level](JSON.stringify(line))
}

/** Lines of background work. */
export type WorkEvent = Extract<
  LogEventName,
  | 'later_failed'
  | 'dispatch_failed'
  | 'cron_failed'
  | 'rebuild_failed'
  | 'locale_change_failed'
  | 'housekeeping_failed'
>

/** Runs work with a database. If it fails, logs the error with duration and statement count, and rethrows it. */
export async function runInBackground<Result>(
  event: WorkEvent,
  context: Partial<LogFields>,
  database: Database,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const started = performance.now()
  const countingDatabase = counting(database)
  try {
    return await work(countingDatabase)
  } catch (error) {
    const durationMs = performance.now() - started
    log(event, { ...noRequest, ...context, durationMs, statements: countingDatabase.statements }, {}, error)
    throw error
  }
}
