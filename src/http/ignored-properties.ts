import type { HiddenProperties } from '../core/access.ts'
import type { IgnoredMember } from '../core/body.ts'
import { relativeIri, withOrigins } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonOf, member } from '../core/json.ts'
import type { Answer } from '../core/operation.ts'
import { without } from '../core/render.ts'
import type { PathTranslator } from '../core/versions.ts'
import { type Path, pathText } from '../core/violations.ts'

/** Which members of a body were ignored, as its writer is told: unknown ones, and read-only ones that say something else. */

type Written = {
  /** Whether it is a resource that there was before, and not one that is made. */
  readonly exists: boolean
  readonly type: string
  readonly hidden: HiddenProperties
  readonly origins: readonly string[]
  readonly translatePath: PathTranslator
}

/**
 * The names that are told. Of a resource that exists, a read-only member counts where it differs from what the answer
 * says: clients send back whole documents. A new one has said nothing yet, so there any that is given counts. What the
 * writer may not see, and what this answer does not tell, never does. A relation leads to what exists already: what is sent
 * beside its `@id` counts where it differs from what the answer embeds, and wherever that embeds nothing.
 */
export function ignoredNames(
  passedOver: readonly IgnoredMember[],
  answer: Answer,
  { exists, type, hidden, origins, translatePath }: Written,
): string[] {
  const secret = hidden.get(type)
  const isSeen = ({ path }: IgnoredMember) =>
    !secret?.has(String(path.find((each) => typeof each === 'string')))
  const document = lazily(() => without(treeIn(answer), hidden))
  const embeddedAt = lazily(() => embeddedIn(document()))
  const counts = (each: IgnoredMember) => {
    if (!each.readOnly) return true
    if (each.beside !== undefined) return !isSaidBeside(each, embeddedAt()(each.path, each.beside))
    if (exists) return !isSaid(each.path, each.value, document())
    return each.value !== null && isSeen(each)
  }
  return withOrigins(origins, () =>
    passedOver.filter(counts).map(({ path }) => translatePath(pathText(path))),
  )
}

/** The document of an answer; of several, the array of them, as they were sent. */
function treeIn(answer: Answer): Json {
  if (answer.kind === 'item') return jsonOf(answer.document)
  return answer.kind === 'collection' ? jsonOf(answer.members) : {}
}

function lazily<Result>(make: () => Result): () => Result {
  let made: Result | undefined
  return () => (made ??= make())
}

function isSaid(path: Path, sent: Json, document: Json): boolean {
  const said = at(document, path)
  if (said === undefined) return true
  if (path.length === 1 && typeof said === 'string' && isJsonObject(sent)) return isLinkAlone(sent, said)
  if (isSame(sent, said)) return true
  // Every write moves these two, so a document that was read before it has what they were.
  if (path.length !== 1 || typeof sent !== typeof said) return false
  return (
    (path[0] === 'version' && sent === Number(said) - 1) ||
    (path[0] === 'updatedAt' && instant.test(String(sent)) && String(sent) < String(said))
  )
}

/** Whether an object says no more than a link that is shown as its IRI, and never with what it leads to. */
function isLinkAlone(sent: JsonObject, said: string): boolean {
  return isSame(sent, said) && Object.keys(sent).every((name) => name.startsWith('@'))
}

/** Whether a member that was sent beside an `@id` says what the answer says of that resource. */
function isSaidBeside({ path, value }: IgnoredMember, embedded: JsonObject | undefined): boolean {
  if (!embedded) return false
  const said = member(embedded, String(path.at(-1)))
  return said === undefined || isSame(value, said)
}

/** Finds what a document embeds by the path of a member beside an `@id`: in a list by that, since its order may be another one. */
function embeddedIn(document: Json): (path: Path, beside: string) => JsonObject | undefined {
  const lists = new Map<string, ReadonlyMap<string | null, JsonObject>>()
  return (path, beside) => {
    const relation = path.slice(0, typeof path.at(-2) === 'number' ? -2 : -1)
    const key = pathText(relation)
    const list = lists.get(key) ?? objectsByIri(at(document, relation))
    lists.set(key, list)
    return list.get(relativeIri(beside))
  }
}

function objectsByIri(shown: Json | undefined): ReadonlyMap<string | null, JsonObject> {
  const all = isJsonArray(shown) ? shown : [shown ?? null]
  return new Map(all.filter(isJsonObject).map((each) => [iriOf(each), each]))
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
    return sent.every((each, index) => isSame(each, said[index] ?? null))
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
