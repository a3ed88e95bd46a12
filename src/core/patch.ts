/** JSON documents before and after a change: merge patches and differences. */

import * as z from 'zod'
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  json,
  jsonOf,
  member,
  type Plain,
  setMember,
} from './json.ts'

/** One difference between two documents. `path` is dotted (`seo.title`, `media[2].alt`); an absent member is null. */
export type Difference = z.infer<typeof difference>

export const difference = z
  .object({
    path: z.string(),
    before: json,
    after: json,
    /** Both values were too large to store and are null. */
    omitted: z.literal(true).optional(),
  })
  .readonly()

/** Applies a JSON merge patch (RFC 7396 §2) without modifying its inputs. The result shares unchanged parts with them. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch
  const before = isJsonObject(target) ? target : {}
  const result: Record<string, Json> = {}
  for (const [name, value] of Object.entries(before)) {
    if (member(patch, name) !== null) setMember(result, name, value)
  }
  for (const [name, change] of Object.entries(patch)) {
    if (change !== null) setMember(result, name, mergePatch(member(before, name), change))
  }
  return result
}

/** Whether two JSON values are equal; the order of an object's members does not matter (RFC 8259 §4). */
export function sameJson(a: Plain, b: Plain): boolean {
  return isSame(jsonOf(a), jsonOf(b))
}

function isSame(a: Json, b: Json | undefined): boolean {
  if (a === b) return true
  if (isJsonArray(a) && isJsonArray(b)) {
    return a.length === b.length && a.every((element, index) => isSame(element, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const members = Object.entries(a)
  return (
    members.length === Object.keys(b).length &&
    members.every(([name, value]) => Object.hasOwn(b, name) && isSame(value, b[name]))
  )
}

/**
 * The differences between two documents, in the order of their members. An absent member counts as null.
 * Arrays with the same resources (`@id`) in the same order are compared by index, other arrays as one value. A relation
 * that points at another resource is one difference.
 */
export function differencesBetween(before: Plain, after: Plain): Difference[] {
  const differences: Difference[] = []
  collectDifferences(differences, '', jsonOf(before), jsonOf(after))
  return differences
}

function collectDifferences(differences: Difference[], path: string, before: Json, after: Json): void {
  if (isJsonObject(before) && isJsonObject(after) && !areDifferentResources(before, after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      collectDifferences(
        differences,
        memberPath(path, name),
        member(before, name) ?? null,
        member(after, name) ?? null,
      )
    }
  } else if (isJsonArray(before) && isJsonArray(after) && holdSameResources(before, after)) {
    before.forEach((element, index) => {
      collectDifferences(differences, `${path}[${index}]`, element, after[index] ?? null)
    })
  } else if (!isSame(before, after)) {
    differences.push({ path, before, after })
  }
}

function areDifferentResources(before: JsonObject, after: JsonObject): boolean {
  const [from, to] = [member(before, '@id'), member(after, '@id')]
  return from !== undefined && to !== undefined && from !== to
}

function holdSameResources(before: readonly Json[], after: readonly Json[]): boolean {
  return (
    before.length === after.length &&
    before.every((element, index) => {
      const id = identityOf(element)
      return id !== undefined && id === identityOf(after[index])
    })
  )
}

function identityOf(value: Json | undefined): string | undefined {
  const id = isJsonObject(value) ? member(value, '@id') : undefined
  return typeof id === 'string' ? id : undefined
}

/** A name that could be parsed as several segments is quoted: `fields["a.b"]`. */
function memberPath(path: string, name: string): string {
  if (name === '' || /[.[\]"]/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

/** The segments of the path of a difference: names, and indices of arrays. */
export function segmentsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(([text, index, quoted]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? JSON.parse(quoted) : text,
  )
}

/** A copy of a value that has another value at a path. Missing objects are added; a path through anything else changes nothing. */
export function withValueAt(target: Json | undefined, path: readonly (string | number)[], value: Json): Json {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (typeof name === 'number') {
    if (!isJsonArray(target) || name >= target.length) return target ?? null
    return target.with(name, withValueAt(target[name], rest, value))
  }
  const members: Record<string, Json> = isJsonObject(target) ? { ...target } : {}
  setMember(members, name, withValueAt(member(members, name), rest, value))
  return members
}
