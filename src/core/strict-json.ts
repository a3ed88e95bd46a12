/** Parses JSON from outside the service, and rejects values that Postgres or JavaScript cannot store exactly. */

import { isJsonArray, type Json } from './json.ts'
import type { Path } from './violations.ts'

/** Levels of objects and arrays, the outermost included. */
export const maximumJsonDepth = 32

/** `characters` is U+0000 or a lone surrogate, `number_range` a number beyond the doubles. */
export type JsonFault = 'syntax' | 'too_deep' | 'characters' | 'number_range'

/** The fault of a JSON text. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly reason: JsonFault
  /** The path of the value at fault. For an invalid name, and for a syntax error, the path of the object around it or `[]`. */
  readonly path: Path
  /** Of a syntax error: `2:14`, line and column, or the character at fault in quotation marks. Both read the same in every language. */
  readonly position: string

  constructor(reason: JsonFault, path: Path, position = '') {
    super(`Invalid JSON: ${reason} ${position}`)
    this.reason = reason
    this.path = path
    this.position = position
  }
}

/**
 * Parses a JSON text (RFC 8259). Of several members with one name, the last one counts.
 *
 * @throws JsonError
 */
export function parseJson(text: string): Json {
  const value = parseSyntax(text)
  const fault = findFault(value, 1)
  if (fault) throw new JsonError(fault.reason, fault.path)
  return value
}

/** Decodes UTF-8. A byte order mark remains in the text, so that `parseJson` rejects it. @throws TypeError for invalid bytes */
export function decodeUtf8(bytes: Uint8Array): string {
  return strictUtf8.decode(bytes)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseSyntax(text: string): Json {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new JsonError('syntax', [], positionOf(error instanceof Error ? error.message : '', text))
  }
}

/** V8 reports a line and a column, only the unexpected character, or the end of the text. */
function positionOf(message: string, text: string): string {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? []
  if (line !== undefined) return `${line}:${column}`
  const [, character] = /^Unexpected token '(.)'/su.exec(message) ?? []
  if (character !== undefined) return JSON.stringify(character)
  const lines = text.split('\n')
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

type Fault = { readonly reason: JsonFault; readonly path: Path }

function findFault(value: Json, depth: number): Fault | null {
  if (typeof value === 'string') return isStorable(value) ? null : { reason: 'characters', path: [] }
  if (typeof value === 'number') return Number.isFinite(value) ? null : { reason: 'number_range', path: [] }
  if (typeof value !== 'object' || value === null) return null
  if (depth > maximumJsonDepth) return { reason: 'too_deep', path: [] }
  for (const [name, element] of isJsonArray(value) ? value.entries() : Object.entries(value)) {
    if (typeof name === 'string' && !isStorable(name)) return { reason: 'characters', path: [] }
    const fault = findFault(element, depth + 1)
    if (fault) return { ...fault, path: [name, ...fault.path] }
  }
  return null
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
