/** Written documents: from the caller's version into today's, against the shape, every violation at once. */
import { hint, readBody } from '../core/body.ts'
import { readingAt, relativeIri } from '../core/iri.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Operation } from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { validationProblems, versionProblems } from '../core/problems/index.ts'
import type { Shape } from '../core/property.ts'
import { spokenIn, spokenViolation } from '../core/spoken.ts'
import { member, upgrade } from '../core/version.ts'
import { type Path, pathText, refuse } from '../core/violations.ts'
import { type Call, settled } from './call.ts'

export type Written = {
  readonly bodies: readonly Readonly<Record<string, Json>>[]
  readonly bulk: boolean
  /** Paths of unknown members, as the caller wrote them. */
  readonly ignored: readonly string[]
}

/** Reads the JSON of a body. @throws 422 with every violation found */
export function readWritten(...[json, operation, params, call, shapes]: Parameters<typeof read>): Written {
  return readingAt(call.url.origin, () => read(json, operation, params, call, shapes))
}

function read(
  json: Json,
  operation: Operation & { readonly body: NonNullable<Operation['body']> },
  params: Readonly<Record<string, string>>,
  call: Call,
  shapes: ReadonlyMap<string, Shape>,
): Written {
  const { mode, bulk = 0, shape = operation.shape } = operation.body
  const dialect = settled(call.dialect)
  const isArray = Array.isArray(json)
  if (isArray) refuse(countFaults(json, bulk))
  const { body, misnamed } = upgrade(json, shape, shapes, dialect)
  const elements = isArray ? (body as readonly Json[]) : [body]
  const identity = identityOf(operation, params)
  const parts = elements.map((element, index) => {
    const base = isArray ? [index] : []
    const { values, violations, unknown } = readBody(element, shape, mode, base)
    return { values, unknown, violations: [...violations, ...identityFaults(element, identity, base)] }
  })
  const spoken = spokenIn(dialect, shape, shapes)
  const misnamedPaths = new Set(misnamed.map(({ path }) => pathText(path)))
  const ignored = parts
    .flatMap(({ unknown }) => unknown.map(spoken))
    .filter((path) => !misnamedPaths.has(path))
  refuse([
    ...misnamed.map(({ path, name, rightName }) =>
      versionProblems.renamed_property.at(pathText(path), { name, rightName, version: dialect.version.name }),
    ),
    ...parts.flatMap(({ violations }) => violations.map((each) => spokenViolation(each, spoken))),
    ...(call.strict ? unknownFaults(ignored, shape) : []),
  ])
  return { bodies: parts.map(({ values }) => values), bulk: isArray, ignored }
}

function countFaults(elements: readonly Json[], most: number): Violation[] {
  if (most === 0) return [validationProblems.type.at('', { expected: 'object' })]
  if (elements.length === 0) return [validationProblems.too_few_items.at('', { minimum: 1 })]
  if (elements.length > most) return [validationProblems.too_many_items.at('', { maximum: most })]
  return []
}

type Identity = { readonly iri: string; readonly id: string | undefined }

/** What is written; null for a new document, which has no identity yet. */
function identityOf(
  { method, path, body }: Operation,
  params: Readonly<Record<string, string>>,
): Identity | null {
  if (body?.mode !== 'patch' && method !== 'PUT') return null
  const iri = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  return { iri, id: Object.values(params).at(-1) }
}

/**
 * What names another resource than the one that is written. Clients of Hydra hold a document by its IRI, in `id` as in
 * `@id`; null and the empty text name nothing.
 */
function identityFaults(element: Json, own: Identity | null, base: Path): Violation[] {
  if (!isJsonObject(element)) return []
  return ['@id', 'id'].flatMap((name) => {
    const given = member(element as JsonObject, name) ?? ''
    const isOwn = own !== null && typeof given === 'string' && relativeIri(given) === own.iri
    if (given === '' || isOwn || (name === 'id' && own !== null && given === own.id)) return []
    return [validationProblems.identity_mismatch.at(pathText([...base, name]), { name })]
  })
}

function unknownFaults(names: readonly string[], shape: Shape): Violation[] {
  const known = Object.keys(shape.properties)
  return names.map((name) => validationProblems.unknown_property.at(name, { name, hint: hint(name, known) }))
}
