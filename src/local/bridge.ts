import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CallerGone, type Gone, type Limits, type Pieces, runOne, runTransaction } from './bridge-batch.ts'
import { failureOf } from './bridge-failure.ts'
import { openPool } from './bridge-pool.ts'
import { askedOf, bodyOf, Refusal } from './bridge-request.ts'

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
  /** Beyond so many requests in a second the answer is 500; without it none are counted. */
  readonly requestsPerSecond?: number
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
  const demandPlace = counter(options.requestsPerSecond)

  const answer = async (request: IncomingMessage, gone: Gone): Promise<Pieces> => {
    if (request.method !== 'POST') throw new Refusal(400, 'query is not supported')
    demandPlace()
    const connectionString = request.headers['neon-connection-string']
    if (typeof connectionString !== 'string') throw new Refusal(400, 'Neon-Connection-String is missing')
    if (serverOf(connectionString) !== allowed)
      throw new Refusal(400, 'this bridge serves one database server only')
    const asked = askedOf(await bodyOf(request, maximumRequest), request.headers)
    const lease = await pool.lease(connectionString)
    if ('statement' in asked) return runOne(lease, asked.statement, limits, gone)
    const results = await runTransaction(lease, asked.statements, asked.mode, limits, gone)
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

/** Counts requests by the second. */
function counter(most: number | undefined): () => void {
  let second = 0
  let count = 0
  return () => {
    const now = Math.floor(Date.now() / 1000)
    count = now === second ? count + 1 : 1
    second = now
    if (most !== undefined && count > most) throw new Refusal(500, 'too many requests')
  }
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
