/**
 * Whether this Worker can serve: its database answers within seconds and has the tables and functions that the Worker was built with.
 * The result is cached for a second. While one request queries the database, other requests get the previous result, so
 * frequent requests cost nothing.
 */
import { serverProblems } from '../core/problems/server.ts'
import { type Database, DatabaseError, openDatabase } from '../db/client.ts'
import { type SchemaState, schemaStatement } from '../db/tenants.ts'
import { schemaVersionFile } from '../docs/published.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { waitingWork } from '../resources/housekeeping.ts'

/** Milliseconds for which an answer stands, and after which a database that does not answer is away. */
const life = 1000
const patience = 3000

type ReadinessResult =
  | { readonly at: number; readonly state: ReadinessState }
  | { readonly at: number; readonly error: unknown }

/** Ages are in seconds, and null if nothing waits. */
type ReadinessState = SchemaState & {
  /** Of an event without deliveries. */
  readonly oldestWaitingEvent: number | null
  /** Of the most overdue delivery that a worker could attempt. */
  readonly oldestWaitingDelivery: number | null
  /** Of a start or an end of an offer that is no event yet. */
  readonly oldestBoundary: number | null
  /** Of a row that housekeeping has to delete. */
  readonly oldestExpiredRow: number | null
}

export type Readiness = {
  /** The state that the database reports. @throws Problem 503 `server.not_ready` */
  state(now: Date): Promise<ReadinessState>
}

/** Asks the database behind a set of bindings. */
export function newReadiness(bindings: Bindings): Readiness {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT } = settingsOf(bindings)
  const database = openDatabase({
    url: DATABASE_URL,
    fetchEndpoint: NEON_FETCH_ENDPOINT,
    deadline: patience,
  })
  let result: ReadinessResult | null = null
  let builtVersion: string | null = null
  let queriedAt = Number.NEGATIVE_INFINITY
  return {
    async state(now) {
      const time = now.getTime()
      // A clock that steps back must not make an answer last.
      const isWithin = (span: number, then: number) => Math.abs(time - then) < span
      if (result === null || !(isWithin(life, result.at) || isWithin(patience, queriedAt))) {
        queriedAt = time
        try {
          builtVersion ??= await schemaVersion(bindings)
          result = { at: time, state: await stateOf(database, builtVersion, now) }
        } catch (error) {
          result = { at: time, error }
        }
        queriedAt = Number.NEGATIVE_INFINITY
      }
      return requireReady(result)
    },
  }
}

async function stateOf(database: Database, builtVersion: string | null, now: Date): Promise<ReadinessState> {
  const { rows, waiting } = await database.open(null).read({
    rows: schemaStatement(builtVersion),
    waiting: waitingWork(now, 0, 0),
  })
  const [row] = rows
  if (!row) throw new Error('schema_state() returned no row')
  const longest = (kind: string) => waiting.find((work) => work.kind === kind)?.seconds ?? null
  return {
    ...row.state,
    oldestWaitingEvent: longest('event'),
    oldestWaitingDelivery: longest('delivery'),
    oldestBoundary: longest('boundary'),
    oldestExpiredRow: longest('expired_row'),
  }
}

function requireReady(result: ReadinessResult): ReadinessState {
  if ('state' in result && result.state.migrated !== false) return result.state
  const error = 'error' in result ? result.error : null
  // Without the function, the database has not been migrated.
  const isOld = error === null || (error instanceof DatabaseError && error.sqlstate === undefinedFunction)
  const checks = isOld
    ? { database: 'ok', migrations: 'behind' }
    : { database: 'unreachable', migrations: 'unknown' }
  const cause = isOld ? undefined : error
  const help = isOld
    ? 'The database lacks migrations that this deployment needs. Its operator runs "npm run migrate".'
    : 'The database is unreachable. Retry after the time in Retry-After.'
  throw serverProblems.not_ready(undefined, {
    help,
    members: { checks },
    headers: { 'Retry-After': '5' },
    cause,
  })
}

const undefinedFunction = '42883'

/** The version of the schema that the Worker was built with; null if it has no files. */
async function schemaVersion(bindings: Bindings): Promise<string | null> {
  const { ASSETS } = settingsOf(bindings)
  const answer = await ASSETS?.fetch(`https://assets.invalid${schemaVersionFile}`)
  if (answer?.status !== 200) return null
  const { name } = await answer.json<{ name: string }>()
  return name
}
