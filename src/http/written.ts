/** Written documents: from the caller's version into today's, against the shape, every violation at once. */
import { hint, readBody } from '../core/body.ts'
import { readingAt, relativeIri } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, member } from '../core/json.ts'
import type { Operation } from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { validationProblems } from '../core/problems/index.ts'
import type { Shape } from '../core/property.ts'
import { type Unwritten, unwritten } from '../core/unwritten.ts'
import {
  fromVersion,
  type PathTranslator,
  pathTranslator,
  propertiesByName,
  translateViolation,
} from '../core/versions.ts'
import { countingFaults, Faults, maximumViolations, type Path, pathText, refuse } from '../core/violations.ts'
import { type Call, established } from './call.ts'

export type Written = {
  readonly bodies: readonly Readonly<Record<string, Json>>[]
  readonly bulk: boolean
  readonly passedOver: readonly Unwritten[]
}

type Writing = Operation & { readonly body: NonNullable<Operation['body']> }

/** Judges how many an array holds, before any is read. @throws 422 when the operation takes no array, or not so many */
export function demandCount(json: Json, { body }: Writing): void {
  if (Array.isArray(json)) refuse(countFaults(json, body.bulk ?? 0))
}

/** Reads the JSON of a body. @throws 422 with every violation found */
export function readWritten(...[json, operation, params, call, shapes]: Parameters<typeof read>): Written {
  return readingAt(call.origins, () => countingFaults(() => read(json, operation, params, call, shapes)))
}

function read(
  json: Json,
  operation: Writing,
  params: Readonly<Record<string, string>>,
  call: Call,
  shapes: ReadonlyMap<string, Shape>,
): Written {
  const { mode, shape = operation.shape } = operation.body
  const dialect = established(call.dialect)
  const isArray = Array.isArray(json)
  demandCount(json, operation)
  const { body, violations: misnamed } = fromVersion(json, shape, shapes, dialect)
  const elements = isJsonArray(body) ? body : [body]
  const identity = identityOf(operation, params)
  const translatePath = pathTranslator(dialect, shape, shapes)
  const faults = new Faults()
  faults.add(...misnamed)
  const bodies = elements.map((element, index) => {
    const base = isArray ? [index] : []
    if (faults.areEnough) return {}
    const { values, violations } = readBody(element, shape, mode, base)
    const found = [...violations, ...identityFaults(element, identity, base)]
    faults.add(...found.map((violation) => translateViolation(violation, translatePath)))
    return values
  })
  if (!call.strict) refuse(faults.found)
  const passedOver = elements.flatMap((each, index) =>
    unwritten(each, shape, shapes, mode, isArray ? [index] : []),
  )
  if (call.strict) {
    const told = new Set(misnamed.map(({ propertyPath }) => propertyPath))
    const names = unknownNames(passedOver, translatePath).filter((name) => !told.has(name))
    faults.add(...unknownFaults(names, Object.keys(propertiesByName(shape, dialect))))
  }
  refuse(faults.found)
  return { bodies, bulk: isArray, passedOver }
}

/** The members that nobody knows, as the caller wrote them. */
export function unknownNames(passedOver: readonly Unwritten[], translatePath: PathTranslator): string[] {
  return passedOver.filter(({ readOnly }) => !readOnly).map(({ path }) => translatePath(pathText(path)))
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
    const given = member(element, name) ?? ''
    const isOwn = own !== null && typeof given === 'string' && relativeIri(given) === own.iri
    if (given === '' || isOwn || (name === 'id' && own !== null && given === own.id)) return []
    return [validationProblems.identity_mismatch.at(pathText([...base, name]), { name })]
  })
}

function unknownFaults(names: readonly string[], known: readonly string[]): Violation[] {
  // Of a name that the shape has, the place is wrong: nothing was mistyped.
  const isElsewhere = (name: string) => known.some((each) => name.endsWith(`.${each}`))
  return names.slice(0, maximumViolations).map((name) => {
    const near = isElsewhere(name) ? '' : hint(name, known)
    return validationProblems.unknown_property.at(name, { name, hint: near })
  })
}
