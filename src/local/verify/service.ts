/** The HTTP client of `npm run verify`. It follows no redirect. */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plain } from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'
import { isIP } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** The check cannot run from here, or was not requested. */
export class NotTried extends Error {}

export type RequestOptions = {
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Sends no token. */
  readonly anonymous?: boolean
  /** Names another host at the same address, also in the TLS handshake. */
  readonly host?: string
}

export type HttpResponse = {
  /** `GET /api/products` */
  readonly request: string
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** Undefined if the body is not JSON. */
  readonly json: unknown
}

type Send = (method: string, path: string, options?: RequestOptions) => Promise<HttpResponse>

export type Service = {
  readonly origin: URL
  /** Sends a request. After a 429 it waits for `Retry-After` and sends it again, at most three times. */
  readonly request: Send
  readonly requestOnce: Send
  /**
   * Sends a write, and cuts the connection the given milliseconds after its last byte, or in the middle of its body. True if no
   * response arrived before.
   */
  cut(method: string, path: string, options: RequestOptions, when: number | 'in its body'): Promise<boolean>
  /** `request`, also after the run was stopped. */
  readonly requestAlways: Send
  close(): void
}

export type ServiceOptions = {
  readonly url: URL
  readonly token: string
  /** Once it is aborted, no request begins. Sent requests continue. */
  readonly signal: AbortSignal
  /** Called with the path of each created resource. */
  readonly onCreated: (path: string) => void
}

const timeoutMs = 60_000

/** Uses `node:http`, because Node's `fetch` neither resolves `*.localhost` nor sets `Host`. */
export function openService({ url, token, signal, onCreated }: ServiceOptions): Service {
  const isSecure = url.protocol === 'https:'
  const agent = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, maxSockets: Infinity })

  function begin(
    method: string,
    path: string,
    options: RequestOptions,
    text: string | undefined,
  ): ClientRequest {
    const { host = url.hostname, headers, anonymous = false } = options
    const port = url.port === '' ? '' : `:${url.port}`
    return (isSecure ? secure : plain)({
      agent,
      method,
      path,
      host: addressOf(url.hostname),
      ...(url.port !== '' && { port: url.port }),
      ...(isSecure && isIP(withoutBrackets(host)) === 0 && { servername: host }),
      timeout: timeoutMs,
      headers: {
        host: `${host}${port}`,
        accept: 'application/ld+json',
        ...(!anonymous && { authorization: `Bearer ${token}` }),
        ...(text !== undefined && {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
          'content-length': String(Buffer.byteLength(text)),
        }),
        ...headers,
      },
    })
  }

  const send: Send = async (method, path, options = {}) => {
    const text = options.body === undefined ? undefined : JSON.stringify(options.body)
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = begin(method, path, options, text)
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no response within a minute`)))
      call.on('error', reject)
      call.on('response', resolve)
      call.end(text)
    })
    const response = await responseOf(`${method} ${path}`, incoming)
    if (response.status === 201 && response.headers.location)
      onCreated(new URL(response.headers.location, url.origin).pathname)
    return response
  }

  function cut(
    method: string,
    path: string,
    options: RequestOptions,
    when: number | 'in its body',
  ): Promise<boolean> {
    const text = JSON.stringify(options.body)
    return new Promise((resolve) => {
      let hasResponse = false
      const headers = { ...options.headers, connection: 'close' }
      const call = begin(method, path, { ...options, headers }, text)
      call.on('response', (incoming) => {
        hasResponse = true
        incoming.resume()
      })
      call.on('error', () => {})
      call.on('close', () => resolve(!hasResponse))
      const end = () => call.destroy()
      if (when === 'in its body') call.write(text.slice(0, text.length / 2), () => setTimeout(end, 5))
      else call.end(text, () => setTimeout(end, when))
    })
  }

  function requestUntil(stopping: AbortSignal | null, attempts: number): Send {
    return async (method, path, options) => {
      for (let attempt = 1; ; attempt += 1) {
        if (stopping?.aborted) throw new NotTried('stopped')
        const response = await send(method, path, options)
        const seconds = Number(response.headers['retry-after'])
        if (response.status !== 429 || attempt >= attempts || !(seconds <= 60)) return response
        await sleep(seconds * 1000, null, stopping ? { signal: stopping } : {}).catch(() => {})
      }
    }
  }

  return {
    origin: url,
    request: requestUntil(signal, 4),
    requestOnce: requestUntil(signal, 1),
    requestAlways: requestUntil(null, 4),
    cut,
    close: () => agent.destroy(),
  }
}

/** Whether a host is local: a loopback address, or a name of one (RFC 6761 §6.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** The address to connect to. Not every system resolves names below `localhost`. */
function addressOf(hostname: string): string {
  return hostname.endsWith('.localhost') ? '127.0.0.1' : withoutBrackets(hostname)
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

async function responseOf(request: string, incoming: IncomingMessage): Promise<HttpResponse> {
  const bytes = await buffer(incoming)
  const encoding = incoming.headers['content-encoding']
  const decoded =
    encoding === 'gzip' ? gunzipSync(bytes) : encoding === 'br' ? brotliDecompressSync(bytes) : bytes
  const text = decoded.toString('utf8')
  return { request, status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: jsonIn(text) }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
