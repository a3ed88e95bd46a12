import { isJsonArray, isJsonObject, type Json } from '../core/json.ts'
import type { Problem } from '../core/problem.ts'
import { validationProblems } from '../core/problems/index.ts'

/** Messages that one request may have. Only revision 2025-03-26 of the protocol sends several, as an array. */
const mostMessages = 10

/** The messages of a body. */
export function messagesIn(body: Json): readonly Json[] {
  return isJsonArray(body) ? body : [body]
}

/** The response to a request with more messages than one may have: JSON-RPC's invalid request. Null if it has no more. */
export function refusedCount(messages: readonly Json[]): Response | null {
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
export function namesTool(message: Json, name: string): boolean {
  if (!isJsonObject(message) || message.method !== 'tools/call') return false
  return isJsonObject(message.params) && message.params.name === name
}

/** The answer to a body that holds no message: JSON-RPC's parse error, with what is wrong as the service calls it. */
export function invalidMessage({ kind }: Problem): Response {
  const error = {
    code: -32_700,
    message: `Parse error: ${kind.description}`,
    data: { code: kind.code, slug: kind.slug },
  }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}
