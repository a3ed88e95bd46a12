/** Members of JSON objects by their paths: taken out, put in, mapped. Pure; what is not touched is shared. */
import type { Pair } from './breaking-change.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, member } from './json.ts'

type Place = readonly (string | number)[]

/** A value on its way to a path. */
export type Taken = { readonly path: readonly string[]; readonly value: Json }

/** Takes members out by their paths, and what held them where nothing of that name is `known` on the other side. */
export function take(
  object: JsonObject,
  pairs: readonly Pair[],
  known: object,
): { rest: JsonObject; taken: Taken[] } {
  let rest = object
  const taken: Taken[] = []
  for (const { after: from, before: path } of pairs) {
    const value = valueAt(object, from)
    if (value === undefined) continue
    taken.push({ path, value })
    rest = withoutPath(rest, from)
  }
  const holders = pairs.flatMap(({ after: [head, ...below] }) =>
    head !== undefined && below.length > 0 && !Object.hasOwn(known, head) ? [head] : [],
  )
  return {
    rest: omitting(
      rest,
      holders.filter((name) => isEmpty(member(rest, name))),
    ),
    taken,
  }
}

const isEmpty = (value: Json | undefined) =>
  value === null || (isJsonObject(value) && Object.keys(value).length === 0)

/** A value by its path; of what is null, null. */
export function valueAt(object: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, name) => (isJsonObject(value) ? member(value, name) : value === null ? null : undefined),
    object,
  )
}

function withoutPath(object: JsonObject, [head, ...below]: readonly string[]): JsonObject {
  if (head === undefined) return object
  if (below.length === 0) return omitting(object, [head])
  const inner = member(object, head)
  return isJsonObject(inner) ? { ...object, [head]: withoutPath(inner, below) } : object
}

/** Sets a value at a path, making what holds it; null is put into no holder that is null already, and nothing into what is no object. */
export function put(object: JsonObject, [head, ...below]: readonly string[], value: Json): JsonObject {
  if (head === undefined) return object
  if (below.length === 0) return { ...object, [head]: value }
  const inner = member(object, head) ?? null
  if (Object.hasOwn(object, head) && inner === null && value === null) return object
  if (inner !== null && !isJsonObject(inner)) return object
  return { ...object, [head]: put(inner ?? {}, below, value) }
}

type TextMap = (value: string, at: Place) => Json

/** An object with the texts at a path mapped; arrays on the way are gone through. */
export function mappedIn(
  object: JsonObject,
  [head, ...below]: readonly string[],
  at: Place,
  map: TextMap,
): JsonObject {
  const value = head === undefined ? undefined : member(object, head)
  if (head === undefined || value === undefined) return object
  return { ...object, [head]: mapped(value, below, [...at, head], map) }
}

function mapped(value: Json, path: readonly string[], at: Place, map: TextMap): Json {
  if (isJsonArray(value)) return value.map((each, index) => mapped(each, path, [...at, index], map))
  if (isJsonObject(value)) return mappedIn(value, path, at, map)
  return path.length === 0 && typeof value === 'string' ? map(value, at) : value
}

/** An object without some members. */
export const omitting = (object: JsonObject, names: readonly string[]) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
