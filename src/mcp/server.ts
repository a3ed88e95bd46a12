// The SDK interprets the messages of every protocol revision that it supports. If it were imported dynamically, esbuild would
// wrap the modules that it shares with the rest, above all zod. Nothing would call the wrappers of packages without side effects.
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolErrorCode,
  type StandardSchemaWithJSON,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { isJsonArray, isJsonObject, type Json, json } from '../core/json.ts'
import type { Context, Operation } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { validationProblems } from '../core/problems/validation.ts'
import type { Shape } from '../core/schema.ts'
import type { Scope } from '../core/scopes.ts'
import type { ApiVersion } from '../core/versions.ts'
import type { DocumentReader } from '../docs/published.ts'
import { serveBatch } from './batch.ts'
import { callTool, descriptionOf, isTool, type ToolDescription, type ToolOperation } from './tool.ts'

/**
 * Maximum number of messages in one request. Only revision 2025-03-26 of the protocol sends several, as an
 * array.
 */
const maximumMessages = 10

function messagesIn(body: Json): readonly Json[] {
  return isJsonArray(body) ? body : [body]
}

/** The response to a request with too many messages: JSON-RPC's invalid request. Otherwise null. */
function tooManyMessages(messages: readonly Json[]): Response | null {
  if (messages.length <= maximumMessages) return null
  const { code, slug } = validationProblems.too_many_items
  const error = {
    code: -32_600,
    message: `Invalid Request: The array has ${messages.length} messages. Send at most ${maximumMessages} messages in one request.`,
    data: { code, slug },
  }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

function namesTool(message: Json, name: string): boolean {
  if (!isJsonObject(message) || message.method !== 'tools/call') return false
  return isJsonObject(message.params) && message.params.name === name
}

/**
 * The response to a body without a message: JSON-RPC's parse error, with the code and slug of the service's
 * own problem.
 */
function invalidMessage({ kind }: Problem): Response {
  const error = {
    code: -32_700,
    message: `Parse error: ${kind.description}`,
    data: { code: kind.code, slug: kind.slug },
  }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

type RegisteredTool = ToolDescription & { readonly run: (args: Json) => Promise<CallToolResult> }

/**
 * Serves the messages of one request. The response is always JSON, because no tool runs long enough to
 * stream.
 */
async function serve(request: Request, body: Json, tools: readonly RegisteredTool[]): Promise<Response> {
  const bodylessRequest = withoutBody(request)
  if (!(await isLegacyRequest(bodylessRequest, body))) {
    const options = { responseMode: 'auto', maxSubscriptions: 0, legacy: 'reject' } as const
    const answer = await createMcpHandler(() => serverOf(tools), options).fetch(bodylessRequest, {
      parsedBody: body,
    })
    return isSubscription(body) && answer.status === 200 ? methodNotFound(body.id) : answer
  }
  const serveOne = (message: Json) => serveMessage(bodylessRequest, message, tools)
  return isJsonArray(body) && body.length > 0 ? serveBatch(body, serveOne) : serveOne(body)
}

/** Serves one message of a revision without envelopes, with a new server. */
async function serveMessage(
  request: Request,
  message: Json,
  tools: readonly RegisteredTool[],
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  const server = serverOf(tools)
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}

/**
 * Whether a message is a valid subscription to change notifications. No list here announces changes
 * (`listChanged`), so the method does not exist. The SDK has no option for that and would return an internal
 * error.
 */
function isSubscription(body: unknown): body is { readonly id: string | number } {
  return typeof body === 'object' && body !== null && Reflect.get(body, 'method') === 'subscriptions/listen'
}

/** The SDK's response to any other method that this server lacks. */
function methodNotFound(id: string | number): Response {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' }
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 404 })
}

/**
 * The request without its body, which has already been read. Clients that accept JSON need not accept streams
 * as well.
 */
function withoutBody({ url, headers }: Request): Request {
  const bodylessHeaders = new Headers(headers)
  bodylessHeaders.set('accept', 'application/json, text/event-stream')
  return new Request(url, { method: 'POST', headers: bodylessHeaders })
}

function serverOf(tools: readonly RegisteredTool[]): McpServer {
  const server = new McpServer(
    { name: 'product-catalogue', title: 'Product catalogue', version: '1.0.0' },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: 'Reads the categories of a product catalogue. Nothing here changes anything.',
    },
  )
  for (const { name, inputSchema, outputSchema, run, ...description } of tools) {
    const schemas = {
      inputSchema: published(inputSchema, (args) => json.parse(args)),
      outputSchema: published(outputSchema, (answer) => answer),
    }
    server.registerTool(name, { ...description, ...schemas }, run)
  }
  return server
}

/**
 * A JSON Schema that `tools/list` publishes. The SDK validates nothing by it: `callTool()` validates arguments, and
 * reports its own problems.
 */
function published<Value>(
  schema: Record<string, unknown>,
  parse: (value: unknown) => Value,
): StandardSchemaWithJSON<Value, Value> {
  return {
    '~standard': {
      version: 1,
      vendor: 'product-catalogue',
      validate: (value) => ({ value: parse(value) }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

/**
 * One request of the Model Context Protocol over Streamable HTTP, and the parts of the service that it uses.
 * There are no sessions: each request has a new server.
 */
export type McpRequest = {
  readonly request: Request
  readonly read: () => Promise<Json>
  readonly context: Context
  readonly apiVersion: ApiVersion
  readonly library: DocumentReader
  /** @throws Problem if the caller lacks the scope */
  readonly requireScope: (scope: Scope) => void
  /** Counts one call beyond the first. @throws Problem 429 */
  readonly count: () => Promise<void>
  /** The problem document of an error, as text. */
  readonly problem: (error: unknown) => Promise<string>
}

/** Serves the operations that are tools, at one URL. */
export function mcpHandler(operations: readonly Operation[], shapes: ReadonlyMap<string, Shape>) {
  const toolOperations = operations.filter(isTool)
  return async function visit({
    request,
    read,
    context,
    apiVersion,
    library,
    requireScope,
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
    const rejection = tooManyMessages(messages)
    if (rejection) return rejection
    const tools = toolOperations.filter(
      ({ onlyIn }) => onlyIn === undefined || onlyIn === apiVersion.version.name,
    )
    // A missing scope is reported by the HTTP status, because clients read the scope to request from its
    // challenge.
    for (const { tool, scope } of tools) {
      if (scope !== null && messages.some((message) => namesTool(message, tool.name))) requireScope(scope)
    }
    for (const _ of messages.slice(1)) await count()
    const reader = { apiVersion, origin: context.url.origin, everyName: false }
    return serve(request, body, await Promise.all(tools.map(register)))

    async function register(operation: ToolOperation): Promise<RegisteredTool> {
      const documents = await library(`schemas-${operation.shape.type}`, reader)
      if (documents === null) throw new Error(`no schemas of ${operation.shape.type} are published`)
      return {
        ...descriptionOf(operation, apiVersion, JSON.parse(documents.text())),
        async run(args) {
          try {
            const answer = await callTool(operation, args, context, apiVersion, shapes)
            return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
          } catch (error) {
            return { content: [{ type: 'text', text: await problem(error) }], isError: true }
          }
        },
      }
    }
  }
}
