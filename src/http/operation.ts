/** One operation behind HTTP: permission, then what the caller takes and sends, then the answer as it wants it. */

import { zValidator } from '@hono/zod-validator'
import type { Context as HonoContext, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { answerTypesOf } from '../core/access.ts'
import { namesExpand, readExpand } from '../core/expand.ts'
import { isId, withOrigins } from '../core/iri.ts'
import type { Json } from '../core/json.ts'
import { lazily } from '../core/lazily.ts'
import { writableLocales } from '../core/locale.ts'
import { type Context, type Input, namesIn, type Operation } from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { localeProblems, versionProblems } from '../core/problems/validation.ts'
import { rendererOf } from '../core/render.ts'
import { requiredScopesFor, requiredScopesOf } from '../core/required-scopes.ts'
import type { Shape } from '../core/schema.ts'
import { selectedMembersOf } from '../core/select.ts'
import { fromVersion, type PathTranslator, pathTranslator, translateError } from '../core/versions.ts'
import { pathText, throwViolations, violationsOf } from '../core/violations.ts'
import { NotModified } from '../db/client.ts'
import { requireScopes } from './auth.ts'
import {
  bodyTypes,
  jsonIn,
  readBodyInput,
  readBytes,
  requireArraySize,
  requireContentType,
  unknownNames,
  uploadIn,
} from './body.ts'
import { contextOf } from './context.ts'
import { fingerprintOf, idempotencyKeyIn } from './headers.ts'
import { ignoredPaths } from './ignored-properties.ts'
import type { DocumentReaders } from './pages.ts'
import {
  ignoredParameters,
  missingParameters,
  queryViolations,
  selectionIn,
  unknownParameters,
} from './query.ts'
import { countRows } from './rate-limit.ts'
import { type AppEnv, ignoreProperties, namesHeader, type RequestContext, required } from './request.ts'
import { ifMatchOf, renderAnswer, requireAcceptable, responseOf } from './response.ts'
import {
  type CachedResponse,
  type RenderedResponse,
  requestedFreshness,
  responseKey,
} from './response-cache.ts'
import { type ServiceRuntime, serviceRuntimeOf } from './runtime.ts'

/** The handlers of an operation, in the order in which a request passes them. */
export function handlersOf(
  operation: Operation,
  shapes: ReadonlyMap<string, Shape>,
  libraries: DocumentReaders,
): MiddlewareHandler<AppEnv>[] {
  return [
    permission(operation, shapes),
    parameters(operation),
    taken(operation),
    query(operation),
    run(operation, shapes, libraries),
  ]
}

/** Everything that the request needs is demanded at once. */
function permission(operation: Operation, shapes: ReadonlyMap<string, Shape>): MiddlewareHandler<AppEnv> {
  return async function permission(c, next) {
    const { call } = c.var
    const dialect = required(call.dialect)
    const version = dialect.version.name
    const { onlyIn, path, shape } = operation
    if (onlyIn !== undefined && onlyIn !== version) {
      const detail = `${operation.method} ${path} is not in version ${version}. Ask for it with Service-Api-Version: ${onlyIn}.`
      const members = { availableIn: [onlyIn] }
      throw versionProblems.operation_unavailable({ version, availableIn: onlyIn }, { detail, members })
    }
    const sent = requiredScopesOf(operation).body.size === 0 ? null : await peeked(c.req.raw)
    call.demanded = withOrigins(call.origins, () => {
      const { shape: written = shape } = operation.body ?? {}
      const isSame = sent === null || !dialect.renames.has(written.type)
      const body = isSame ? sent : fromVersion(sent, written, shapes, dialect).body
      return requiredScopesFor(operation, call.url.searchParams, body)
    })
    requireScopes(required(call.actor), call.demanded, call.url)
    await next()
  }
}

const bytesRead = new WeakMap<Request, Promise<Uint8Array>>()

/** The bytes of a request's body, however often they are asked for. */
function bytesOf(request: Request): Promise<Uint8Array> {
  const bytes = bytesRead.get(request) ?? readBytes(request)
  bytesRead.set(request, bytes)
  return bytes
}

/** The body before it is judged: null where it cannot be read, which is told to whoever may send one. */
async function peeked(request: Request): Promise<Json> {
  try {
    return jsonIn(await bytesOf(request))
  } catch {
    return null
  }
}

/** Path parameters that are no ids name nothing: 404 as for an unknown one. */
function parameters(operation: Operation): MiddlewareHandler<AppEnv> {
  const validate = lazily<MiddlewareHandler<AppEnv>>(() => {
    const names = namesIn(operation.path)
    const schema = z.object(
      Object.fromEntries(names.map((name) => [name, operation.params?.[name] ?? z.string().refine(isId)])),
    )
    return zValidator('param', schema, (result, c) => {
      // Postgres stores no U+0000, so no name has one.
      const wrong = result.success
        ? Object.values(result.data).find((value) => String(value).includes('\0'))
        : c.req.param(String(result.error.issues[0]?.path[0]))
      if (!result.success || wrong !== undefined) throw operation.notFound({ id: String(wrong) })
    })
  })
  return (c, next) => validate()(c, next)
}

function taken(operation: Operation): MiddlewareHandler<AppEnv> {
  return async function taken(c, next) {
    const { headers } = c.req.raw
    if (operation.answers !== 'empty') requireAcceptable(headers)
    if (operation.body) requireContentType(headers, bodyTypes[operation.body.mode], operation.method)
    if (operation.upload) requireContentType(headers, operation.upload.types, operation.method)
    await next()
  }
}

/** Validates the query string, with all its violations at once. */
function query(operation: Operation): MiddlewareHandler<AppEnv> {
  const schema = lazily(() => z.object(operation.query))
  return async function query(c, next) {
    const { call } = c.var
    const violations: Violation[] = [...queryViolations(call.url, operation), ...selectionIn(call.url).faults]
    const expanded = expandIn(operation, call, violations)
    const ignored = ignoredParameters(call.url, operation)
    if (call.strict) violations.push(...unknownParameters(ignored, operation))
    else if (ignored.length > 0) call.headers.set('Service-Ignored-Parameters', namesHeader(ignored))
    const validate: MiddlewareHandler<AppEnv> = zValidator(
      'query',
      schema(),
      () => throwViolations(violations),
      {
        validationFunction(of, values) {
          const asked = { ...values, ...expanded }
          const result = withOrigins(call.origins, () => of.safeParse(asked, { reportInput: true }))
          if (!result.success) violations.push(...violationsOf(result.error).filter(isNew(violations)))
          // Alone, what is missing is told by the operation, after what it may ask.
          if (violations.length > 0) violations.push(...missingParameters(operation, asked))
          return result.success ? { ...result, data: inOrderOf(call.url, result.data) } : result
        },
      },
    )
    return validate(c, next)
  }
}

/** Parameters in the order in which they were asked: the first order weighs most. */
function inOrderOf({ searchParams }: URL, parsed: Readonly<Record<string, unknown>>) {
  const names = [...searchParams.keys()]
  const place = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length)
  return Object.fromEntries(Object.entries(parsed).toSorted(([a], [b]) => place(a) - place(b)))
}

/** A parameter that is wrong already is not wrong for a second reason. */
function isNew(violations: readonly Violation[]): (found: Violation) => boolean {
  const told = new Set(violations.map((each) => each.propertyPath))
  return (found) => !told.has(found.propertyPath)
}

/** The paths to expand in current names; empty if the query has no `expand`. */
function expandIn(
  operation: Operation,
  { url, dialect }: RequestContext,
  violations: Violation[],
): { expand?: readonly string[] } {
  const written = [...url.searchParams].flatMap(([name, value]) => (namesExpand(name) ? [value] : []))
  if (operation.query.expand === undefined || written.length === 0) return {}
  const { paths, faults } = readExpand(written, operation, required(dialect))
  violations.push(...faults.filter(isNew(violations)))
  return { expand: paths }
}

function run(
  operation: Operation,
  shapes: ReadonlyMap<string, Shape>,
  libraries: DocumentReaders,
): MiddlewareHandler<AppEnv> {
  const reached = lazily(() => answerTypesOf(operation, shapes))
  return async function run(c) {
    const reach = reached()
    const { call } = c.var
    const request = c.req.raw
    const { params, query } = validated(c)
    // A header that cannot be read is told before what the body may hold.
    const key = operation.method === 'GET' ? null : idempotencyKeyIn(request.headers)
    const { passedOver, ...read } = await written(operation, params, c, shapes)
    const upload = operation.upload ? uploadIn(request, operation.upload.most) : null
    const input = { params, query, upload, ...read }
    const speech = `${call.locale.asked} ${required(call.dialect).version.name}`
    const dialect = required(call.dialect)
    const { selection } = selectionIn(call.url)
    const context = contextOf(c, {
      outline: selectedMembersOf(selection, operation.shape, dialect),
      ifMatch: operation.method === 'GET' ? null : ifMatchOf(request.headers),
      idempotency:
        key === null
          ? null
          : { key, fingerprint: await fingerprintOf(request, call.url, input.bytes, speech) },
    })
    const translatePath = translatorOf(operation, call, shapes)
    const make = async () => {
      const answer = await operation.run(context, input).catch((error) => {
        throw translateError(error, translatePath)
      })
      if (passedOver.length > 0) {
        const { method, body, shape } = operation
        const exists = body?.mode === 'patch' || method === 'PUT'
        const type = (body?.shape ?? shape).type
        const hidden = context.sight.hidden(reach)
        const paths = ignoredPaths(passedOver, answer, { exists, type, hidden, origins: call.origins })
        ignoreProperties(
          call,
          paths.map((path) => translatePath(pathText(path))),
        )
      }
      const render = rendererOf({ dialect, sight: context.sight, selection }, reach)
      return renderAnswer(answer, operation, call, render, libraries(c.env))
    }
    const made = operation.mayBeKept
      ? await remembered(serviceRuntimeOf(c.env), call, context, request.headers, make)
      : await make()
    call.bytes = made.body.byteLength
    return responseOf(made, operation.method === 'GET', request)
  }
}

/**
 * An answer from memory where the tenant's clock stands as it did, or where the caller takes one of its age, then also from the cache of
 * the data centre; else made and kept.
 */
async function remembered(
  { memory, dataCentre }: Pick<ServiceRuntime, 'memory' | 'dataCentre'>,
  call: RequestContext,
  { db, sight, later }: Pick<Context, 'db' | 'sight' | 'later'>,
  headers: Headers,
  make: () => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const { maxAge, isNew } = requestedFreshness(headers)
  const key = responseKey(call, sight.grants)
  const ageOf = ({ seen }: CachedResponse) => Math.max(0, (call.now.getTime() - seen) / 1000)
  const isYoung = (answer: CachedResponse) => maxAge !== null && ageOf(answer) <= maxAge
  const own = isNew ? undefined : memory.at(key)
  const others = maxAge !== null && !(own && isYoung(own)) ? await dataCentre?.at(key) : undefined
  const kept = others && (!own || others.seen > own.seen) ? others : own
  if (kept && isYoung(kept)) {
    if (kept !== own) memory.keep(key, kept)
    call.headers.set('Age', String(Math.floor(ageOf(kept))))
    return kept.made
  }
  const keep = (answer: CachedResponse) => {
    memory.keep(key, answer)
    // Nobody else asks there.
    if (maxAge !== null && dataCentre) later(() => dataCentre.keep(key, answer))
    return answer.made
  }
  const seen = call.now.getTime()
  db.followClock(kept?.clock ?? null)
  try {
    const made = await make()
    // What was read at two moments is of neither.
    return db.clock !== null && db.spent.trips === 1 ? keep({ made, clock: db.clock, seen }) : made
  } catch (error) {
    if (!(error instanceof NotModified) || !kept) throw error
    return keep({ ...kept, seen })
  }
}

/** Paths into a body of an operation, as its caller writes them. */
function translatorOf(
  { body, shape }: Operation,
  { dialect }: RequestContext,
  shapes: ReadonlyMap<string, Shape>,
): PathTranslator {
  return pathTranslator(required(dialect), body?.shape ?? shape, shapes)
}

/** What the validators in front have read; Hono types it only where routes are written out. */
function validated(c: HonoContext<AppEnv>) {
  const request: {
    valid(target: 'param'): Input['params']
    valid(target: 'query'): Input['query']
  } = c.req
  return { params: request.valid('param'), query: request.valid('query') }
}

const nothing = { bodies: [], bulk: false, bytes: new Uint8Array(), passedOver: [] }

async function written(
  operation: Operation,
  params: Readonly<Record<string, string>>,
  c: HonoContext<AppEnv>,
  shapes: ReadonlyMap<string, Shape>,
) {
  const { body } = operation
  if (!body) return nothing
  const { call } = c.var
  const { locale } = call
  const writable = writableLocales(required(call.tenant))
  if (!writable.includes(locale.asked)) {
    throwViolations([
      localeProblems.not_declared.at('', { locale: locale.asked, locales: writable.join(', ') }),
    ])
  }
  const bytes = await bytesOf(c.req.raw)
  const json = jsonIn(bytes)
  requireArraySize(json, { ...operation, body })
  // Before they are judged: a bulk that is refused was work too.
  if (Array.isArray(json)) await countRows(json.length, call, c.env)
  const read = readBodyInput(json, { ...operation, body }, params, call, shapes)
  // What is read-only is compared with the answer; what is unknown is told even where there is none.
  ignoreProperties(call, unknownNames(read.passedOver, translatorOf({ ...operation, body }, call, shapes)))
  return { ...read, bytes }
}
