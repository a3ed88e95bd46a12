import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { type Answer, Batch, ResponseTooLarge, type Statement, transactionMode } from './bridge-batch.ts'

/** A running bridge. */
export type Bridge = {
  /** For `neonConfig.fetchEndpoint`. */
  readonly endpoint: string
  close(): Promise<void>
}

export type BridgeOptions = {
  /** Connection string of the one server, `host:port`, that callers may name; its user and database are free. */
  readonly server: string
  /** A free one when absent. */
  readonly port?: number
  /** Bytes of a request, 10 MiB when absent. */
  readonly maximumRequest?: number
  /** Bytes of the rows of an answer, 64 MiB when absent. */
  readonly maximumResponse?: number
  /** Connections per connection string, 40 when absent. */
  readonly connections?: number
}

const mebibyte = 1024 * 1024

/**
 * Serves the HTTP protocol of Neon's serverless driver in front of any Postgres, on 127.0.0.1, so that the same
 * Worker runs against a local server. A batch is one transaction; work goes on when its caller disconnects, as
 * it does on Neon. Throws an Error when the port is taken.
 */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const maximumRequest = options.maximumRequest ?? 10 * mebibyte
  const maximumResponse = options.maximumResponse ?? 64 * mebibyte
  const allowed = serverOf(options.server)
  const pools = new Map<string, pg.Pool>()

  const poolFor = (connectionString: string): pg.Pool => {
    const known = pools.get(connectionString)
    if (known) return known
    if (serverOf(connectionString) !== allowed)
      throw new Refusal(400, 'this bridge serves one database server only')
    const pool = new pg.Pool({ connectionString, max: options.connections ?? 40, idleTimeoutMillis: 60_000 })
    // A connection that the server ends is replaced at its next use; its batch hears of it by itself.
    pool.on('connect', (client) => client.on('error', () => {}))
    pool.on('error', () => {})
    pools.set(connectionString, pool)
    return pool
  }

  const answer = async (request: IncomingMessage): Promise<string> => {
    if (request.method !== 'POST') throw new Refusal(405, 'only POST is served')
    const connectionString = request.headers['neon-connection-string']
    if (typeof connectionString !== 'string') throw new Refusal(400, 'Neon-Connection-String is missing')
    const pool = poolFor(connectionString)
    const body = parse(await read(request, maximumRequest))
    if (body.queries === undefined) {
      const [only] = await run(pool, new Batch([statement(body)], null, maximumResponse))
      return only ?? ''
    }
    if (!Array.isArray(body.queries)) throw new Refusal(400, 'queries must be an array')
    const mode = transactionMode({
      isolationLevel: header(request, 'neon-batch-isolation-level'),
      readOnly: header(request, 'neon-batch-read-only'),
      deferrable: header(request, 'neon-batch-deferrable'),
    })
    if (mode === undefined) throw new Refusal(400, 'Neon-Batch-Isolation-Level is not a level')
    const results = await run(pool, new Batch(body.queries.map(statement), mode, maximumResponse))
    return `{"results":[${results.join(',')}]}`
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (text) => send(response, 200, text),
      (error) => {
        const [status, text] = refusal(error)
        send(response, status, text)
      },
    )
  })
  // Idle connections stay open: closing one just as the Worker reuses it would fail that request.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  return {
    endpoint: `http://127.0.0.1:${port}/sql`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
}

class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Body = { query?: unknown; params?: unknown; queries?: unknown }

async function run(pool: pg.Pool, batch: Batch): Promise<Answer[]> {
  const client = await pool.connect()
  client.query(batch)
  try {
    const answers = await batch.done
    // A bare BEGIN as a single query must not reach the next caller.
    client.release(client.getTransactionStatus() !== 'I')
    return answers
  } catch (error) {
    const usable = error instanceof pg.DatabaseError && error.severity !== 'FATAL'
    if (usable && batch.transaction)
      await client.query('rollback').then(() => client.release(), client.release)
    else client.release(!usable)
    throw error
  }
}

function statement(value: Body): Statement {
  const { query, params } = value ?? {}
  if (typeof query !== 'string') throw new Refusal(400, 'query must be a string')
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new Refusal(400, 'params must be an array')
  }
  return { query, values: (params ?? []).map(parameter) }
}

/** The driver sends text and null; other JSON values become the text that Neon makes of them. */
function parameter(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`
  return JSON.stringify(value)
}

function element(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`
  if (typeof value === 'string') return `"${value.replace(/[\\"]/g, '\\$&')}"`
  return typeof value === 'object' ? element(JSON.stringify(value)) : String(value)
}

async function read(request: IncomingMessage, maximum: number): Promise<string> {
  const tooLarge = () => new Refusal(413, `request is too large (max is ${maximum} bytes)`)
  if (Number(request.headers['content-length'] ?? 0) > maximum) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maximum) {
        chunks.length = 0
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    request.on('end', () =>
      resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')),
    )
    request.on('error', reject)
  })
}

function parse(text: string): Body {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null) return body
  } catch {
    // Said below.
  }
  throw new Refusal(400, 'the body must be a JSON object')
}

/** Errors of Postgres must be 400: the driver reads a code from no other status. */
function refusal(error: unknown): [status: number, text: string] {
  if (error instanceof pg.DatabaseError) {
    const { message, severity, code, detail, hint, position, internalPosition, internalQuery } = error
    const { where, schema, table, column, dataType, constraint, file, line, routine } = error
    return [
      400,
      JSON.stringify({
        message,
        severity,
        code,
        detail,
        hint,
        position,
        internalPosition,
        internalQuery,
        where,
        schema,
        table,
        column,
        dataType,
        constraint,
        file,
        line,
        routine,
      }),
    ]
  }
  if (error instanceof Refusal) return [error.status, JSON.stringify({ message: error.message })]
  if (error instanceof ResponseTooLarge) return [507, JSON.stringify({ message: error.message })]
  return [503, JSON.stringify({ message: `the database cannot be reached: ${(error as Error).message}` })]
}

function send(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return
  const bytes = Buffer.from(text)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value.toLowerCase() : undefined
}

function serverOf(connectionString: string): string | undefined {
  try {
    const { hostname, port } = new URL(connectionString.replace(/^[^:]+:/, 'http:'))
    return `${hostname}:${port || (connectionString.startsWith('http') ? '' : '5432')}`
  } catch {
    return undefined
  }
}
