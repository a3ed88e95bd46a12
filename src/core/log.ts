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

type ErrorFields = {
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
function errorFieldsOf(error: unknown): ErrorFields {
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

/**
 * Declares an event: what happened, what an operator does, and the fields that the first text explains. Both texts are Markdown of
 * `.github/docs/log-events.md`.
 */
const eventOf =
  (level: Level) =>
  <const Names extends readonly (keyof Fields)[] = readonly []>(
    meaning: string,
    action: string,
    fields?: Names,
  ) => ({ level, meaning, action, fields: fields ?? [] })
const error = eventOf('error')
const warn = eventOf('warn')

/** The catalogue of all log lines, by event name. */
export const logEvents = {
  answer_failed: error(
    "A response was 5xx. `status`, `problem` (the slug) and `cause` name the reason. `server.storage_unavailable` is no database, `server.timeout` a statement of more than 5 s or a lock of more than 2 s. `auth.issuer_unavailable` is the tenant's issuer, `server.not_ready` the response of `/ready`. `server.invalid_settings` is missing or invalid settings, `server.unexpected` a defect. `server.tenant_suspended` has no line",
    "No database: check Neon's status, then `cause.reason`: `53300` too few connections ([connections](operations.md#connections)), `28P01` a wrong password. Invalid settings: `cause.reason` names them; set them and deploy again, or run `npm start` locally. A defect: report the line",
    ['status', 'problem'],
  ),
  export_failed: error(
    'An export (`Accept: application/x-ndjson`) ended before its last line, because a page could not be read. The caller continues at the last `Next`',
    'Check `cause` as for `answer_failed`',
  ),
  budget_exceeded: error(
    "Neon's proxy rejected a request as too large that the service had accepted. `problem` is the error of the response. Nothing was changed",
    'Report it: a limit of [limits](limits.md) is wrong',
    ['status', 'problem'],
  ),
  token_refused: warn(
    'A response was 400, 401 or 403 because of its token. `check` is the first failed check, [checks](logs.md#checks-of-a-token). The caller only gets `invalid_token`',
    'See the check. An address with more than 100 rejections in ten seconds gets 429, without further lines',
    ['status', 'check'],
  ),
  issuer_unreachable: warn(
    "The keys at the tenant's `jwks_uri` could not be fetched. `reason` is `timeout` (3 s), `connection`, a status such as `http_404`, `too_large` (64 kB) or `no_key_set`. With `hasKeys` earlier keys are used, for up to 24 hours; without, no token can be verified",
    'Ask the issuer. Check `jwks_uri`',
    ['reason', 'hasKeys'],
  ),
  rate_limit_unavailable: error(
    'A rate counter failed. The request was not limited',
    "If it persists, check the `ratelimits` bindings and Cloudflare's status",
  ),
  request_slow: warn(
    'A response took `thresholdMs` or longer: 2,000, or the variable `SLOW_REQUEST`',
    'Compare `statements`: a read usually has 1, a write 2, a repeated write more. With no more than these, the database was waking, or is far away (`placement`). See `Server-Timing` of such a response',
    ['status', 'thresholdMs'],
  ),
  later_failed: error(
    'Work after a response failed: sorting products into a collection whose rules changed, or changing locales',
    'The cron continues it within a minute. If it persists, see `rebuild_failed`',
  ),
  dispatch_failed: error(
    'Fanning out events, or sending deliveries to the queue, failed',
    'The cron of the next minute continues it. If it persists, check the queue and `oldestWaitingEvent` of `/ready`',
  ),
  cron_failed: error(
    'The cron failed for one `tenant`, or for all if it is null. Webhooks may wait, or with the operation `boundaries` the events of offers that start and end',
    'Check `cause` as for `answer_failed`. With a tenant, the others continued',
  ),
  rebuild_failed: error(
    'Sorting products by changed rules failed',
    'Check `cause`. Collections show their previous products meanwhile',
  ),
  locale_change_failed: error(
    'Adding or removing a locale failed',
    'Check `cause`. Searches in a new locale use the words of another locale meanwhile',
  ),
  bulk_operation_failed: error(
    'Performing a bulk operation failed. The job of the next minute continues, and performs no line twice',
    'Check `cause`. `BulkOperationPaused` is the database, as for `answer_failed`',
  ),
  housekeeping_failed: error(
    'Deleting expired rows failed. The next hour tries again',
    'Check `cause`. Tables grow if it persists for a day',
  ),
  consumer_failed: error(
    'Messages of one tenant failed (`count`, tried up to `attempts` times). They are repeated three times',
    'Check `cause`. Afterwards the cron finds their work',
    ['queue', 'count', 'attempts'],
  ),
  message_unreadable: warn(
    'Messages of a `queue`, `count` of them, had another format and were dropped',
    'Find out which other program sends to the queue',
    ['queue', 'count'],
  ),
  secret_unreadable: error(
    'The key in `WEBHOOK_SECRET_KEY` does not decrypt the secret of a `subscription`. Its deliveries wait and no attempt is counted. `delivery` is null for a test',
    'Give the Worker the key of the secret, or ask the subscriber to rotate the secret (`rotate_secret`)',
    ['subscription', 'delivery'],
  ),
  delivery_waits: warn(
    'A delivery waits because of a `reason` of the service, and no attempt is counted: `resolver_unavailable` is DNS over HTTPS. Each delivery has one such line',
    'Check whether `DNS_OVER_HTTPS_URL` responds',
    ['subscription', 'delivery', 'reason'],
  ),
  delivery_unrendered: error(
    'The body of a delivery could not be rendered. It counts as an attempt',
    'Report it: a defect',
    ['subscription', 'delivery', 'eventId', 'topic'],
  ),
  attempt_failed: error(
    'The attempt with the number `attempts` ended without a recorded outcome. It is repeated, perhaps twice',
    'Check `cause`, usually no database',
    ['subscription', 'delivery', 'eventId', 'topic', 'attempts'],
  ),
  delivery_given_up: warn(
    "A delivery is FAILED after `attempts`. `reason` is that of the delivery log, or `unheard_of` if the last attempt was never recorded; `httpStatus` is the receiver's status",
    'Inform the subscriber, who can `retry` or `replay`. `too_large` and `withheld` concern the author of the subscription',
    ['subscription', 'delivery', 'eventId', 'topic', 'attempts', 'reason', 'httpStatus'],
  ),
  subscription_disabled: warn(
    'A `subscription` gets no more deliveries: its receiver answered 410 (`reason` `gone`), or failed for five days (`failing`)',
    'Inform the subscriber, who sets it `ACTIVE` again and uses `replay`',
    ['subscription', 'reason'],
  ),
  deliveries_not_released: error(
    'Claimed deliveries without an attempt, `count` of them, could not be released. Their leases end after 45 s',
    'Check `cause`',
    ['count'],
  ),
  wake_up_failed: error(
    'A call of the Durable Object `WAKE_UP` failed. After `announce`, the write was made without an announcement. After other calls, the cron or `/metrics` queries the database',
    "If it persists, check the binding and Cloudflare's status",
  ),
  metrics_failed: error(
    'A data point was not written. The request was served',
    'Check the binding `METRICS`',
  ),
}

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
  | 'bulk_operation_failed'
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
