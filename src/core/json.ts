/**
 * JSON values. Members named `__proto__` or `constructor` are ordinary own properties after `JSON.parse`. `JSON.stringify` and
 * spread keep them; zod accepts such objects and drops `__proto__`. Only `object[name] = value` is unsafe with a name from
 * outside: copy members with `setMember`.
 */

import * as z from 'zod'

/** Any JSON value, and a JSON object. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json }
export const json: z.ZodType<Json> = z.json()
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json)
/** A value whose members are JSON. The compiler would need a mapped type to check that. */
export type Plain = Json | object

/** A plain value as JSON. */
export function jsonOf(value: Plain): Json {
  return value as Json
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
