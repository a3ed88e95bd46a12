/**
 * The SDK's part: what a message means, in every revision of the protocol that it speaks. It is imported like all else: what
 * a later import shares with the rest, zod above all, esbuild would wrap, and where a package says that it has no side effects
 * nothing opens the wrap.
 */
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { cut } from '../core/cut.ts'
import { isJsonArray, type Json } from '../core/json.ts'
import { serveBatch } from './batch.ts'

export type Tools = {
  readonly list: () => Promise<Tool[]>
  /** Null when there is no such tool. */
  readonly call: (name: string, given: object | undefined) => Promise<CallToolResult | null>
}

/** Serves the messages of one request; always in JSON, since nothing here takes long enough to stream. */
export async function serve(request: Request, body: Json, tools: Tools): Promise<Response> {
  const asked = bare(request)
  if (!(await isLegacyRequest(asked, body))) {
    const options = { responseMode: 'auto', maxSubscriptions: 0, legacy: 'reject' } as const
    const answer = await createMcpHandler(() => serverOf(tools), options).fetch(asked, { parsedBody: body })
    return isSubscription(body) && answer.status === 200 ? methodNotFound(body.id) : answer
  }
  const one = (message: Json) => serveMessage(asked, message, tools)
  return isJsonArray(body) && body.length > 0 ? serveBatch(body, one) : one(body)
}

/** Serves one message of a revision that knows no envelope, by a server of its own. */
async function serveMessage(asked: Request, message: Json, tools: Tools): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  const server = serverOf(tools)
  await server.connect(transport)
  try {
    return await transport.handleRequest(asked, { parsedBody: message })
  } finally {
    await server.close()
  }
}

/**
 * A sound request to be told of changes. No list here says that it changes (`listChanged`), so the method does not exist; the
 * SDK has no switch for that and answers an internal error.
 */
function isSubscription(body: unknown): body is { readonly id: string | number } {
  return typeof body === 'object' && body !== null && Reflect.get(body, 'method') === 'subscriptions/listen'
}

/** As the SDK answers every other method that this server lacks. */
function methodNotFound(id: string | number): Response {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' }
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 404 })
}

/** The request without its body, which is read. Callers that take JSON need not say that they take streams as well. */
function bare({ url, headers }: Request): Request {
  const given = new Headers(headers)
  given.set('accept', 'application/json, text/event-stream')
  return new Request(url, { method: 'POST', headers: given })
}

function serverOf(tools: Tools): Server {
  const server = new Server(
    { name: 'product-catalogue', title: 'Product catalogue', version: '1.0.0' },
    {
      capabilities: { tools: {} },
      instructions: 'Reads the categories of a product catalogue. Nothing here changes anything.',
    },
  )
  server.setRequestHandler('tools/list', async () => ({ tools: await tools.list() }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }) => {
    const result = await tools.call(name, given)
    if (result) return result
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${JSON.stringify(cut(name, 100))}`,
    )
  })
  return server
}
