/** HTTP of local commands: a connection to a service, and a client of one tenant that repeats failed requests. */
import { randomUUID } from 'node:crypto'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  Agent as PlainAgent,
  request as plain,
} from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'
import { isIP } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { decodeProtectedHeader } from 'jose'
import { usedDirectory } from '../running.ts'
import { localTenant, option, port, text } from './command.ts'

export type RequestOptions = {
  /** Sent as JSON, but bytes as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Names another host at the same address, also in the TLS handshake. */
  readonly host?: string
}

/** A response of the service. `body` is null if it is empty, and a string if it is not JSON. */
export type Reply = {
  /** `GET /api/products` */
  readonly request: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: unknown
}

export type Connection = {
  /** Begins a request. The caller sends its body, which is JSON of `length` bytes; undefined for no body. */
  begin(
    method: string,
    path: string,
    options: Omit<RequestOptions, 'body'>,
    length: number | undefined,
  ): ClientRequest
  send(method: string, path: string, options?: RequestOptions): Promise<Reply>
  close(): void
}

/**
 * Opens a connection to a service, which follows no redirect. It uses `node:http`, because Node's `fetch` neither resolves
 * `*.localhost` nor sets `Host`, by which the service finds the tenant.
 */
export function openConnection(url: URL, maxSockets: number): Connection {
  const isSecure = url.protocol === 'https:'
  const agent = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, maxSockets })

  const begin: Connection['begin'] = (method, path, { host = url.hostname, headers }, length) =>
    (isSecure ? secure : plain)({
      agent,
      method,
      path,
      // Not every system resolves names below `localhost`.
      host: url.hostname.endsWith('.localhost') ? '127.0.0.1' : withoutBrackets(url.hostname),
      ...(url.port !== '' && { port: url.port }),
      ...(isSecure && isIP(withoutBrackets(host)) === 0 && { servername: host }),
      timeout: 60_000,
      headers: {
        host: url.port === '' ? host : `${host}:${url.port}`,
        accept: 'application/ld+json',
        ...(length !== undefined && {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
          'content-length': length,
        }),
        ...headers,
      },
    })

  function send(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const request = `${method} ${path}`
    const { body } = options
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    return new Promise((resolve, reject) => {
      const call = begin(method, path, options, bytes?.length)
      call.on('timeout', () => {
        const error = new Error(`${request}: no response within a minute`)
        call.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
      })
      call.on('error', reject)
      call.on('response', async (incoming) => {
        const { statusCode: status = 0, headers } = incoming
        try {
          const text = decoded(await buffer(incoming), headers['content-encoding'])
          resolve({ request, status, headers, text, body: parsed(text) })
        } catch (error) {
          reject(error)
        }
      })
      call.end(bytes)
    })
  }

  return { begin, send, close: () => agent.destroy() }
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

function decoded(bytes: Buffer, encoding: string | undefined): string {
  const plain =
    encoding === 'gzip' ? gunzipSync(bytes) : encoding === 'br' ? brotliDecompressSync(bytes) : bytes
  return plain.toString('utf8')
}

function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Headers = Readonly<Record<string, string>>

export type ClientOptions = {
  readonly port: number
  /** The tenant's host name, without port: `acme.localhost`. */
  readonly host: string
  readonly token: string
  /** Called once per request that is answered 401, so that a long run outlives its token. */
  readonly renewToken?: () => Promise<string>
  /** Sent as `Service-Locale`; the tenant's default when absent. */
  readonly locale?: string | undefined
  /** Waits so many milliseconds; replaced in tests. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>
}

/** A connection to one tenant of a service on this machine. */
export type Client = {
  /** Sends one request, again after a temporary failure; rejects only when nothing answers. */
  send(method: Method, path: string, body?: unknown, headers?: Headers): Promise<Reply>
  /** The document at a path; throws `Refusal` for anything but 2xx. */
  read<Document>(path: string): Promise<Document>
  /** POST, PUT or PATCH; returns the response's document and throws `Refusal` for anything but 2xx. */
  write<Document>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    headers?: Headers,
  ): Promise<Document>
  /** Every member of a Hydra list, following `view.next`. */
  list<Member>(path: string): Promise<Member[]>
  close(): void
}

export type Violation = { propertyPath: string; message: string; slug?: string }

/** An answer that is not 2xx. */
export class Refusal extends Error {
  readonly status: number
  readonly violations: readonly Violation[]

  constructor(reply: Pick<Reply, 'status' | 'body'>, token?: string) {
    const { status, body } = reply
    const problem: { message?: unknown; detail?: unknown; title?: unknown; violations?: unknown } =
      typeof body === 'object' && body !== null ? body : {}
    const said = [problem.message, problem.detail, problem.title].find((text) => typeof text === 'string')
    const message = typeof said === 'string' ? said : `The service answered ${status}.`
    super(token === undefined ? message : `${message}${rejectedToken(reply, token)}`)
    this.name = 'Refusal'
    this.status = status
    this.violations = Array.isArray(problem.violations) ? problem.violations : []
  }
}

/** The failed check of a rejected token, as a local service returns it, and the key that signed the token. Empty for other responses. */
export function rejectedToken({ status, body }: Pick<Reply, 'status' | 'body'>, token: string): string {
  if (status !== 401) return ''
  const hint = typeof body === 'object' && body !== null && 'hint' in body ? `\n${body.hint}` : ''
  return `${hint}
The key ${keyIdOf(token)} signed the token. The keys of this command are in ${usedDirectory()}. If the service was started with another
DATA_DIRECTORY, run the command with the same.`
}

function keyIdOf(token: string): string {
  try {
    return decodeProtectedHeader(token).kid ?? 'without an id'
  } catch {
    return 'without an id'
  }
}

/** Opens a client of a tenant's host on 127.0.0.1. */
export function openClient(options: ClientOptions): Client {
  const { port, host, locale, renewToken, sleep = wait } = options
  const connection = openConnection(new URL(`http://127.0.0.1:${port}`), 8)
  let token = options.token

  async function once(method: Method, path: string, { headers, ...rest }: RequestOptions): Promise<Reply> {
    const send = () =>
      connection.send(method, path, { ...rest, headers: { ...headers, authorization: `Bearer ${token}` } })
    const reply = await send()
    if (reply.status !== 401 || !renewToken) return reply
    token = await renewToken()
    return send()
  }

  async function send(method: Method, path: string, body?: unknown, own?: Headers): Promise<Reply> {
    const headers = {
      ...own,
      ...(locale && { 'service-locale': locale }),
      // One key for every attempt: a write whose answer was lost is answered again, not made again.
      ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
    }
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await once(method, path, { host, headers, body }).catch((error: Error) => error)
      const pause = pauseBefore(attempt + 1, outcome)
      if (pause !== null) await sleep(pause)
      else if (outcome instanceof Error) throw outcome
      else return outcome
    }
  }

  async function demand<Document>(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<Document> {
    const reply = await send(method, path, body, headers)
    if (reply.status < 200 || reply.status > 299) throw new Refusal(reply, token)
    // The one place where a document is believed to have the shape that the interface promises.
    return reply.body as Document
  }

  async function list<Member>(path: string): Promise<Member[]> {
    const members: Member[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const page: HydraList<Member> = await demand('GET', next)
      members.push(...page.member)
      next = page.view?.next && relative(page.view.next)
    }
    return members
  }

  return { send, list, read: (path) => demand('GET', path), write: demand, close: connection.close }
}

/** The options of commands that use the service of `npm start`. */
export const localOptions = {
  tenant: option('NAME', 'the tenant, as in NAME.localhost', localTenant),
  port: option('NUMBER', 'the port of the service, if several run', port.optional()),
  token: option('TOKEN', 'a bearer token; without it, a token as from "npm run token"', text.optional()),
}

/** Opens a client of a tenant of `npm start`. Without a token, it gets one as `npm run token` does, and renews it. */
export async function openLocalClient(
  values: Pick<ClientOptions, 'port' | 'locale'> & { tenant: string; token?: string | undefined },
): Promise<Client> {
  const { tenant, token, ...options } = values
  const host = `${tenant}.localhost`
  if (token !== undefined) return openClient({ ...options, host, token })
  // Imported only here, because a given token needs no local key.
  const { tokenFor } = await import('../token.ts')
  const renewToken = () => tokenFor(tenant)
  return openClient({ ...options, host, token: await renewToken(), renewToken })
}

/** The reason why the service at an address could not be used. Null for other errors. */
export function serviceFault(error: unknown, address: string): string | null {
  if (error instanceof Error && isTransient(error))
    return `Nothing answers at ${address}. Is "npm start" running?`
  if (!(error instanceof Refusal)) return null
  const violations = error.violations.map(({ propertyPath, message }) => `\n  ${propertyPath}: ${message}`)
  return `${address} answered ${error.status}: ${error.message}${violations.join('')}`
}

type HydraList<Member> = { member: Member[]; totalItems?: number; view?: { next?: string } }

function relative(address: string): string {
  const { pathname, search } = new URL(address, 'http://service.invalid')
  return pathname + search
}

const passingErrors = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED'])
const passingStatuses = new Set([502, 503, 504])

/** Attempts for a service that is away; about eight seconds in all. */
const awayAttempts = 5
/** Attempts after a 429. The service is well, so waiting helps. */
const slowDownAttempts = 30

/** True for an error of the connection, after which the same request may be sent again. */
function isTransient(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && passingErrors.has(error.code)
}

/**
 * How many milliseconds to wait before the given attempt (the first retry is attempt 2), or null when the outcome
 * is final. `Retry-After` counts when it is there (RFC 9110 §10.2.3), at most one minute.
 */
export function pauseBefore(
  attempt: number,
  outcome: Pick<Reply, 'status' | 'headers' | 'body'> | Error,
  now = Date.now(),
): number | null {
  if (outcome instanceof Error)
    return isTransient(outcome) && attempt <= awayAttempts ? backoff(attempt) : null
  if (outcome.status === 429) {
    return attempt <= slowDownAttempts ? (retryAfter(outcome, now) ?? backoff(attempt)) : null
  }
  if (passingStatuses.has(outcome.status) || isBusy(outcome)) {
    return attempt <= awayAttempts ? (retryAfter(outcome, now) ?? backoff(attempt)) : null
  }
  return null
}

function backoff(attempt: number): number {
  return Math.min(500 * 2 ** (attempt - 2), 8_000)
}

function retryAfter({ headers }: Pick<Reply, 'headers'>, now: number): number | null {
  const value = headers['retry-after']
  if (!value) return null
  const pause = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(pause) ? null : Math.min(Math.max(pause, 0), 60_000)
}

/** The two 409s that pass by themselves: the first attempt is still running, or other writers won. */
function isBusy({ status, body }: Pick<Reply, 'status' | 'body'>): boolean {
  if (status !== 409 || typeof body !== 'object' || body === null || !('slug' in body)) return false
  return body.slug === 'concurrency.busy' || String(body.slug).startsWith('idempotency.')
}

/** Maps with at most `limit` calls in flight; answers in the order of the items. The first rejection ends it. */
export async function concurrently<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length)
  const queue = items.entries()
  async function worker(): Promise<void> {
    for (const [index, item] of queue) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
