/** The messages on a connection to Postgres. Each class is one request, and settles with its response. */

import { connect } from 'node:net'
import pg, { type Connection, type Submittable } from 'pg'

/** A column as Neon's answers describe it, which is how `pg` describes it. */
export type Field = {
  readonly name: string
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
  readonly dataTypeSize: number
  readonly dataTypeModifier: number
  readonly format: string
}

/** A text without parameters and rows, such as COMMIT: one trip. */
class Command implements Submittable {
  readonly done: Promise<void>
  readonly #text: string
  readonly #settle = Promise.withResolvers<void>()

  constructor(text: string) {
    this.#text = text
    this.done = this.#settle.promise
    // Who asked may come to wait for it after it has failed.
    this.done.catch(() => {})
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  handleReadyForQuery(): void {
    this.#settle.resolve()
  }

  handleError(error: Error): void {
    this.#settle.reject(error)
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
}

export type StatementEvents = {
  /** Called before each trip. */
  readonly beforeTrip: () => Promise<void> | undefined
  readonly onRow: (values: readonly (string | null)[]) => void
}

/** A statement that returned: its columns and its tag, such as `INSERT 0 1`. */
export type Returned = { readonly fields: readonly Field[]; readonly tag: string }

/** A statement with parameters, in two trips as Neon's proxy makes them: parsed and described, then bound and executed. */
export class StatementExchange implements Submittable {
  readonly done: Promise<Returned>
  readonly #query: string
  readonly #values: readonly (string | null)[]
  readonly #events: StatementEvents
  readonly #settle = Promise.withResolvers<Returned>()
  #fields: readonly Field[] = []
  #tag = ''
  #connection: Connection | undefined
  #isBound = false

  constructor(query: string, values: readonly (string | null)[], events: StatementEvents) {
    this.#query = query
    this.#values = values
    this.#events = events
    this.done = this.#settle.promise
    this.done.catch(() => {})
  }

  submit(connection: Connection): void {
    this.#connection = connection
    // `pg` passes on the description of rows, but not the message that a statement returns no rows.
    connection.once('noData', this.#bind)
    connection.stream.cork()
    connection.parse({ name: '', text: this.#query, types: [] }, true)
    connection.describe({ type: 'S', name: '' }, true)
    connection.flush()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fields = fields
    void this.#bind()
  }

  handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    this.#events.onRow(values)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#tag = text
  }

  handleReadyForQuery(): void {
    this.#settle.resolve({ fields: this.#fields, tag: this.#tag })
  }

  handleError(error: Error, connection: Connection): void {
    connection.off('noData', this.#bind)
    // After an error Postgres reads on only from a Sync; what is bound has sent its own.
    if (!this.#isBound) connection.sync()
    this.#settle.reject(error)
  }

  handleCopyInResponse(connection: Connection & { sendCopyFail?(reason: string): void }): void {
    connection.sendCopyFail?.('COPY is not served over HTTP')
  }

  handleEmptyQuery(): void {}
  handleCopyData(): void {}
  handlePortalSuspended(): void {}

  readonly #bind = async (): Promise<void> => {
    const connection = this.#connection!
    connection.off('noData', this.#bind)
    const waited = this.#events.beforeTrip()
    if (waited) await waited
    this.#isBound = true
    connection.stream.cork()
    connection.bind({ values: [...this.#values] }, true)
    connection.execute({}, true)
    connection.sync()
    connection.stream.uncork()
  }
}

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
 * Postgres, one after the other and each in two trips, between START TRANSACTION and COMMIT: 2 N + 2 trips, with every lock
 * held meanwhile. It ends if the caller disconnects, unless COMMIT was sent.
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
  if (delay > 0) await pause(delay)
  const asked = new Command(text)
  client.query(asked)
  await asked.done
}

/** Runs statements one by one and answers the JSON of each, as long as all of it together keeps within the limit. */
function sizedAnswers({ client }: Lease, { maximum, delay }: Limits) {
  let size = 0
  const beforeTrip = () => (delay > 0 ? pause(delay) : undefined)
  return async ({ query, values }: Statement): Promise<Pieces> => {
    const rows: string[] = []
    const asked = new StatementExchange(query, values, {
      beforeTrip,
      onRow(row) {
        if (size > maximum) return
        const text = JSON.stringify(row)
        size += Buffer.byteLength(text) + 1
        // The remaining responses are read and discarded. After the last one the connection can run a ROLLBACK.
        if (size > maximum) rows.length = 0
        else rows.push(text)
      },
    })
    const waited = beforeTrip()
    if (waited) await waited
    client.query(asked)
    const { fields, tag } = await asked.done
    if (size > maximum) throw new ResponseTooLarge(`response is too large (max is ${maximum} bytes)`)
    return answerOf(tag, fields, rows)
  }
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

function answerOf(tag: string, fields: readonly Field[], rows: readonly string[]): Pieces {
  const words = tag.split(' ')
  const count = Number.parseInt(words.at(-1) ?? '', 10)
  const head = `{"command":${JSON.stringify(words[0])},"rowCount":${Number.isNaN(count) ? null : count},"rowAsArray":true,"fields":${JSON.stringify(fields)},"rows":[`
  return [head, ...rows.map((row, index) => (index === 0 ? row : `,${row}`)), ']}']
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
          const reset = new Command(sessionReset)
          client.query(reset)
          reset.done.catch(giveUp)
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
