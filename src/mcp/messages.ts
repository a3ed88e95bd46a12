import { isJsonArray, isJsonObject, type Json } from '../core/json.ts'
import type { Problem } from '../core/problem.ts'

/**
 * The messages of a body, several where revision 2025-03-26 sends an array. In an array nothing may cancel its neighbour:
 * a request that is taken back is never answered, and the others would wait for it.
 */
export function soundMessages(body: Json): readonly Json[] {
  if (!isJsonArray(body)) return [body]
  return body.filter((each) => !isJsonObject(each) || each.method !== 'notifications/cancelled')
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
