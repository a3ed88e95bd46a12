/** The middleware of one operation: scopes, validation of path, query and body, then the operation itself. */

import { zValidator } from '@hono/zod-validator'
import type { Context as HonoContext, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { answerTypesOf } from '../core/access.ts'
import { bodySchema, ignoredMembersOfBody, readWholeBody } from '../core/body.ts'
import { namesExpand, readExpand } from '../core/expand.ts'
import { isId } from '../core/iri.ts'
import { isJsonArray, isJsonObject } from '../core/json.ts'
import { writableLocales } from '../core/locale.ts'
import { log } from '../core/log.ts'
import { type UniqueNames, withNameHolders } from '../core/name-holders.ts'
import {
  type Answer,
  bodyTypesOf,
  comparesIfMatch,
  type Input,
  namesIn,
  type Operation,
} from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { localeProblems, versionProblems } from '../core/problems/validation.ts'
import { rendererOf } from '../core/render.ts'
import { missingParameters, scopesByNameOf, scopesOfRequest } from '../core/required-scopes.ts'
import type { Shape } from '../core/schema.ts'
import { selectedMembersOf } from '../core/select.ts'
import {
  type ApiVersion,
  fromVersion,
  pathTranslator,
  translateError,
  translateViolation,
} from '../core/versions.ts'
import { pathText, throwViolations, violationsOf } from '../core/violations.ts'
import { requireScopesOfActor } from './auth.ts'
import { performBatch } from './batch.ts'
import {
  bodyBytes,
  identityViolations,
  jsonIn,
  mistakenMembers,
  requireArraySize,
  requireContentType,
  unknownViolations,
  uploadIn,
} from './body.ts'
import { contextOf } from './context.ts'
import { withEffects } from './dry-run.ts'
import { exportedLines, exportedOperation, exportQuery, type List } from './export.ts'
import { fingerprintOf, idempotencyKeyIn } from './headers.ts'
import { ignoredPathsAfterWrite } from './ignored-properties.ts'
import type { DocumentReaders } from './pages.ts'
import {
  ignoredParameters,
  mistakenParameters,
  type QueryTexts,
  queryViolations,
  selectionIn,
  sentPath,
  unknownParameters,
  unknownSelections,
  withOpenNames,
} from './query.ts'
import { countRows, waitForRead } from './rate-limit.ts'
import { type AppEnv, logFieldsOf, namesHeader, reportIgnoredProperties } from './request.ts'
import {
  exportResponse,
  ifMatchOf,
  isCreated,
  renderAnswer,
  requireAcceptable,
  requiredExistenceOf,
  responseOf,
  wantsLines,
} from './response.ts'
import { cachedResponse } from './response-cache.ts'
import { serviceRuntimeOf } from './runtime.ts'
import { publicAnswer, requirePublic, sharedFreshness } from './storefront.ts'
import type { PerformJointly } from './subrequests.ts'

type Shapes = ReadonlyMap<string, Shape>
/** The parts of the service that its operations share. */
type Service = {
  readonly shapes: Shapes
  readonly uniqueNames: UniqueNames
  readonly libraries: DocumentReaders
}
type WriteOperation = Operation & { readonly body: NonNullable<Operation['body']> }

/** The middleware of an operation, in the order in which a request passes it. */
export function handlersOf(operation: Operation, service: Service): MiddlewareHandler<AppEnv>[] {
  const { body } = operation
  const { shapes } = service
  return [
    ...requestHandlersOf(operation, shapes),
    ...(body
      ? [parseBody({ ...operation, body }, shapes), validateBody({ ...operation, body }, shapes)]
      : []),
    run(operation, service),
  ]
}

/** The middleware of a batch, whose elements pass that of the operation that changes one resource. */
export function batchHandlersOf(
  operation: Operation,
  { shapes }: Service,
  performJointly: PerformJointly,
): MiddlewareHandler<AppEnv>[] {
  return [...requestHandlersOf(operation, shapes), performBatch(operation, performJointly)]
}

/** The middleware before the body is parsed. */
function requestHandlersOf(operation: Operation, shapes: Shapes): MiddlewareHandler<AppEnv>[] {
  return [
    requireApiVersion(operation),
    requireScopes(operation, shapes),
    validatePath(operation),
    requireMediaTypes(operation),
    validateQuery(operation, shapes),
    readIdempotencyKey(operation),
  ]
}

function requireApiVersion({ method, path, onlyIn }: Operation): MiddlewareHandler<AppEnv> {
  return async function requireApiVersion(c, next) {
    const version = c.get('apiVersion').version.name
    if (onlyIn !== undefined && onlyIn !== version) {
      const help = `The operation is ${method} ${path}. Send Service-Api-Version: ${onlyIn}.`
      const members = { availableIn: [onlyIn] }
      throw versionProblems.operation_unavailable({ version, availableIn: onlyIn }, { help, members })
    }
    await next()
  }
}

/** Requires all scopes that follow from the request at once, also those that members of the body need. */
function requireScopes(operation: Operation, shapes: Shapes): MiddlewareHandler<AppEnv> {
  const { shape = operation.shape } = operation.body ?? {}
  const scopesByName = scopesByNameOf(operation)
  const dependOnBody = scopesByName.body.size > 0
  return async function requireScopes(c, next) {
    const url = c.get('url')
    // A body that cannot be parsed is reported later, to callers who may send one.
    const json = dependOnBody
      ? await bodyBytes(c.req.raw)
          .then(jsonIn)
          .catch(() => null)
      : null
    const { body } = fromVersion(json, shape, shapes, c.get('apiVersion'))
    const { isPublic } = c.get('actor')
    if (isPublic) requirePublic(operation)
    // A public operation needs no scope of its own.
    const requiredScopes = scopesOfRequest(
      isPublic ? { ...operation, scope: null } : operation,
      url.searchParams,
      body,
      scopesByName,
    )
    c.set('requiredScopes', requiredScopes)
    requireScopesOfActor(c.get('actor'), requiredScopes, url)
    await next()
  }
}

/** An invalid id in the path is 404, like an unknown one. */
function validatePath(operation: Operation): MiddlewareHandler<AppEnv> {
  const parameters = namesIn(operation.path).map((name): [string, z.ZodType] => [
    name,
    // Postgres stores no U+0000.
    operation.params?.[name]?.refine((value) => !String(value).includes('\0')) ?? z.string().refine(isId),
  ])
  return zValidator('param', z.object(Object.fromEntries(parameters)), (result, c) => {
    if (result.success) return
    const [issue] = result.error.issues
    throw operation.notFound({ id: c.req.param(String(issue?.path[0])) ?? '' })
  })
}

/** Requires media types that the operation and the caller both accept. */
function requireMediaTypes(operation: Operation): MiddlewareHandler<AppEnv> {
  const { method, body, upload } = operation
  return async function requireMediaTypes(c, next) {
    const { headers } = c.req.raw
    requireAcceptable(headers, operation)
    if (body) requireContentType(headers, bodyTypesOf(body), method)
    if (upload) requireContentType(headers, upload.types, method)
    await next()
  }
}

/** Lets a violation contain the input, by which a missing value differs from one of a wrong type. */
const withInput = {
  validationFunction: (schema: z.ZodType, value: unknown) => schema.safeParse(value, { reportInput: true }),
}

function validateQuery(operation: Operation, shapes: Shapes): MiddlewareHandler<AppEnv> {
  const { expand: _, ...parameters } = operation.query
  return zValidator(
    'query',
    z.preprocess((texts: QueryTexts) => withOpenNames(texts, parameters), z.object(parameters)),
    (result, c: HonoContext<AppEnv>) => {
      const url = c.get('url')
      const { paths, faults } = selectionIn(url)
      const violations = [...queryViolations(url, operation), ...faults]
      // Each parameter is reported once.
      const addNew = (more: readonly Violation[]) => {
        const paths = new Set(violations.map(({ propertyPath }) => propertyPath))
        violations.push(...more.filter(({ propertyPath }) => !paths.has(propertyPath)))
      }
      addNew(expandIn(operation, url, c.get('apiVersion')).faults)
      const used = wantsLines(c.req.raw.headers, operation) ? exportedOperation(operation) : operation
      const ignored = ignoredParameters(url, used)
      const unknown = unknownSelections(paths, operation.shape, shapes, c.get('apiVersion'))
      const names = [...ignored, ...unknown.map(({ name }) => name)]
      if (c.get('isStrict'))
        violations.push(...unknownParameters(ignored, used), ...unknown.map(({ violation }) => violation))
      else if (!c.get('isLenient')) violations.push(...mistakenParameters(ignored, used, c.get('apiVersion')))
      const rejected = violations.map(({ propertyPath }) => propertyPath)
      const accepted = c.get('isStrict') ? [] : names.filter((name) => !rejected.includes(name))
      if (accepted.length > 0)
        c.get('responseHeaders').set('Service-Ignored-Parameters', namesHeader(accepted))
      if (!result.success) {
        const issues = result.error.issues.map((issue) => ({ ...issue, path: sentPath(issue.path) }))
        addNew(violationsOf({ issues }))
      }
      // Without other violations, the operation reports missing parameters after it has checked what the caller may see.
      if (violations.length > 0)
        throwViolations([...violations, ...missingParameters(url.searchParams, operation)])
    },
    withInput,
  )
}

function expandIn(operation: Operation, url: URL, apiVersion: ApiVersion) {
  const paths = [...url.searchParams].flatMap(([name, value]) => (namesExpand(name) ? [value] : []))
  if (operation.query.expand === undefined || paths.length === 0) return { paths: null, faults: [] }
  return readExpand(paths, operation, apiVersion)
}

function readIdempotencyKey({ method }: Operation): MiddlewareHandler<AppEnv> {
  return async function readIdempotencyKey(c, next) {
    c.set('idempotencyKey', method === 'GET' ? null : idempotencyKeyIn(c.req.raw.headers))
    await next()
  }
}

/** Parses a JSON body into current names, which `c.req.json()` returns from then on. */
function parseBody(operation: WriteOperation, shapes: Shapes): MiddlewareHandler<AppEnv> {
  const { shape = operation.shape } = operation.body
  return async function parseBody(c, next) {
    const { tenant, locale, apiVersion } = c.var
    const locales = writableLocales(tenant)
    if (!locales.includes(locale.requested)) {
      throwViolations([
        localeProblems.not_declared.at('', { locale: locale.requested, locales: locales.join(', ') }),
      ])
    }
    const json = jsonIn(await bodyBytes(c.req.raw))
    c.set('received', json)
    requireArraySize(json, operation)
    // Counted before validation, because a rejected array costs work too.
    if (isJsonArray(json)) await countRows(json.length, c)
    const parsed = fromVersion(json, shape, shapes, apiVersion)
    // The property is validated as if the body had it.
    const body =
      operation.isUpsert && isJsonObject(parsed.body)
        ? { ...parsed, body: { externalId: c.req.param('externalId') ?? '', ...parsed.body } }
        : parsed
    c.set('body', body)
    Object.assign(c.req, { json: async () => body.body })
    await next()
  }
}

function validateBody(operation: WriteOperation, shapes: Shapes): MiddlewareHandler<AppEnv> {
  const { mode, shape = operation.shape } = operation.body
  const one = bodySchema(shape, mode)
  return zValidator(
    'json',
    z.union([z.array(one), one]),
    (result, c: HonoContext<AppEnv>) => {
      const { apiVersion, isStrict, isLenient } = c.var
      const { body, violations: misnamed } = c.var.body
      const translatePath = pathTranslator(apiVersion, shape, shapes)
      const invalid = [
        ...(result.success ? [] : violationsOf(result.error)),
        ...identityViolations(body, operation, c.req.param()),
      ]
      const violations = [
        ...misnamed,
        ...invalid.map((violation) => translateViolation(violation, translatePath)),
      ]
      const members = isJsonArray(body)
        ? body.flatMap((element, index) => ignoredMembersOfBody(element, shape, shapes, mode, [index]))
        : ignoredMembersOfBody(body, shape, shapes, mode)
      const unknown = members.flatMap(({ path, readOnly }) => (readOnly ? [] : translatePath(pathText(path))))
      if (isStrict) violations.push(...unknownViolations(unknown, misnamed, shape, apiVersion))
      else if (!isLenient) violations.push(...mistakenMembers(members, shape, shapes, translatePath))
      throwViolations(violations)
      reportIgnoredProperties(c.var, unknown)
      c.set('ignoredMembers', members)
    },
    withInput,
  )
}

function run(operation: Operation, service: Service): MiddlewareHandler<AppEnv> {
  const { method, shape, body, upload } = operation
  const { shapes, uniqueNames, libraries } = service
  const answerTypes = answerTypesOf(operation, shapes)
  return async function run(c) {
    const request = c.req.raw
    const variables = c.var
    const { url, apiVersion, locale, dryRun } = variables
    const key = dryRun ? null : variables.idempotencyKey
    if (dryRun && upload) throw httpProblems.dry_run_unsupported()
    const { selection } = selectionIn(url)
    const input = { ...validInput(c, operation), upload: upload ? uploadIn(request, upload.most) : null }
    const bytes = variables.batchDigest ?? (body ? await bodyBytes(request) : new Uint8Array())
    const versions = method === 'GET' ? null : ifMatchOf(request.headers, variables.tenant)
    const exists = operation.isUpsert ? requiredExistenceOf(request.headers) : null
    const context = contextOf(c, {
      selectedMembers: selectedMembersOf(selection, shape, answerTypes.shapes, apiVersion),
      ifMatch: comparesIfMatch(operation) ? { versions, exists, isCompared: false } : null,
      idempotency:
        key === null
          ? null
          : { key, ...(await fingerprintOf(request, url, bytes, locale.requested, apiVersion.version.name)) },
    })
    const translatePath = pathTranslator(apiVersion, body?.shape ?? shape, shapes)
    const render = rendererOf({ apiVersion, access: context.access, selection }, answerTypes)
    const answerOf = async (query: Input['query']) => {
      const answer = await operation.run(context, { ...input, query }).catch(async (error) => {
        throw translateError(await withNameHolders(error, context, uniqueNames), translatePath)
      })
      return variables.tenant.storefront ? publicAnswer(answer) : answer
    }
    const respond = async () => {
      const answer = await answerOf(input.query)
      if (body) {
        const paths = ignoredPathsAfterWrite(variables.ignoredMembers, answer, {
          exists: (body.mode === 'patch' || method === 'PUT') && !isCreated(answer),
          type: (body.shape ?? shape).type,
          hidden: context.access.hiddenProperties(answerTypes),
        })
        reportIgnoredProperties(
          variables,
          paths.map((path) => translatePath(pathText(path))),
        )
      }
      return renderAnswer(answer, operation, variables, render, libraries(c.env))
    }
    const respondToWrite = async () => {
      const response = await respond()
      return dryRun ? withEffects(response, dryRun.effects(context)) : response
    }
    if (wantsLines(request.headers, operation)) {
      const query = exportQuery(operation, input.query)
      const read = async (pageQuery: Input['query']) => {
        // Each page counts as a read. The first one is the request itself.
        if (pageQuery !== query) await waitForRead(c)
        return listOf(await answerOf(pageQuery))
      }
      const onError = (error: unknown) => log('export_failed', logFieldsOf(variables), {}, error)
      const first = await read(query)
      const lines = exportedLines(first, { operation, query, path: url.pathname, read, render, onError })
      return exportResponse(first, lines)
    }
    const response = operation.isCacheable
      ? await cachedResponse(serviceRuntimeOf(c.env), variables, context, request.headers, respond)
      : await respondToWrite()
    c.set('responseBytes', response.body.byteLength)
    const result = responseOf(response, method === 'GET', request)
    const { tenant, now } = variables
    if (tenant.storefront)
      result.headers.set('Cache-Control', sharedFreshness(tenant.storefront, response.cachedUntil, now))
    return result
  }
}

/** The validated input. Hono infers its type only for routes that are written out. */
function validInput(c: HonoContext<AppEnv>, operation: Operation): Omit<Input, 'upload'> {
  const request: {
    valid(target: 'param'): Input['params']
    valid(target: 'query'): Input['query']
    valid(target: 'json'): Input['bodies'][number] | Input['bodies']
  } = c.req
  const url = c.get('url')
  const { paths } = expandIn(operation, url, c.get('apiVersion'))
  const query = { ...request.valid('query'), ...(paths && { expand: paths }) }
  // In the order of the request: the first of several orders weighs most.
  const names = [...url.searchParams.keys()]
  const position = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length)
  const json = operation.body ? request.valid('json') : []
  return {
    params: request.valid('param'),
    query: Object.fromEntries(Object.entries(query).toSorted(([a], [b]) => position(a) - position(b))),
    bodies: [json].flat(),
    bulk: operation.body !== undefined && Array.isArray(json),
    creation: () => readWholeBody(c.get('body').body, operation.shape),
  }
}

function listOf(answer: Answer): List {
  if (answer.kind !== 'collection')
    throw new Error(`An export reads lists, not an answer of kind ${answer.kind}.`)
  return answer
}
