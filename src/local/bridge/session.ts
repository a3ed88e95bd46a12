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
  readonly onRow: (values: readonly (string | null)[], fields: readonly Field[]) => void
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
    this.#events.onRow(values, this.#fields)
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
  readonly output: Output
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
  mode: string,
  limits: Limits,
  gone: Gone,
): Promise<Pieces[]> {
  const answers: Pieces[] = []
  const run = sizedAnswers(lease, limits)
  try {
    await Promise.race([command(lease, `START TRANSACTION${mode}`, limits), gone])
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
  return async ({ query, values, output }: Statement): Promise<Pieces> => {
    const rows: string[] = []
    const asked = new StatementExchange(query, values, {
      beforeTrip,
      onRow(row, fields) {
        if (size > maximum) return
        const text = rowText(row, fields, output)
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
    return answerOf(tag, fields, rows, output)
  }
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

function answerOf(
  tag: string,
  fields: readonly Field[],
  rows: readonly string[],
  { isArray }: Output,
): Pieces {
  const words = tag.split(' ')
  const count = Number.parseInt(words.at(-1) ?? '', 10)
  const head = `{"command":${JSON.stringify(words[0])},"rowCount":${Number.isNaN(count) ? null : count},"rowAsArray":${isArray},"fields":${JSON.stringify(fields)},"rows":[`
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

/** Values between Postgres' text and JSON, both ways, as Neon's proxy has them. */

/** How a caller wants its rows. */
export type Output = {
  /** Every value as Postgres prints it; else numbers, truth values, arrays and JSON are JSON. */
  readonly isRaw: boolean
  /** Rows are arrays; else objects. */
  readonly isArray: boolean
}

/** A row as JSON text. */
function rowText(
  values: readonly (string | null)[],
  fields: readonly Field[],
  { isRaw, isArray }: Output,
): string {
  if (isRaw && isArray) return JSON.stringify(values)
  const texts = values.map((value, place) =>
    isRaw || value === null ? JSON.stringify(value) : valueText(value, fields[place]!.dataTypeID),
  )
  if (isArray) return `[${texts.join(',')}]`
  return `{${texts.map((text, place) => `${JSON.stringify(fields[place]!.name)}:${text}`).join(',')}}`
}

/** A parameter as text for Postgres: the driver sends text and null, other JSON becomes its text. */
export function parameterText(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`
  return JSON.stringify(value)
}

function elementText(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`
  if (typeof value === 'string') return `"${value.replace(/[\\"]/g, '\\$&')}"`
  return typeof value === 'object' ? elementText(JSON.stringify(value)) : String(value)
}

/** Types of Postgres by their fixed numbers: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const bool = 16
const integers = new Set([21, 23])
const floats = new Set([700, 701])
const json = new Set([114, 3802])
/** By an array's type, that of its elements. Elements that JSON has no type for are texts, whatever they are. */
const elements = new Map([
  [1000, bool],
  [1005, 21],
  [1007, 23],
  [1021, 700],
  [1022, 701],
  [199, 114],
  [3807, 3802],
  ...[
    1001, 1002, 1003, 1009, 1014, 1015, 1016, 1028, 1041, 1115, 1182, 1183, 1185, 1187, 1231, 1270, 2951, 651,
  ].map((array): [number, number] => [array, 25]),
])

function valueText(value: string, type: number): string {
  if (type === bool) return String(value === 't')
  if (integers.has(type) || json.has(type)) return value
  if (floats.has(type)) {
    // NaN and the infinities have no number in JSON.
    const number = Number(value)
    return JSON.stringify(Number.isFinite(number) ? number : value)
  }
  const element = elements.get(type)
  return element === undefined ? JSON.stringify(value) : arrayText(value, element)
}

/** The elements in the text of an array, between braces, commas and quotes. */
const token = /[{},]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gy

/** An array in JSON; the bounds in front of one that does not begin at 1 are left out. */
function arrayText(value: string, element: number): string {
  token.lastIndex = value.indexOf('{')
  let text = ''
  for (const [all, quoted] of value.matchAll(token)) {
    if (all === '{') text += '['
    else if (all === '}') text += ']'
    else if (all === ',') text += ','
    else if (quoted !== undefined) text += valueText(quoted.replace(/\\(.)/gs, '$1'), element)
    else text += all === 'NULL' ? 'null' : valueText(all, element)
  }
  return text
}
