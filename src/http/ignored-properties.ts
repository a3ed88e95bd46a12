/** The members of a body that `Service-Ignored-Properties` names: unknown ones, and read-only ones with another value. */

import type { HiddenProperties } from '../core/access.ts'
import type { IgnoredMember } from '../core/body.ts'
import { relativeIri } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, jsonOf, member } from '../core/json.ts'
import type { Answer } from '../core/operation.ts'
import { without } from '../core/render.ts'
import type { Path } from '../core/violations.ts'

type WrittenResource = {
  /** Whether the resource existed before the request. */
  readonly exists: boolean
  readonly type: string
  readonly hidden: HiddenProperties
}

/**
 * Selects the members to name. A read-only member of an existing resource counts if its value differs from that in the
 * response, because clients send back whole documents. For a new resource every value that is not null counts. Members
 * that the response does not contain, or that the caller may not see, never count.
 */
export function ignoredPathsAfterWrite(
  members: readonly IgnoredMember[],
  answer: Answer,
  { exists, type, hidden }: WrittenResource,
): Path[] {
  const document = answer.kind === 'item' && exists ? without(jsonOf(answer.document), hidden) : null
  const isIgnored = ({ path, readOnly, value }: IgnoredMember) => {
    const name = String(path.at(-1))
    if (!readOnly) return true
    if (!exists) return value !== null && !hidden.get(type)?.has(name)
    const current = isJsonObject(document) ? member(document, name) : undefined
    return current !== undefined && !isSame(value, current) && !isEarlier(name, value, current)
  }
  return members.filter(isIgnored).map(({ path }) => path)
}

/** Every write changes these two members, so a document that was read before the write contains earlier values. */
function isEarlier(name: string, value: Json, current: Json): boolean {
  if (name === 'version') return value === Number(current) - 1
  return name === 'updatedAt' && typeof value === 'string' && value < String(current)
}

/**
 * Whether two values agree in all members that both have: selection, expansion and access remove members. An IRI equals
 * the object that it names.
 */
function isSame(value: Json, current: Json): boolean {
  if (value === current) return true
  if (isJsonArray(value)) {
    if (!isJsonArray(current) || value.length !== current.length) return false
    return value.every((element, index) => isSame(element, current[index] ?? null))
  }
  if (isJsonObject(value) && isJsonObject(current)) {
    return Object.entries(value).every(([name, element]) => {
      const other = name === '@context' ? undefined : member(current, name)
      return other === undefined || isSame(element, other)
    })
  }
  const iri = iriOf(value)
  return iri !== null && iri === iriOf(current)
}

function iriOf(value: Json): string | null {
  const iri = isJsonObject(value) ? member(value, '@id') : value
  return typeof iri === 'string' ? relativeIri(iri) : null
}
