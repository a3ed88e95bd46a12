/** Which members of a body were ignored, as its writer is told: unknown ones, and read-only ones that say something else. */
import { treeOf } from '../core/document.ts'
import { readingAt, relativeIri } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json } from '../core/json.ts'
import type { Answer } from '../core/operation.ts'
import type { Hidden } from '../core/reach.ts'
import { without } from '../core/render.ts'
import { member } from '../core/version.ts'
import type { Path } from '../core/violations.ts'
import type { PassedOver } from './written.ts'

type Written = {
  /** Whether it is a resource that there was before, and not one that is made. */
  readonly exists: boolean
  readonly type: string
  readonly hidden: Hidden
  readonly origins: readonly string[]
}

/**
 * The names that are told. Of a resource that exists, a read-only member counts where it differs from what the answer
 * says: clients send back whole documents. A new one has said nothing yet, so there any that is given counts. What the
 * writer may not see, and what this answer does not tell, never does.
 */
export function ignoredNames(
  passedOver: readonly PassedOver[],
  answer: Answer,
  { exists, type, hidden, origins }: Written,
): string[] {
  const secret = hidden.get(type)
  const isSeen = ({ path }: PassedOver) => !secret?.has(String(path.find((each) => typeof each === 'string')))
  const document = lazily(() => without(answer.kind === 'item' ? treeOf(answer.document) : {}, hidden))
  return readingAt(origins, () =>
    passedOver
      .filter((each) => {
        if (!each.readOnly) return true
        if (!exists) return each.value !== null && isSeen(each)
        return !isSaid(each.path, each.value, document())
      })
      .map(({ name }) => name),
  )
}

function lazily<Result extends Json>(make: () => Result): () => Result {
  let made: Result | undefined
  return () => (made ??= make())
}

function isSaid(path: Path, sent: Json, document: Json): boolean {
  const said = at(document, path)
  if (said === undefined || isSame(sent, said)) return true
  // Every write moves these two, so a document that was read before it has what they were.
  if (path.length !== 1 || typeof sent !== typeof said) return false
  return (
    (path[0] === 'version' && sent === Number(said) - 1) ||
    (path[0] === 'updatedAt' && instant.test(String(sent)) && String(sent) < String(said))
  )
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

function at(document: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((value, segment) => {
    if (typeof segment === 'number') return isJsonArray(value) ? value[segment] : undefined
    return isJsonObject(value) ? member(value, segment) : undefined
  }, document)
}

/**
 * Whether what was sent says nothing else than what is said: members that only one of both has do not count, since they
 * come and go with what is selected, expanded and seen; and an IRI is the same as the object that it leads to.
 */
function isSame(sent: Json, said: Json): boolean {
  if (sent === said) return true
  if (isJsonArray(sent)) {
    if (!isJsonArray(said) || sent.length !== said.length) return false
    return sent.every((each, index) => isSame(each, said[index]!))
  }
  if (isJsonObject(sent) && isJsonObject(said)) {
    return Object.entries(sent).every(([name, each]) => {
      const other = name === '@context' ? undefined : member(said, name)
      return other === undefined || isSame(each, other)
    })
  }
  const [one, other] = [iriOf(sent), iriOf(said)]
  return one !== null && one === other
}

function iriOf(value: Json): string | null {
  const iri = isJsonObject(value) ? member(value, '@id') : value
  return typeof iri === 'string' ? relativeIri(iri) : null
}
