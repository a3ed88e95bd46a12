/** The SDK's part: what a message means, in every revision of the protocol that it speaks. */
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

export type Tools = {
  readonly list: () => Tool[]
  /** Null when there is no such tool. */
  readonly call: (name: string, given: unknown) => Promise<CallToolResult | null>
}

/** Serves the messages of one request; always in JSON, since nothing here takes long enough to stream. */
export async function serve(request: Request, body: unknown, tools: Tools): Promise<Response> {
  const asked = bare(request)
  if (!(await isLegacyRequest(asked, body))) {
    const options = { responseMode: 'auto', maxSubscriptions: 0, legacy: 'reject' } as const
    return createMcpHandler(() => serverOf(tools), options).fetch(asked, { parsedBody: body })
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  const server = serverOf(tools)
  await server.connect(transport)
  try {
    return await transport.handleRequest(asked, { parsedBody: body })
  } finally {
    await server.close()
  }
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
  server.setRequestHandler('tools/list', () => ({ tools: tools.list() }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }) => {
    const result = await tools.call(name, given)
    if (result) return result
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${JSON.stringify(name).slice(0, 100)}`,
    )
  })
  return server
}
