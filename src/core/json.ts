/**
 * JSON as it comes in: RFC 8259 read strictly, because what one parser forgives and the next reads otherwise is where
 * attacks and silent losses begin (RFC 8259 §4, §8).
 *
 * Members named `__proto__` or `constructor` come out as ordinary own properties of ordinary objects, because that is
 * how `JSON.parse` defines them. `JSON.stringify` and spread keep them, zod takes such objects and leaves `__proto__` out.
 * Only `object[name] = value` is unsafe with a name from outside: copy members with `setMember`.
 */

import { maximumJsonDepth, scanJson } from './strict-json.ts'

/** Any JSON value, and a JSON object. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json }
/** What is JSON by the types of its members, which only a mapped type could tell the compiler. */
export type Plain = Json | object

/** A plain value as JSON. */
export function jsonOf(value: Plain): Json {
  return value as Json
}

/** JSON of ours that was kept: a stored document, a row's parts. */
export function parsed<Kept>(text: string): Kept {
  return JSON.parse(text)
}

/**
 * Parses one JSON text. Throws a `JsonError` for the first fault: malformed JSON (a byte order mark is), two members of
 * one name, more than 32 levels, half a surrogate pair, U+0000 (Postgres stores neither), a number beyond what a double
 * holds.
 */
export function parseJson(text: string): Json {
  // The native parser with a few cheap counts takes a good text in a fraction of the time that the scanner needs, so the
  // scanner only runs to say what is wrong with a bad one.
  try {
    const value: Json = JSON.parse(text)
    if (isFaultless(text, value)) return value
  } catch {
    // The scanner tells more.
  }
  scanJson(text)
  return JSON.parse(text)
}

/** Decodes UTF-8, throwing a `TypeError` for anything ill-formed; a byte order mark is kept, for `parseJson` to refuse. */
export function decodeUtf8(bytes: Uint8Array): string {
  return strictUtf8.decode(bytes)
}

/** An own member: `object[name]` alone would find `constructor` and `__proto__` on the prototype. */
export function member<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Sets an own member whatever its name: assigning `__proto__` would set the object's prototype instead. */
export function setMember<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** Whether the value is an object, neither null nor an array. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the value is an array; `Array.isArray` alone takes elements of any type. */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether a value that `JSON.parse` read from the text is free of the faults that it forgives. */
function isFaultless(text: string, value: Json): boolean {
  // Outside of escapes a raw U+0000 is malformed already, and half a pair makes the text itself ill-formed.
  const hasEscapes = text.includes('\\u')
  if (!text.isWellFormed()) return false
  // Of two members with one name the parser keeps the last, so the value has fewer members than the text has colons.
  return countMembers(value, 1, hasEscapes) === countColons(text)
}

/** Equals no number, itself neither. */
const refused = Number.NaN

/** The number of members in all objects of the value; not a number when something in it is refused. */
function countMembers(value: Json | undefined, depth: number, checkStrings: boolean): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : refused
  if (typeof value === 'string') return checkStrings && !isStorable(value) ? refused : 0
  if (typeof value !== 'object' || value === null) return 0
  if (depth > maximumJsonDepth) return refused
  let count = 0
  if (isJsonArray(value)) {
    for (const element of value) count += countMembers(element, depth + 1, checkStrings)
    return count
  }
  for (const name of Object.keys(value)) {
    if (checkStrings && !isStorable(name)) return refused
    count += 1 + countMembers(value[name], depth + 1, checkStrings)
  }
  return count
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The colons outside of strings in a text known to be well-formed JSON, that is, its members. */
function countColons(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === colon) count++
    else if (unit === quote) {
      for (i++; text.charCodeAt(i) !== quote; i++) if (text.charCodeAt(i) === backslash) i++
    }
  }
  return count
}

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c
