import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plain } from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'
import { isIP } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { NotTried } from './outcome.ts'

export type Asked = {
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Without the token. */
  readonly anonymous?: boolean
  /** Asks for another host at the same address, also in the TLS handshake. */
  readonly host?: string
}

export type Answer = {
  /** `GET /api/products` */
  readonly asked: string
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** Undefined where the body is no JSON. */
  readonly json: unknown
}

/** A service behind an address. Every answer is given as it came: no redirect is followed, no failure is tried again. */
export type Wire = {
  readonly origin: URL
  /** Sends a request; one that is answered 429 is sent again after its `Retry-After`, three times at most. */
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** Sends a request once. */
  once(method: string, path: string, asked?: Asked): Promise<Answer>
  /**
   * Sends a write and cuts the connection so many milliseconds after its last byte, or in the middle of its body. True where
   * it was cut before an answer came.
   */
  cut(method: string, path: string, asked: Asked, when: number | 'in its body'): Promise<boolean>
  /** The same, which also goes on when the run is stopped. */
  readonly unstoppable: Wire
  close(): void
}

export type WireOptions = {
  readonly url: URL
  readonly token: string
  /** Once it is aborted no request begins any more; those that were sent are waited for. */
  readonly signal: AbortSignal
  /** Called with the path of each resource that was made. */
  readonly made: (path: string) => void
}

const patience = 60_000

/** Opens a wire. It speaks through `node:http`, since Node's `fetch` resolves no `*.localhost` and sets no `Host`. */
export function openWire({ url, token, signal, made }: WireOptions): Wire {
  const isSecure = url.protocol === 'https:'
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, maxSockets: Infinity })
    : new PlainAgent({ keepAlive: true, maxSockets: Infinity })

  function begin(method: string, path: string, asked: Asked, text: string | undefined): ClientRequest {
    const { host = url.hostname, headers, anonymous = false } = asked
    const port = url.port === '' ? '' : `:${url.port}`
    return (isSecure ? secure : plain)({
      agent,
      method,
      path,
      host: addressOf(url.hostname),
      ...(url.port !== '' && { port: url.port }),
      ...(isSecure && isIP(bare(host)) === 0 && { servername: host }),
      timeout: patience,
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

  async function send(method: string, path: string, asked: Asked): Promise<Answer> {
    const text = asked.body === undefined ? undefined : JSON.stringify(asked.body)
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = begin(method, path, asked, text)
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no answer within a minute`)))
      call.on('error', reject)
      call.on('response', resolve)
      call.end(text)
    })
    const answer = await answerOf(`${method} ${path}`, incoming)
    if (answer.status === 201 && answer.headers.location)
      made(new URL(answer.headers.location, url.origin).pathname)
    return answer
  }

  function cut(method: string, path: string, asked: Asked, when: number | 'in its body'): Promise<boolean> {
    const text = JSON.stringify(asked.body)
    return new Promise((resolve) => {
      let isAnswered = false
      const call = begin(method, path, { ...asked, headers: { ...asked.headers, connection: 'close' } }, text)
      call.on('response', (incoming) => {
        isAnswered = true
        incoming.resume()
      })
      call.on('error', () => {})
      call.on('close', () => resolve(!isAnswered))
      const end = () => call.destroy()
      if (when === 'in its body') call.write(text.slice(0, text.length / 2), () => setTimeout(end, 5))
      else call.end(text, () => setTimeout(end, when))
    })
  }

  function wire(stopping: AbortSignal | null): Omit<Wire, 'unstoppable'> {
    async function once(method: string, path: string, asked: Asked = {}): Promise<Answer> {
      if (stopping?.aborted) throw new NotTried('stopped')
      return send(method, path, asked)
    }
    return {
      origin: url,
      once,
      async ask(method, path, asked) {
        for (let tries = 1; ; tries += 1) {
          const answer = await once(method, path, asked)
          const seconds = Number(answer.headers['retry-after'])
          if (answer.status !== 429 || tries > 3 || !(seconds <= 60)) return answer
          await sleep(seconds * 1000, null, stopping ? { signal: stopping } : {}).catch(() => {})
        }
      },
      cut,
      close: () => agent.destroy(),
    }
  }

  const steady = wire(null)
  const unstoppable: Wire = {
    ...steady,
    get unstoppable() {
      return unstoppable
    },
  }
  return { ...wire(signal), unstoppable }
}

/** Whether a host is of this machine: a loopback address, or a name that stands for one (RFC 6761 §6.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** The address that is connected to: names below `localhost` are not resolved everywhere. */
function addressOf(hostname: string): string {
  return hostname.endsWith('.localhost') ? '127.0.0.1' : bare(hostname)
}

const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

async function answerOf(asked: string, incoming: IncomingMessage): Promise<Answer> {
  const bytes = await buffer(incoming)
  const encoding = incoming.headers['content-encoding']
  const decoded =
    encoding === 'gzip' ? gunzipSync(bytes) : encoding === 'br' ? brotliDecompressSync(bytes) : bytes
  const text = decoded.toString('utf8')
  return { asked, status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
