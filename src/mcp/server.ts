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
import { isJsonArray, isJsonObject, type Json, type JsonObject, json } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import type { Context, Operation, Tool } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { validationProblems } from '../core/problems/validation.ts'
import type { Shape } from '../core/schema.ts'
import type { Scope } from '../core/scopes.ts'
import { bytesOf } from '../core/sizes.ts'
import type { ApiVersion } from '../core/versions.ts'
import type { DocumentReader } from '../docs/published.ts'
import type { ToolDescription } from '../docs/tools.ts'
import { callTool, isTool, scopesOfCall, type ToolOperation } from './tool.ts'

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

/** The name and the arguments of a call; null for other messages. */
function callIn(message: Json): JsonObject | null {
  if (!isJsonObject(message) || message.method !== 'tools/call') return null
  return isJsonObject(message.params) ? message.params : null
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

/** The schemas of a tool whose description is not requested. They are long, and a call does not need them. */
const undescribed = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } } as const

type RegisteredTool = Pick<ToolDescription, 'name' | keyof typeof undescribed> & {
  readonly run: (args: Json) => Promise<CallToolResult>
}

/**
 * Serves the messages of one request. The response is always JSON, because no tool runs long enough to
 * stream.
 */
async function serve(request: Request, body: Json, newServer: () => McpServer): Promise<Response> {
  const bodylessRequest = withoutBody(request)
  if (!(await isLegacyRequest(bodylessRequest, body))) {
    const options = { responseMode: 'auto', maxSubscriptions: 0, legacy: 'reject' } as const
    const answer = await createMcpHandler(newServer, options).fetch(bodylessRequest, {
      parsedBody: body,
    })
    return isSubscription(body) && answer.status === 200 ? methodNotFound(body.id) : answer
  }
  const serveOne = (message: Json) => serveMessage(bodylessRequest, message, newServer)
  return isJsonArray(body) && body.length > 0 ? serveBatch(body, serveOne) : serveOne(body)
}

/**
 * Serves messages one after another, and returns their responses as an array. If a response does not fit into
 * the rest of the budget, its message gets an error instead. Later messages get the same error and do not run.
 * If the protocol's library rejects a message, the whole request gets that response.
 */
async function serveBatch(
  messages: readonly Json[],
  serve: (message: Json) => Promise<Response>,
): Promise<Response> {
  const refusals = messages.map(refusalOf)
  // Reserves the brackets, and for each message its refusal and a comma.
  let remainingBytes =
    byteLimits.answer - 2 - refusals.reduce((sum, refusal) => sum + bytesOf(refusal) + 1, 0)
  const responses: string[] = []
  let isUsedUp = false
  for (const [index, message] of messages.entries()) {
    const refusal = refusals[index] ?? ''
    if (!isUsedUp) {
      const response = await serve(message)
      if (!response.ok) return response
      const text = await response.text()
      const bytes = bytesOf(text)
      isUsedUp = bytes > remainingBytes + bytesOf(refusal)
      if (!isUsedUp) {
        remainingBytes += bytesOf(refusal) - bytes
        if (text !== '') responses.push(text)
        continue
      }
    }
    if (refusal !== '') responses.push(refusal)
  }
  if (responses.length === 0) return new Response(null, { status: 202 })
  return new Response(`[${responses.join(',')}]`, { headers: { 'Content-Type': 'application/json' } })
}

/**
 * The response to a request that does not fit into the budget. Empty for a notification, which has no id and
 * gets no response.
 */
function refusalOf(message: Json): string {
  if (!isJsonObject(message) || message.method === undefined) return ''
  const { id } = message
  if (typeof id !== 'string' && typeof id !== 'number') return ''
  const megabytes = byteLimits.answer / 1_000_000
  const text = `The responses to one array of messages have at most ${megabytes} MB together. This response does not fit. Send this message in a request of its own.`
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: text } })
}

/** Serves one message of a revision without envelopes, with a new server. */
async function serveMessage(request: Request, message: Json, newServer: () => McpServer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  const server = newServer()
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

/** The instructions for models, by path. */
const instructionsAt: Readonly<Record<Tool['path'], string>> = {
  '/mcp': 'Reads the categories of a product catalogue. Nothing here changes anything.',
  '/mcp/catalogue':
    'Reads the products of a product catalogue, with their variants and prices. A price depends on a channel, a country and a moment. Nothing here changes anything.',
}

function serverOf(path: Tool['path'], tools: readonly RegisteredTool[]): McpServer {
  const server = new McpServer(
    { name: 'product-catalogue', title: 'Product catalogue', version: '1.0.0' },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: instructionsAt[path],
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
  /** @throws Problem if the caller lacks one of the scopes */
  readonly requireScopes: (scopes: readonly Scope[]) => void
  /** Counts one call beyond the first. @throws Problem 429 */
  readonly count: () => Promise<void>
  /** The problem document of an error, as text. */
  readonly problem: (error: unknown) => Promise<string>
}

/** Serves the operations that are tools at a path. */
export function mcpHandler(
  path: Tool['path'],
  operations: readonly Operation[],
  shapes: ReadonlyMap<string, Shape>,
) {
  const toolOperations = operations.filter(isTool).filter(({ tool }) => tool.path === path)
  return async function visit({
    request,
    read,
    context,
    apiVersion,
    library,
    requireScopes,
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
    for (const message of messages) {
      const call = callIn(message)
      const operation = tools.find(({ tool }) => tool.name === call?.name)
      if (operation) requireScopes(scopesOfCall(operation, call?.arguments))
    }
    for (const _ of messages.slice(1)) await count()
    const reader = { apiVersion, origin: context.url.origin, everyName: false }
    const isListing = messages.some((message) => isJsonObject(message) && message.method === 'tools/list')
    const registeredTools = await Promise.all(tools.map(register))
    return serve(request, body, () => serverOf(path, registeredTools))

    async function describe({ tool: { name } }: ToolOperation): Promise<ToolDescription> {
      const description = await library(`tool-${name}`, reader)
      if (description === null) throw new Error(`no description of ${name} is published`)
      return JSON.parse(description.text())
    }

    async function register(operation: ToolOperation): Promise<RegisteredTool> {
      return {
        ...(isListing ? await describe(operation) : { name: operation.tool.name, ...undescribed }),
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
