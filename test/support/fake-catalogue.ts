import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Body = Record<string, unknown>
type Answer = { status: number; body: unknown; headers?: Record<string, string> }

export type Call = {
  method: string
  path: string
  locale: string | undefined
  key: string | undefined
  body: unknown
}

/**
 * A stand-in for the service, for tests of its local client. It stores categories in memory, and records its requests. `troubles`
 * are its first responses, in turn.
 */
export async function startFakeCatalogue({ token = 'good', pageSize = 30 } = {}) {
  const categories: Body[] = []
  const calls: Call[] = []
  const troubles: (Answer | 'hang up')[] = []

  function answer({ method, body }: Call, authorization: string | undefined, url: URL): Answer {
    if (authorization !== `Bearer ${token}`)
      return { status: 401, body: { message: 'The token is not valid.' } }
    if (method === 'GET') {
      const page = Number(url.searchParams.get('page') ?? 1)
      const member = categories.slice((page - 1) * pageSize, page * pageSize)
      const isLast = page * pageSize >= categories.length
      const view = isLast ? {} : { next: `${url.pathname}?page=${page + 1}` }
      return { status: 200, body: { member, totalItems: categories.length, view } }
    }
    const bodies = body as Body[]
    const violations = bodies.flatMap(({ title }, index) =>
      title ? [] : [{ propertyPath: `[${index}].title`, message: 'This is required.' }],
    )
    if (violations.length > 0) return { status: 422, body: { message: 'Not valid.', violations } }
    categories.push(...bodies)
    return { status: 201, body: { member: bodies } }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const call: Call = {
      method: request.method ?? '',
      path: url.pathname,
      locale: request.headers['service-locale'] as string | undefined,
      key: request.headers['idempotency-key'] as string | undefined,
      body: text === '' ? undefined : JSON.parse(text),
    }
    calls.push(call)
    const trouble = troubles.shift()
    if (trouble === 'hang up') {
      request.socket.destroy()
      return
    }
    const { status, body, headers } = trouble ?? answer(call, request.headers.authorization, url)
    response.writeHead(status, { 'content-type': 'application/ld+json', ...headers })
    response.end(JSON.stringify(body))
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    categories,
    calls,
    troubles,
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}
