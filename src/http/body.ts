import type { IgnoredMember } from '../core/body.ts'
import { relativeIri } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, member } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import type { Operation, Upload } from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { validationProblems } from '../core/problems/validation.ts'
import type { Shape } from '../core/schema.ts'
import { hint } from '../core/similar-names.ts'
import { boundedBytes, truncate } from '../core/sizes.ts'
import { decodeUtf8, JsonError, maximumJsonDepth, parseJson } from '../core/strict-json.ts'
import { type ApiVersion, propertiesByName } from '../core/versions.ts'
import { maximumViolations, type Path, pathText, throwViolations } from '../core/violations.ts'
import frequentMistakes from './frequent-mistakes.json' with { type: 'json' }

const largestBody = byteLimits.body

/** @throws 415 `http.unsupported_media_type` with the types that are read, or `http.content_encoding` */
export function requireContentType(headers: Headers, types: readonly string[], method: string): void {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') {
    throw httpProblems.content_encoding(undefined, {
      help: `Content-Encoding is ${truncate(encoding, 100)}. Send the body without it.`,
    })
  }
  const contentType = headers.get('content-type') ?? ''
  const [type, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8)
  const inUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  if (type !== undefined && types.includes(type) && inUtf8) return
  const accepted = types.join(', ')
  throw httpProblems.unsupported_media_type(
    { contentType: contentType.slice(0, 200) || '?' },
    { help: `Send it as ${accepted}.`, headers: { Accept: accepted, ...namedByMethod(method, accepted) } },
  )
}

/** PATCH and POST have headers of their own (RFC 5789 §3.1, LDP §7.1); what others take, `Accept` says (RFC 9110 §15.5.16). */
function namedByMethod(method: string, accepted: string): Record<string, string> {
  if (method === 'PATCH') return { 'Accept-Patch': accepted }
  return method === 'POST' ? { 'Accept-Post': accepted } : {}
}

/** The bytes of a request's body, which several middlewares read. @throws 413 `http.body_too_large` */
export function bodyBytes(request: Request): Promise<Uint8Array> {
  const bytes = bodies.get(request) ?? readBytes(request)
  bodies.set(request, bytes)
  return bytes
}

const bodies = new WeakMap<Request, Promise<Uint8Array>>()

/** The bytes of a body, counted as they arrive whatever length was announced. @throws 413 `http.body_too_large` */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => httpProblems.body_too_large({ limit: largestBody })
  if (Number(request.headers.get('content-length') ?? 0) > largestBody) throw tooLarge()
  const bytes = await boundedBytes(request.body, largestBody).catch(() => {
    // The caller disconnected, and no response reaches it. That is no failure of the service.
    throw httpProblems.malformed_json({ reason: 'cut off' })
  })
  if (bytes === null) throw tooLarge()
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

/** Checks the number of elements before any is validated. @throws 422 if the operation accepts no array, or not so many elements */
export function requireArraySize(json: Json, { body }: Pick<Operation, 'body'>): void {
  if (!isJsonArray(json)) return
  const maximum = body?.bulk ?? 0
  if (maximum === 0) throwViolations([validationProblems.type.at('', { expected: 'object' })])
  if (json.length === 0) throwViolations([validationProblems.too_few_items.at('', { minimum: 1 })])
  if (json.length > maximum) throwViolations([validationProblems.too_many_items.at('', { maximum })])
}

/** Violations for members that identify another resource than the request's path, in one body or in each of several. */
export function identityViolations(
  json: Json,
  operation: Operation,
  params: Readonly<Record<string, string>>,
): Violation[] {
  if (operation.isUpsert) {
    // The caller does not have to know the ids of the resource.
    const isOther = isJsonObject(json) && member(json, 'externalId') !== params.externalId
    return isOther ? [validationProblems.identity_mismatch.at('externalId', { name: 'externalId' })] : []
  }
  const identity = identityOf(operation, params)
  if (!isJsonArray(json)) return violationsOfIdentity(json, identity, [])
  return json.flatMap((element, index) => violationsOfIdentity(element, identity, [index]))
}

type Identity = { readonly iri: string; readonly id: string | undefined }

/** The identity of the written resource; null for a new one. */
function identityOf(
  { method, path, body }: Operation,
  params: Readonly<Record<string, string>>,
): Identity | null {
  if (body?.mode !== 'patch' && method !== 'PUT') return null
  const iri = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  return { iri, id: Object.values(params).at(-1) }
}

/**
 * Violations for `@id` and `id` of another resource than the written one. Clients of Hydra hold a document by its IRI, in
 * `id` as in `@id`. Null and the empty text name no resource.
 */
function violationsOfIdentity(element: Json, identity: Identity | null, base: Path): Violation[] {
  if (!isJsonObject(element)) return []
  return ['@id', 'id'].flatMap((name) => {
    const value = member(element, name) ?? ''
    const isSame = identity !== null && typeof value === 'string' && relativeIri(value) === identity.iri
    if (value === '' || isSame || (name === 'id' && identity !== null && value === identity.id)) return []
    return [validationProblems.identity_mismatch.at(pathText([...base, name]), { name })]
  })
}

/** Violations of strict handling for unknown members that are not reported as misnamed. */
export function unknownViolations(
  names: readonly string[],
  misnamed: readonly Violation[],
  shape: Shape,
  apiVersion: ApiVersion,
): Violation[] {
  const knownNames = Object.keys(propertiesByName(shape, apiVersion))
  // A known name in another place is not mistyped.
  const isElsewhere = (name: string) => knownNames.some((knownName) => name.endsWith(`.${knownName}`))
  return names
    .filter((name) => !misnamed.some(({ propertyPath }) => propertyPath === name))
    .slice(0, maximumViolations)
    .map((name) => {
      const suggestion = isElsewhere(name) ? '' : hint(name, knownNames)
      return validationProblems.unknown_property.at(name, { name, hint: suggestion })
    })
}

/** Violations for unknown members that callers frequently send by mistake, with the way to do it. */
export function mistakenMembers(
  members: readonly IgnoredMember[],
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  translatePath: (path: string) => string,
): Violation[] {
  return members.flatMap(({ path, readOnly }) => {
    const name = String(path.at(-1))
    const type = path
      .slice(0, -1)
      .reduce<Shape | undefined>(
        (owner, part) =>
          typeof part === 'number' ? owner : shapes.get(owner?.properties[part]?.objectType ?? ''),
        shape,
      )?.type
    const mistake = frequentMistakes.members.find((each) => each.type === type && each.names.includes(name))
    if (readOnly || !mistake) return []
    const at = translatePath(pathText(path))
    return [validationProblems.unknown_property.at(at, { name, hint: '' }, mistake.help)]
  })
}

/**
 * The file in a request's body, as an unread stream. @throws 411 `http.length_required`, 413 `http.body_too_large` if
 * Content-Length exceeds the limit, 400 `http.body_required`
 */
export function uploadIn(request: Request, maximum: number): Upload {
  const announced = request.headers.get('content-length')
  const length = announced === null ? null : Number(announced)
  if (length === 0 || request.body === null)
    throw httpProblems.body_required(undefined, {
      help: 'The request has no body. Send the bytes of the file.',
    })
  if (length === null || !Number.isSafeInteger(length) || length < 0) throw httpProblems.length_required()
  if (length > maximum) throw httpProblems.body_too_large({ limit: maximum })
  return { length, body: request.body }
}
