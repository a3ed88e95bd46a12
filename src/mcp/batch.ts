/** The messages of one array, and the budget that their responses share. */

import { isJsonObject, type Json } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'

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
    byteLimits.answer - 2 - refusals.reduce((sum, refusal) => sum + refusal.byteLength + 1, 0)
  const responses: Uint8Array[] = []
  let isUsedUp = false
  for (const [index, message] of messages.entries()) {
    const refusal = refusals[index] ?? noBytes
    if (!isUsedUp) {
      const response = await serve(message)
      if (!response.ok) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      isUsedUp = bytes.byteLength > remainingBytes + refusal.byteLength
      if (!isUsedUp) {
        remainingBytes += refusal.byteLength - bytes.byteLength
        if (bytes.byteLength > 0) responses.push(bytes)
        continue
      }
    }
    if (refusal.byteLength > 0) responses.push(refusal)
  }
  if (responses.length === 0) return new Response(null, { status: 202 })
  const array = joined([
    '[',
    ...responses.flatMap((bytes, index) => (index > 0 ? [',', bytes] : [bytes])),
    ']',
  ])
  return new Response(array, { headers: { 'Content-Type': 'application/json' } })
}

const encoder = new TextEncoder()
const noBytes = new Uint8Array()

/** Concatenates strings and UTF-8 bytes into one UTF-8 array. */
function joined(pieces: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}

/**
 * The response to a request that does not fit into the budget. Empty for a notification, which has no id and
 * gets no response.
 */
function refusalOf(message: Json): Uint8Array {
  if (!isJsonObject(message) || message.method === undefined) return noBytes
  const { id } = message
  if (typeof id !== 'string' && typeof id !== 'number') return noBytes
  const megabytes = byteLimits.answer / 1_000_000
  const text = `The responses to one array of messages have at most ${megabytes} MB together. This response does not fit. Send this message in a request of its own.`
  return encoder.encode(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: text } }))
}
