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
import { isJsonArray, isJsonObject, type Json, jsonOf } from '../core/json.ts'
import type { Context, Operation } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { validationProblems } from '../core/problems/validation.ts'
import type { Shape } from '../core/schema.ts'
import type { Scope } from '../core/scopes.ts'
import { truncate } from '../core/slug.ts'
import type { ApiVersion } from '../core/versions.ts'
import type { DocumentReader } from '../docs/published.ts'
import { serveBatch } from './batch.ts'
import { callTool, descriptionOf, isTool } from './tool.ts'

/** Messages that one request may have. Only revision 2025-03-26 of the protocol sends several, as an array. */
const mostMessages = 10

/** The messages of a body. */
function messagesIn(body: Json): readonly Json[] {
  return isJsonArray(body) ? body : [body]
}

/** The response to a request with more messages than one may have: JSON-RPC's invalid request. Null if it has no more. */
function refusedCount(messages: readonly Json[]): Response | null {
  if (messages.length <= mostMessages) return null
  const { code, slug } = validationProblems.too_many_items
  const error = {
    code: -32_600,
    message: `Invalid Request: The array has ${messages.length} messages. Send at most ${mostMessages} messages in one request.`,
    data: { code, slug },
  }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

/** Whether a message calls the tool of that name. */
function namesTool(message: Json, name: string): boolean {
  if (!isJsonObject(message) || message.method !== 'tools/call') return false
  return isJsonObject(message.params) && message.params.name === name
}

/** The answer to a body that holds no message: JSON-RPC's parse error, with what is wrong as the service calls it. */
function invalidMessage({ kind }: Problem): Response {
  const error = {
    code: -32_700,
    message: `Parse error: ${kind.description}`,
    data: { code: kind.code, slug: kind.slug },
  }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

/**
 * The SDK's part: what a message means, in every revision of the protocol that it speaks. It is imported like all else: what
 * a later import shares with the rest, zod above all, esbuild would wrap, and where a package says that it has no side effects
 * nothing opens the wrap.
 */

type Tools = {
  readonly list: () => Promise<Tool[]>
  /** Null when there is no such tool. */
  readonly call: (name: string, given: object | undefined) => Promise<CallToolResult | null>
}

/** Serves the messages of one request; always in JSON, since nothing here takes long enough to stream. */
async function serve(request: Request, body: Json, tools: Tools): Promise<Response> {
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
      `There is no tool ${JSON.stringify(truncate(name, 100))}`,
    )
  })
  return server
}

/** The Model Context Protocol over Streamable HTTP, without sessions: each request is served by itself. */

/** One request, and what of the service it leans on. */
export type McpRequest = {
  readonly request: Request
  readonly read: () => Promise<Json>
  readonly context: Context
  readonly dialect: ApiVersion
  readonly library: DocumentReader
  /** @throws Problem when the caller lacks the scope */
  readonly demand: (scope: Scope) => void
  /** Counts one call beyond the first. @throws Problem 429 */
  readonly count: () => Promise<void>
  /** The problem document of an error, as text. */
  readonly problem: (error: unknown) => Promise<string>
}

/** The tools among the operations, behind one address. */
export function mcpHandler(operations: readonly Operation[], shapes: ReadonlyMap<string, Shape>) {
  const all = operations.filter(isTool)
  return async function visit({
    request,
    read,
    context,
    dialect,
    library,
    demand,
    count,
    problem,
  }: McpRequest) {
    const accept = request.headers.get('accept') ?? '*/*'
    if (!/application\/(?:json|\*)|\*\/\*/i.test(accept)) throw httpProblems.not_acceptable()
    const body = await read().catch((error) => {
      if (error instanceof Problem && error.kind.status !== 413) return error
      throw error
    })
    if (body instanceof Problem) return invalidMessage(body)
    const messages = messagesIn(body)
    const refused = refusedCount(messages)
    if (refused) return refused
    const tools = all.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === dialect.version.name)
    // Who may not call is told by the status, with the challenge from which clients ask for the scope.
    for (const { tool, scope } of tools) {
      if (scope !== null && messages.some((each) => namesTool(each, tool.name))) demand(scope)
    }
    for (const _ of messages.slice(1)) await count()
    const reader = { dialect, origin: context.url.origin, everyName: false }
    return serve(request, body, {
      list: () =>
        Promise.all(
          tools.map(async (each) => {
            const documents = await library(`schemas-${each.shape.type}`, reader)
            if (documents === null) throw new Error(`no schemas of ${each.shape.type} are published`)
            return descriptionOf(each, dialect, JSON.parse(documents.text()))
          }),
        ).catch(async (error) => {
          // The SDK answers that it failed, and tells nobody why.
          await problem(error)
          throw error
        }),
      async call(name, given) {
        const operation = tools.find(({ tool }) => tool.name === name)
        if (!operation) return null
        try {
          const answer = await callTool(operation, given && jsonOf(given), context, dialect, shapes)
          return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
        } catch (error) {
          return { content: [{ type: 'text', text: await problem(error) }], isError: true }
        }
      },
    })
  }
}
