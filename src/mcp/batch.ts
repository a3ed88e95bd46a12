/** The messages of one array, and the budget that their responses share. */

import { isJsonObject, type Json } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import { bytesOf } from '../core/sizes.ts'

/**
 * Serves messages one after another, and returns their responses as an array. If a response does not fit into
 * the rest of the budget, its message gets an error instead. Later messages get the same error and do not run.
 * If the protocol's library rejects a message, the whole request gets that response.
 */
export async function serveBatch(
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
