import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import * as z from 'zod'
import {
  CallerGone,
  ConnectFailure,
  type Gone,
  type Limits,
  openPool,
  type Pieces,
  ResponseTooLarge,
  runOne,
  runTransaction,
  type Statement,
} from './session.ts'

/** A running bridge. */
export type Bridge = {
  /** For `neonConfig.fetchEndpoint`. */
  readonly endpoint: string
  close(): Promise<void>
}

/** Maximum bytes of a request and of a response: Neon's limit, and the default of its proxy. */
export const sizes = { neon: 64 * 1024 ** 2, openSource: 10 * 1024 ** 2 } as const

export type BridgeOptions = {
  /** Connection string of the one server, `host:port`, that callers may name; its user and database are free. */
  readonly server: string
  /** A free one when absent. */
  readonly port?: number
  /** Bytes of a request; what Neon takes when absent. */
  readonly maximumRequest?: number
  /** Bytes of the JSON of an answer; what Neon gives when absent. */
  readonly maximumResponse?: number
  /** Milliseconds that each message to Postgres is held back, as if it were far away; none when absent. */
  readonly delay?: number
  /** The number of idle connections, 20 by default. More are opened on demand. */
  readonly kept?: number
}

/**
 * Serves the HTTP protocol of Neon's serverless driver in front of any Postgres, on 127.0.0.1, so that the same
 * Worker runs against a local server, under the same limits and failures. Throws an Error when the port is taken.
 */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const { maximumRequest = sizes.neon, maximumResponse = sizes.neon, delay = 0 } = options
  const limits: Limits = { maximum: maximumResponse, delay }
  const allowed = serverOf(options.server)
  const pool = openPool({ kept: options.kept })

  const answer = async (request: IncomingMessage, gone: Gone): Promise<Pieces> => {
    if (request.method !== 'POST') throw new Refusal(400, 'query is not supported')
    const connectionString = request.headers['neon-connection-string']
    if (typeof connectionString !== 'string') throw new Refusal(400, 'Neon-Connection-String is missing')
    if (serverOf(connectionString) !== allowed)
      throw new Refusal(400, 'this bridge serves one database server only')
    const body = bodyIn(await textOf(request, maximumRequest))
    const lease = await pool.lease(connectionString)
    if ('query' in body) return runOne(lease, statementOf(body), limits, gone)
    const results = await runTransaction(lease, body.queries.map(statementOf), limits, gone)
    return [
      '{"results":[',
      ...results.flatMap((pieces, index) => (index === 0 ? pieces : [',', ...pieces])),
      ']}',
    ]
  }

  const server = createServer((request, response) => {
    answer(request, goneOf(response)).then(
      (pieces) => send(response, 200, pieces),
      (error) => {
        const { status, text } = failureOf(error)
        send(response, status, [text])
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
      await pool.close()
    },
  }
}

/** Settles only when the caller disconnects before it was answered. */
function goneOf(response: ServerResponse): Gone {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  response.once('close', () => {
    if (!response.writableEnded) reject(new CallerGone())
  })
  return promise
}

function send(response: ServerResponse, status: number, pieces: Pieces): void {
  if (response.destroyed) return
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

function serverOf(connectionString: string): string | undefined {
  try {
    const { hostname, port } = new URL(connectionString.replace(/^[^:]+:/, 'http:'))
    return `${hostname}:${port || (connectionString.startsWith('http') ? '' : '5432')}`
  } catch {
    return undefined
  }
}

/** A request that is answered without asking Postgres. */
class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A statement, or several as a transaction, in the form in which the driver sends them: values are texts. */
const statement = z.object({ query: z.string(), params: z.array(z.string().nullable()).nullish() })
const requestBody = z.union([statement, z.object({ queries: z.array(statement) })])

const statementOf = ({ query, params }: z.infer<typeof statement>): Statement => ({
  query,
  values: params ?? [],
})

/** @throws Refusal */
function bodyIn(text: string): z.infer<typeof requestBody> {
  try {
    return requestBody.parse(JSON.parse(text))
  } catch {
    throw new Refusal(400, 'the body must be {"query": …, "params": […]} or {"queries": […]}')
  }
}

/** The body of a request as text. @throws Refusal 413 */
async function textOf(request: IncomingMessage, maximum: number): Promise<string> {
  const tooLarge = () => new Refusal(413, `request is too large (max is ${maximum} bytes)`)
  if (Number(request.headers['content-length'] ?? 0) > maximum) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maximum) chunks.push(chunk)
  }
  if (size > maximum) throw tooLarge()
  return Buffer.concat(chunks).toString('utf8')
}

/** The fields of an error of Postgres, with Neon's names; each is in every failure, null where there is nothing to say. */
const fields = [
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'table',
  'column',
  'schema',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const

/**
 * The HTTP response of a failure, as on Neon. An error of a statement is 400, and so are a wrong password and a
 * connection that is lost under way, both without a code; no connection is 500, with a code where Postgres gave one (53300
 * for too many). 413 and 507 are certain not to have committed.
 */
function failureOf(error: unknown): { status: number; text: string } {
  if (error instanceof Refusal) return { status: error.status, text: failureText(error.message) }
  if (error instanceof ResponseTooLarge) return { status: 507, text: failureText(error.message) }
  if (error instanceof ConnectFailure) {
    const { cause } = error
    if (!(cause instanceof pg.DatabaseError)) return { status: 500, text: failureText(error.message) }
    // The proxy itself asks for the password, and has no code for a wrong one.
    if (cause.code?.startsWith('28')) return { status: 400, text: failureText(cause.message) }
    return { status: 500, text: failureText(cause.message, cause) }
  }
  if (error instanceof pg.DatabaseError) return { status: 400, text: failureText(error.message, error) }
  return { status: 400, text: failureText('the connection to the database was lost') }
}

function failureText(message: string, error?: pg.DatabaseError): string {
  const { code = '', severity = '' } = error ?? {}
  const entries = fields.map((name) => [name, error?.[name] ?? null])
  return JSON.stringify({ message, code, severity, ...Object.fromEntries(entries) })
}
