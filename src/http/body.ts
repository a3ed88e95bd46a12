import { findIgnoredMembers, hint, type IgnoredMember, readBody } from '../core/body.ts'
import { relativeIri, withOrigins } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, member } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import type { Operation, Upload } from '../core/operation.ts'
import { Problem, type Violation } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { validationProblems } from '../core/problems/validation.ts'
import type { Shape } from '../core/schema.ts'
import { decodeUtf8, JsonError, maximumJsonDepth, parseJson } from '../core/strict-json.ts'
import {
  fromVersion,
  type PathTranslator,
  pathTranslator,
  propertiesByName,
  translateViolation,
} from '../core/versions.ts'
import { maximumViolations, type Path, pathText, throwViolations } from '../core/violations.ts'
import { type RequestContext, required } from './request.ts'

/** Bytes that a body may have. */
const largestBody = byteLimits.body

/** What a body can be sent as. */
export const bodyTypes: Readonly<Record<'create' | 'patch', readonly string[]>> = {
  create: ['application/ld+json', 'application/json'],
  patch: ['application/merge-patch+json'],
}

/** @throws 415 `http.unsupported_media_type` with the types that are read, or `http.content_encoding` */
export function requireContentType(headers: Headers, types: readonly string[], method: string): void {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') throw httpProblems.content_encoding()
  const contentType = headers.get('content-type') ?? ''
  const [type, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((each) => each.startsWith('charset='))?.slice(8)
  const inUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  if (type !== undefined && types.includes(type) && inUtf8) return
  const accepted = types.join(', ')
  throw httpProblems.unsupported_media_type(
    { contentType: contentType.slice(0, 200) || '?' },
    { headers: { Accept: accepted, ...namedByMethod(method, accepted) } },
  )
}

/** PATCH and POST have headers of their own (RFC 5789 §3.1, LDP §7.1); what others take, `Accept` says (RFC 9110 §15.5.16). */
function namedByMethod(method: string, accepted: string): Record<string, string> {
  if (method === 'PATCH') return { 'Accept-Patch': accepted }
  return method === 'POST' ? { 'Accept-Post': accepted } : {}
}

/** The bytes of a body, counted as they arrive whatever length was announced. @throws 413 `http.body_too_large` */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => httpProblems.body_too_large({ limit: largestBody })
  if (Number(request.headers.get('content-length') ?? 0) > largestBody) throw tooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length
      if (length > largestBody) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    // A caller that went away in the midst of its body hears nothing; that is no failure of the service.
    throw error instanceof Problem ? error : httpProblems.malformed_json({ reason: 'cut off' })
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The JSON in a body's bytes. @throws 400 for what is not JSON in UTF-8, 422 for characters that cannot be stored */
export function jsonIn(bytes: Uint8Array): Json {
  const text = decoded(bytes)
  if (text.trim() === '') throw httpProblems.body_required()
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    if (error.reason === 'too_deep') throw httpProblems.body_too_deep({ limit: maximumJsonDepth })
    const path = pathText(error.path)
    if (error.reason === 'characters') throwViolations([validationProblems.characters.at(path)])
    throw httpProblems.malformed_json({ reason: error.position || path || '1:1' })
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw httpProblems.not_utf8()
  }
}

/** Written documents: from the caller's version into today's, against the shape, every violation at once. */

export type BodyInput = {
  readonly bodies: readonly Readonly<Record<string, Json>>[]
  readonly bulk: boolean
  readonly passedOver: readonly IgnoredMember[]
}

type Writing = Operation & { readonly body: NonNullable<Operation['body']> }

/** Judges how many an array holds, before any is read. @throws 422 when the operation takes no array, or not so many */
export function requireArraySize(json: Json, { body }: Writing): void {
  if (Array.isArray(json)) throwViolations(countFaults(json, body.bulk ?? 0))
}

/** Reads the JSON of a body. @throws 422 with every violation found */
export function readBodyInput(
  ...[json, operation, params, call, shapes]: Parameters<typeof read>
): BodyInput {
  return withOrigins(call.origins, () => read(json, operation, params, call, shapes))
}

function read(
  json: Json,
  operation: Writing,
  params: Readonly<Record<string, string>>,
  call: RequestContext,
  shapes: ReadonlyMap<string, Shape>,
): BodyInput {
  const { mode, shape = operation.shape } = operation.body
  const dialect = required(call.dialect)
  const isArray = Array.isArray(json)
  requireArraySize(json, operation)
  const { body, violations: misnamed } = fromVersion(json, shape, shapes, dialect)
  const elements = isJsonArray(body) ? body : [body]
  const identity = identityOf(operation, params)
  const translatePath = pathTranslator(dialect, shape, shapes)
  const faults = [...misnamed]
  const bodies = elements.map((element, index) => {
    const base = isArray ? [index] : []
    const { values, violations } = readBody(element, shape, mode, base)
    const found = [...violations, ...identityFaults(element, identity, base)]
    faults.push(...found.map((violation) => translateViolation(violation, translatePath)))
    return values
  })
  if (!call.strict) throwViolations(faults)
  const passedOver = elements.flatMap((each, index) =>
    findIgnoredMembers(each, shape, shapes, mode, isArray ? [index] : []),
  )
  if (call.strict) {
    const told = new Set(misnamed.map(({ propertyPath }) => propertyPath))
    const names = unknownNames(passedOver, translatePath).filter((name) => !told.has(name))
    faults.push(...unknownFaults(names, Object.keys(propertiesByName(shape, dialect))))
  }
  throwViolations(faults)
  return { bodies, bulk: isArray, passedOver }
}

/** The members that nobody knows, as the caller wrote them. */
export function unknownNames(passedOver: readonly IgnoredMember[], translatePath: PathTranslator): string[] {
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

/**
 * The file that a request brings, of which nothing is read yet. @throws 411 `http.length_required`, 413 `http.body_too_large` by
 * what is announced, 400 `http.body_required`
 */
export function uploadIn(request: Request, most: number): Upload {
  const announced = request.headers.get('content-length')
  const length = announced === null ? null : Number(announced)
  if (length === 0 || request.body === null) throw httpProblems.body_required()
  if (length === null || !Number.isSafeInteger(length) || length < 0) throw httpProblems.length_required()
  if (length > most) throw httpProblems.body_too_large({ limit: most })
  return { length, body: request.body }
}
