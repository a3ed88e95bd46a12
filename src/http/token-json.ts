import { decodeUtf8, parseJson } from '../core/json.ts'

/** Reads a JSON object out of bytes, or null when they are not strict UTF-8, not strict JSON or something else. */
export function jsonObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseJson(decodeUtf8(bytes))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Whether a value is an object: neither an array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
