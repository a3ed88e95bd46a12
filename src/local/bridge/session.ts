/** Statements, transactions and connections of the bridge. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/**
 * The JSON of an answer in pieces. V8 allocates each string of more than 128 kB apart: to join 280 kB took 1.3 ms of CPU,
 * and to encode them in pieces 0.1 ms (Node 24, two cores).
 */
export type Pieces = readonly string[]

export type Statement = {
  readonly query: string
  readonly values: readonly (string | null)[]
}

export type Limits = {
  /** Bytes of an answer's JSON. */
  readonly maximum: number
  /** Milliseconds that each message to Postgres is held back, as if it were far away. */
  readonly delay: number
}

/** The JSON of an answer exceeds the limit; a transaction is rolled back, as on Neon. */
export class ResponseTooLarge extends Error {}

/** The caller no longer waits for the response. */
export class CallerGone extends Error {}

/** Rejects with CallerGone when the caller has disconnected. */
export type Gone = Promise<never>

/** Runs a statement outside a transaction and returns its JSON. The connection is released, or closed after a failure. */
export async function runOne(
  lease: Lease,
  statement: Statement,
  limits: Limits,
  gone: Gone,
): Promise<Pieces> {
  try {
    const answer = await Promise.race([sizedAnswers(lease, limits)(statement), gone])
    // A bare BEGIN must not reach the next caller.
    if (lease.client.getTransactionStatus() === 'I') lease.giveBack()
    else lease.giveUp()
    return answer
  } catch (error) {
    if (error instanceof CallerGone) lease.cancel()
    else lease.giveUp()
    throw error
  }
}

/**
 * Runs statements as one transaction and answers the JSON of each. They run as between Neon's proxy and its
 * Postgres, one after the other, between START TRANSACTION and COMMIT. Neon needs two trips for each, so each waits for two
 * delays, with every lock held meanwhile. It ends if the caller disconnects, unless COMMIT was sent.
 */
export async function runTransaction(
  lease: Lease,
  statements: readonly Statement[],
  limits: Limits,
  gone: Gone,
): Promise<Pieces[]> {
  const answers: Pieces[] = []
  const run = sizedAnswers(lease, limits)
  try {
    await Promise.race([command(lease, 'START TRANSACTION ISOLATION LEVEL READ COMMITTED', limits), gone])
    for (const statement of statements) answers.push(await Promise.race([run(statement), gone]))
  } catch (error) {
    if (error instanceof CallerGone) lease.cancel()
    else await rollBack(lease, error, limits)
    throw error
  }
  try {
    await command(lease, 'COMMIT', limits)
  } catch (error) {
    lease.giveUp()
    throw error
  }
  lease.giveBack()
  return answers
}

async function rollBack(lease: Lease, error: unknown, limits: Limits): Promise<void> {
  const isOver =
    error instanceof pg.DatabaseError ? error.severity === 'FATAL' : !(error instanceof ResponseTooLarge)
  if (isOver) return lease.giveUp()
  await command(lease, 'ROLLBACK', limits).then(lease.giveBack, lease.giveUp)
}

async function command({ client }: Lease, text: string, { delay }: Limits): Promise<void> {
  if (delay > 0) await sleep(delay)
  await client.query(text)
}

/** Runs statements one by one and answers the JSON of each, as long as all of it together keeps within the limit. */
function sizedAnswers({ client }: Lease, { maximum, delay }: Limits) {
  let size = 0
  return async ({ query: text, values }: Statement): Promise<Pieces> => {
    if (delay > 0) await sleep(2 * delay)
    const rows: string[] = []
    const query = new pg.Query<(string | null)[]>({ ...asText, text, values: [...values] })
    query.on('row', (row) => {
      if (size > maximum) return
      const json = JSON.stringify(row)
      size += Buffer.byteLength(json) + 1
      // The remaining rows are read and discarded. After the last one the connection can run a ROLLBACK.
      if (size > maximum) rows.length = 0
      else rows.push(json)
    })
    const { promise, resolve, reject } = Promise.withResolvers<Omit<pg.QueryResult, 'rows'>>()
    client.query(query.on('end', resolve).on('error', reject))
    const { command, rowCount, fields } = await promise
    if (size > maximum) throw new ResponseTooLarge(`response is too large (max is ${maximum} bytes)`)
    const head = JSON.stringify({ command, rowCount, rowAsArray: true, fields }).slice(0, -1)
    return [`${head},"rows":[`, ...rows.map((row, index) => (index === 0 ? row : `,${row}`)), ']}']
  }
}

/** Values as Postgres prints them, in arrays, and the protocol that takes one statement only, also for one without parameters. */
const asText = {
  rowMode: 'array',
  queryMode: 'extended',
  types: { getTypeParser: () => (value: string) => value },
}

/** No connection could be made; the cause is what Postgres or the network said. */
export class ConnectFailure extends Error {
  constructor(cause: unknown) {
    super('no connection to the database', { cause })
  }
}

/** A connection that one caller uses until it is released, closed or cancelled. */
export type Lease = {
  readonly client: pg.Client
  /** Keeps it for the next caller, its session reset. */
  giveBack(): void
  /** Closes it, which rolls back its open transaction. */
  giveUp(): void
  /** Cancels the running statement, and closes the connection. */
  cancel(): void
}

/** Connections to one server. */
export type Pool = {
  /** @throws ConnectFailure at once if Postgres has no free connection */
  lease(connectionString: string): Promise<Lease>
  close(): Promise<void>
}

/** As Neon's proxy does, keeps so many connections of all roles and databases together, and opens more as they are wanted. */
export function openPool({ kept: most = 20 }: { kept?: number | undefined } = {}): Pool {
  const idle = new Map<string, pg.Client[]>()
  const open = new Set<pg.Client>()
  let kept = 0

  const take = (connectionString: string): pg.Client | undefined => {
    const client = idle.get(keyOf(connectionString))?.pop()
    if (client) kept -= 1
    return client
  }

  const forget = (connectionString: string, client: pg.Client) => {
    open.delete(client)
    const clients = idle.get(keyOf(connectionString))
    const place = clients?.indexOf(client) ?? -1
    if (place < 0) return
    clients!.splice(place, 1)
    kept -= 1
  }

  const connected = async (connectionString: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString })
    // A connection that the server ends is replaced at its next use. A running statement on it fails.
    client.on('error', () => {})
    client.on('end', () => forget(connectionString, client))
    try {
      await client.connect()
    } catch (error) {
      throw new ConnectFailure(error)
    }
    open.add(client)
    return client
  }

  return {
    async lease(connectionString) {
      const client = take(connectionString) ?? (await connected(connectionString))
      const giveUp = () => void client.end().catch(() => {})
      return {
        client,
        giveUp,
        giveBack() {
          if (kept >= most || !open.has(client)) return giveUp()
          // It is not awaited, because the next statement on the connection runs after it.
          client.query(sessionReset).catch(giveUp)
          const key = keyOf(connectionString)
          const clients = idle.get(key) ?? []
          clients.push(client)
          idle.set(key, clients)
          kept += 1
        },
        cancel: () => cancel(connectionString, client).finally(giveUp),
      }
    },
    async close() {
      await Promise.all([...open].map((client) => client.end().catch(() => {})))
    },
  }
}

/**
 * Neon's proxy takes everything of a session back but the plans that Postgres has kept on the connection: what functions run is
 * planned once. "DISCARD ALL" would drop them as well, so its other parts are named.
 */
export const sessionReset =
  'close all; reset session authorization; reset all; deallocate all; unlisten *; select pg_advisory_unlock_all(); discard temp; discard sequences'

/** A connection serves callers with the same role, database and password. */
function keyOf(connectionString: string): string {
  const { username, password, pathname } = new URL(connectionString)
  return `${username}:${password}${pathname}`
}

/** The code of a cancel request, which replaces the start of a session. */
const cancelRequest = 80877102

/** Resolves when Postgres has passed the request on, or cannot be reached. */
function cancel(connectionString: string, client: pg.Client): Promise<void> {
  // Sent by every server at the start of a session; the types leave them out.
  const { processID, secretKey } = client as pg.Client & { processID: number; secretKey: number }
  const request = Buffer.alloc(16)
  for (const [place, value] of [16, cancelRequest, processID, secretKey].entries())
    request.writeInt32BE(value, place * 4)
  const { hostname, port } = new URL(connectionString)
  return new Promise((resolve) => {
    const socket = connect(Number(port || 5432), hostname, () => socket.write(request))
    socket.on('error', () => {}).once('close', () => resolve())
  })
}
