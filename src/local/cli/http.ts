import { randomUUID } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ClientOptions = {
  port: number
  /** The tenant's host name, without port: `acme.localhost`. */
  host: string
  token: string
  /** Called once per request that is answered 401, so that a long run outlives its token. */
  renewToken?: () => Promise<string>
  /** Sent as `Service-Locale`; the tenant's default when absent. */
  locale?: string
  /** Waits so many milliseconds; replaced in tests. */
  sleep?: (milliseconds: number) => Promise<unknown>
}

/** A connection to one tenant of a service on this machine. */
export type Client = {
  /** Sends one request, again when the trouble is a passing one; rejects only when nothing answers. */
  send(method: Method, path: string, body?: unknown): Promise<Reply>
  /** The document at a path; throws `Refusal` for anything but 2xx. */
  read<Document>(path: string): Promise<Document>
  /** POST, PUT or PATCH, giving the document answered; throws `Refusal` for anything but 2xx. */
  write<Document>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<Document>
  /** Every member of a Hydra list, following `view.next`. */
  list<Member>(path: string): Promise<Member[]>
  /** The same connection, writing and reading another language. */
  inLocale(locale: string): Client
  close(): void
}

export type Violation = { propertyPath: string; message: string }

/** An answer that is not 2xx. */
export class Refusal extends Error {
  readonly status: number
  readonly violations: readonly Violation[]

  constructor({ status, body }: Reply) {
    const problem: { message?: unknown; detail?: unknown; title?: unknown; violations?: unknown } =
      typeof body === 'object' && body !== null ? body : {}
    const said = [problem.message, problem.detail, problem.title].find((text) => typeof text === 'string')
    super(typeof said === 'string' ? said : `The service answered ${status}.`)
    this.name = 'Refusal'
    this.status = status
    this.violations = Array.isArray(problem.violations) ? problem.violations : []
  }
}

/**
 * Opens a connection to a tenant's host on 127.0.0.1. It uses `node:http` because Node's `fetch` neither
 * resolves `*.localhost` nor lets a caller set `Host`, by which the service knows its tenant.
 */
export function openClient(options: ClientOptions): Client {
  const { port, host, renewToken, sleep = wait } = options
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let token = options.token

  async function once(
    method: Method,
    path: string,
    headers: OutgoingHttpHeaders,
    text?: string,
  ): Promise<Reply> {
    const reply = await exchange(
      agent,
      port,
      method,
      path,
      { ...headers, authorization: `Bearer ${token}` },
      text,
    )
    if (reply.status !== 401 || !renewToken) return reply
    token = await renewToken()
    return exchange(agent, port, method, path, { ...headers, authorization: `Bearer ${token}` }, text)
  }

  function speaking(locale: string | undefined): Client {
    async function send(method: Method, path: string, body?: unknown): Promise<Reply> {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers: OutgoingHttpHeaders = {
        host: `${host}:${port}`,
        accept: 'application/ld+json',
        ...(locale && { 'service-locale': locale }),
        ...(text !== undefined && {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
          'content-length': Buffer.byteLength(text),
        }),
        // One key for every attempt: a write whose answer was lost is answered again, not made again.
        ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
      }
      for (let attempt = 1; ; attempt += 1) {
        const outcome = await once(method, path, headers, text).catch((error: Error) => error)
        const pause = pauseBefore(attempt + 1, outcome)
        if (pause === null) {
          if (outcome instanceof Error) throw outcome
          return outcome
        }
        await sleep(pause)
      }
    }

    async function demand<Document>(method: Method, path: string, body?: unknown): Promise<Document> {
      const reply = await send(method, path, body)
      if (reply.status < 200 || reply.status > 299) throw new Refusal(reply)
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

    return {
      send,
      list,
      read: (path) => demand('GET', path),
      write: (method, path, body) => demand(method, path, body),
      inLocale: speaking,
      close: () => agent.destroy(),
    }
  }

  return speaking(options.locale)
}

export type HydraList<Member> = { member: Member[]; totalItems?: number; view?: { next?: string } }

/** True when this is an error of the connection and not an answer. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Error && isTransient(error)
}

function relative(address: string): string {
  const { pathname, search } = new URL(address, 'http://service.invalid')
  return pathname + search
}

function exchange(
  agent: Agent,
  port: number,
  method: Method,
  path: string,
  headers: OutgoingHttpHeaders,
  text: string | undefined,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      { agent, host: '127.0.0.1', port, method, path, headers, timeout: 60_000 },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const body = parsed(Buffer.concat(chunks).toString('utf8'))
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
        })
      },
    )
    call.on('timeout', () =>
      call.destroy(Object.assign(new Error('no answer within a minute'), { code: 'ETIMEDOUT' })),
    )
    call.on('error', reject)
    call.end(text)
  })
}

function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A response of the service. `body` is null if it is empty, and a string if it is not JSON. */
export type Reply = { status: number; headers: IncomingHttpHeaders; body: unknown }

const passingErrors = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'UND_ERR_SOCKET',
])
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
export function pauseBefore(attempt: number, outcome: Reply | Error, now = Date.now()): number | null {
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

function retryAfter({ headers }: Reply, now: number): number | null {
  const value = headers['retry-after']
  if (!value) return null
  const pause = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(pause) ? null : Math.min(Math.max(pause, 0), 60_000)
}

/** The two 409s that pass by themselves: the first attempt is still running, or other writers won. */
function isBusy({ status, body }: Reply): boolean {
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
