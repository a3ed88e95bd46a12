/** The requests of checks, which wait after a 429 and end after Ctrl-C, and their requirements. A failure names the request id. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { Failed, NotTried } from '../cli/checks.ts'
import { openConnection, type Reply, type RequestOptions } from '../cli/http.ts'

type ServiceRequest = RequestOptions & {
  /** Sends no token. */
  readonly anonymous?: boolean
}

type Send = (method: string, path: string, options?: ServiceRequest) => Promise<Reply>

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
  readonly token?: string
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Once it is aborted, no request begins. Sent requests continue. */
  readonly signal?: AbortSignal
  /** Called with the path of each created resource. */
  readonly onCreated?: (path: string) => void
}

export function openService({ url, token, headers: common, signal, onCreated }: ServiceOptions): Service {
  const connection = openConnection(url, Infinity)
  const withToken = ({ anonymous, headers, ...options }: ServiceRequest): RequestOptions => ({
    ...options,
    headers: {
      ...common,
      ...(token !== undefined && !anonymous && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })

  function requestUntil(stopping: AbortSignal | undefined, attempts: number): Send {
    return async (method, path, options = {}) => {
      for (let attempt = 1; ; attempt += 1) {
        if (stopping?.aborted) throw new NotTried('stopped')
        const reply = await connection.send(method, path, withToken(options))
        const { 'retry-after': wait, location } = reply.headers
        if (reply.status === 201 && location) onCreated?.(new URL(location, url.origin).pathname)
        if (reply.status !== 429 || attempt >= attempts || !(Number(wait) <= 60)) return reply
        await sleep(Number(wait) * 1000, null, stopping ? { signal: stopping } : {}).catch(() => {})
      }
    }
  }

  return {
    origin: url,
    request: requestUntil(signal, 4),
    requestOnce: requestUntil(signal, 1),
    requestAlways: requestUntil(undefined, 4),
    cut(method, path, options, when) {
      const bytes = Buffer.from(JSON.stringify(options.body))
      return new Promise((resolve) => {
        let hasResponse = false
        const headers = { ...options.headers, connection: 'close' }
        const call = connection.begin(method, path, withToken({ ...options, headers }), bytes.length)
        call.on('response', (incoming) => {
          hasResponse = true
          incoming.resume()
        })
        call.on('error', () => {})
        call.on('close', () => resolve(!hasResponse))
        const end = () => call.destroy()
        if (when === 'in its body') call.write(bytes.subarray(0, bytes.length / 2), () => setTimeout(end, 5))
        else call.end(bytes, () => setTimeout(end, when))
      })
    },
    close: connection.close,
  }
}

export const product = z.looseObject({
  '@id': z.string(),
  title: z.string(),
  vendor: z.string().nullish(),
  status: z.string(),
  version: z.int(),
})

export const products = z.looseObject({ member: z.array(product), totalItems: z.int() })

const problem = z.looseObject({ slug: z.string(), code: z.string(), type: z.string(), title: z.string() })

/** @throws Failed for another status */
export function requireStatus(response: Reply, status: number): Reply {
  if (response.status !== status) throw new Failed(`${summaryOf(response)} instead of ${status}`)
  return response
}

/** Returns the body. @throws Failed for another status or form */
export function requireBody<Body>(response: Reply, status: number, form: z.ZodType<Body>): Body {
  const result = form.safeParse(requireStatus(response, status).body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Failed(
    `${summaryOf(response)}, with another body than promised: ${issue?.path.join('.')} ${issue?.message}`,
  )
}

/** @throws Failed for another problem, or one that does not agree with the catalogue of error codes */
export function requireProblem(response: Reply, status: number, slug: string): void {
  const document = requireBody(response, status, problem)
  if (document.slug !== slug) throw new Failed(`${summaryOf(response)} instead of ${slug}`)
  if (document.title !== slug || document.type !== `/api/error-codes/${document.code}`)
    throw new Failed(`${summaryOf(response)}, which does not lead to the catalogue of error codes`)
}

/** Returns the entity tag. @throws Failed without one */
export function requireTag(response: Reply): string {
  if (response.headers.etag === undefined) throw new Failed(`${summaryOf(response)} without ETag`)
  return response.headers.etag
}

/** A request and its response in a line. */
export function summaryOf({ request, status, headers, body }: Reply): string {
  const problem = z.looseObject({ slug: z.string() }).safeParse(body)
  const id = headers['x-request-id']
  return `${request} answered ${status}${problem.success ? ` ${problem.data.slug}` : ''}${id ? ` (${id})` : ''}`
}
