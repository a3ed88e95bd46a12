import { budgets } from '../core/budgets.ts'
import { decodeUtf8, type Json, JsonError, parseJson } from '../core/json.ts'
import { maximumJsonDepth } from '../core/json-fault.ts'
import { Problem } from '../core/problem.ts'
import { httpProblems, validationProblems } from '../core/problems/index.ts'
import { pathText, refuse } from '../core/violations.ts'

/** Bytes that a body may have. */
const largestBody = budgets.body

/** What a body can be sent as. */
export const bodyTypes: Readonly<Record<'create' | 'patch', readonly string[]>> = {
  create: ['application/ld+json', 'application/json'],
  patch: ['application/merge-patch+json'],
}

/** @throws 415 `http.unsupported_media_type` with the types that are read, or `http.content_encoding` */
export function demandContentType(headers: Headers, types: readonly string[], method: string): void {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') throw httpProblems.content_encoding()
  const contentType = headers.get('content-type') ?? ''
  const [type, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((each) => each.startsWith('charset='))?.slice(8)
  const inUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  if (type !== undefined && types.includes(type) && inUtf8) return
  const accepted = types.join(', ')
  throw httpProblems.unsupported_media_type(
    { contentType: contentType.slice(0, 200) || '?' },
    { headers: { Accept: accepted, ...namedByMethod(method, accepted) } },
  )
}

/** PATCH and POST have headers of their own (RFC 5789 §3.1, LDP §7.1); what others take, `Accept` says (RFC 9110 §15.5.16). */
function namedByMethod(method: string, accepted: string): Record<string, string> {
  if (method === 'PATCH') return { 'Accept-Patch': accepted }
  return method === 'POST' ? { 'Accept-Post': accepted } : {}
}

/** The bytes of a body, counted as they arrive whatever length was announced. @throws 413 `http.body_too_large` */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => httpProblems.body_too_large({ limit: largestBody })
  if (Number(request.headers.get('content-length') ?? 0) > largestBody) throw tooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length
      if (length > largestBody) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    // A caller that went away in the midst of its body hears nothing; that is no failure of the service.
    throw error instanceof Problem ? error : httpProblems.malformed_json({ reason: 'cut off' })
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The JSON in a body's bytes. @throws 400 for what is not JSON in UTF-8, 422 for characters that cannot be stored */
export function jsonIn(bytes: Uint8Array): Json {
  const text = decoded(bytes)
  if (text.trim() === '') throw httpProblems.body_required()
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    if (error.reason === 'too_deep') throw httpProblems.body_too_deep({ limit: maximumJsonDepth })
    if (error.reason === 'lone_surrogate' || error.reason === 'null_character') {
      refuse([validationProblems.characters.at(pathOf(error.pointer))])
    }
    throw httpProblems.malformed_json({ reason: placeOf(text, error) })
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw httpProblems.not_utf8()
  }
}

/** `2:14`, line and column: a place reads the same in every language. */
function placeOf(text: string, { offset }: JsonError): string {
  const lines = text.slice(0, offset).split('\n')
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

/** A JSON pointer (RFC 6901) as a property path. */
function pathOf(pointer: string): string {
  const segments = pointer.split('/').slice(1)
  return pathText(
    segments.map((each) =>
      /^\d+$/.test(each) ? Number(each) : each.replaceAll('~1', '/').replaceAll('~0', '~'),
    ),
  )
}
