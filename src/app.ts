/** The HTTP pipeline: the middleware that runs before and after each operation, in order. */

import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { uuidv7 } from 'uuidv7'
import { shapesOf } from './core/access.ts'
import { withOrigins } from './core/iri.ts'
import { log, runInBackground } from './core/log.ts'
import { uniqueNamesOf } from './core/name-holders.ts'
import { type Resource, toolPaths } from './core/operation.ts'
import { Problem } from './core/problem.ts'
import { authProblems } from './core/problems/auth.ts'
import { httpProblems } from './core/problems/http.ts'
import { serverProblems } from './core/problems/server.ts'
import { truncate } from './core/sizes.ts'
import { traceIn } from './core/trace.ts'
import type { Database, Session } from './db/client.ts'
import { areConsistent, type Bindings, settingsOf } from './env.ts'
import { type AuthenticationOptions, authenticate, isToolPath, requireScopesOfActor } from './http/auth.ts'
import { jsonIn, readBytes } from './http/body.ts'
import { contextOf } from './http/context.ts'
import { isPreflight, preflight } from './http/cors.ts'
import { dryRunHeader, dryRunOf, isDryRun } from './http/dry-run.ts'
import { problemResponse } from './http/errors.ts'
import { preferencesIn, requestedLocale, requestedVersion } from './http/headers.ts'
import { builtMessages, type MessageReader } from './http/messages.ts'
import { batchHandlersOf, handlersOf } from './http/operation.ts'
import {
  type DocumentReaders,
  hostlessPages,
  type PublicPage,
  publicPages,
  publishedDocuments,
} from './http/pages.ts'
import { picturePages } from './http/pictures.ts'
import { requireShortQuery } from './http/query.ts'
import { countRejection, countRequest, rateLimitPolicy } from './http/rate-limit.ts'
import {
  type AppEnv,
  hostOf,
  isOriginOf,
  isReadableByOthers,
  logFieldsOf,
  unknownUrl,
  urlOf,
  type VariablesSoFar,
} from './http/request.ts'
import { setCommonHeaders } from './http/response.ts'
import { honoPath, methodHeaders, methodsAt, unservedProblem } from './http/routes.ts'
import { serviceRuntimeOf } from './http/runtime.ts'
import { staticPages } from './http/static-pages.ts'
import { isReading, staffPaths } from './http/storefront.ts'
import { type PerformJointly, subrequestsOf } from './http/subrequests.ts'
import { mcpHandler } from './mcp/server.ts'
import { resources as allResources } from './resources/index.ts'

type Parts = {
  readonly resources?: readonly Resource[]
  /** Readers of the published documents. The default reads the files that `npm run build` writes. */
  readonly libraries?: DocumentReaders
  /** Reader of the messages of problems. The default reads the files of `npm run build`. */
  readonly messages?: MessageReader
  /** Pages that need no token. */
  readonly pages?: readonly PublicPage[]
  readonly afterWrite?: AfterWrite | null
}

/** The service as a Hono application. `resources` need a token, `pages` do not. */
export function createApp({
  resources = allResources,
  libraries = publishedDocuments(),
  messages = builtMessages(),
  pages = [...publicPages(libraries), ...staticPages, ...picturePages],
  afterWrite = null,
}: Parts = {}): Hono<AppEnv> {
  const operations = resources.flatMap((resource) => resource.operations)
  const shapes = shapesOf(resources)
  const service = { shapes, uniqueNames: uniqueNamesOf(resources), libraries }
  const performJointly = jointPerformerOf(resources, libraries)
  const methodsIn = methodsAt([
    ...[...hostlessPages, ...pages].map(({ path }) => ({ path, method: 'GET' as const })),
    ...toolPaths.map((path) => ({ path, method: 'POST' as const })),
    ...operations,
  ])
  const methods = (c: Context<AppEnv>) => {
    const { apiVersion }: VariablesSoFar = c.var
    return methodsIn(c.req.path, apiVersion?.version.name)
  }
  const names = new Map([
    ...[...hostlessPages, ...pages].map(({ path }): [string, string] => [`GET ${honoPath(path)}`, path]),
    ...toolPaths.map((path): [string, string] => [`POST ${path}`, 'callTools']),
    ...operations.map(({ method, path, name }): [string, string] => [`${method} ${honoPath(path)}`, name]),
  ])
  const nameOf = (c: Context<AppEnv>) =>
    matchedRoutes(c)
      .map(({ method, path }) => names.get(`${method} ${path}`))
      .find((name) => name !== undefined) ?? null

  const app = new Hono<AppEnv>()
  app.onError((error, c) => problemResponse(error, c))
  app.notFound((c) => {
    const endpoints = methods(c)
    if (c.req.method === 'OPTIONS' && endpoints.allowed.length > 0)
      return new Response(null, { status: 204, headers: methodHeaders(endpoints) })
    return problemResponse(unservedProblem(endpoints, c.req.method), c)
  })

  const addPage = ({ path, answer }: PublicPage) => {
    app.get(honoPath(path), answer)
    // OPTIONS of a public page needs no token either.
    app.options(honoPath(path), (c) => {
      return isPreflight(c.req.raw)
        ? preflight()
        : new Response(null, { status: 204, headers: methodHeaders(methods(c)) })
    })
  }
  app.use(envelope(nameOf, messages), configured)
  hostlessPages.forEach(addPage)
  app.use(tenant, crossOrigin, served)
  pages.forEach(addPage)
  for (const path of toolPaths) app.use(path, toolCallers)
  app.use(token, rate, negotiated, announced)
  if (afterWrite) app.use(runAfterWrite(afterWrite))
  for (const path of toolPaths) {
    const serveTools = mcpHandler(path, operations, shapes)
    app.post(path, async function callTools(c) {
      const { actor, apiVersion, url } = c.var
      return serveTools({
        request: c.req.raw,
        read: async () => jsonIn(await readBytes(c.req.raw)),
        context: contextOf(c, { ifMatch: null, idempotency: null, selectedMembers: null }),
        apiVersion,
        library: libraries(c.env),
        requireScopes: (scopes) => requireScopesOfActor(actor, scopes, url),
        count: () => countRequest('GET', c),
        problem: async (error) => (await problemResponse(error, c)).text(),
      })
    })
  }
  for (const operation of operations) {
    const handlers = operation.body?.isBatch
      ? batchHandlersOf(operation, service, performJointly)
      : handlersOf(operation, service)
    app.on(operation.method, [honoPath(operation.path)], ...handlers)
  }
  return app
}

/** Performs requests inside a request, or after it. */
export function jointPerformerOf(
  resources: readonly Resource[] = allResources,
  libraries: DocumentReaders = publishedDocuments(),
): PerformJointly {
  const service = { shapes: shapesOf(resources), uniqueNames: uniqueNamesOf(resources), libraries }
  return subrequestsOf(
    resources.flatMap(({ operations }) => operations).filter(({ body }) => !body?.isBatch),
    (operation) => handlersOf(operation, service),
  )
}

/**
 * Runs after a successful write of a tenant, given the work that follows it. The cron repeats failed runs.
 */
export type AfterWrite = (
  tenantId: string,
  bindings: Bindings,
  database: Database,
  followUp: Session['followUp'],
) => Promise<unknown>

function runAfterWrite(afterWrite: AfterWrite): MiddlewareHandler<AppEnv> {
  return async function runAfterWrite(c, next) {
    await next()
    if (!isWrite(c) || !c.res.ok) return
    const { tenant, session, backgroundWork } = c.var
    const { followUp } = session
    const runOnce = () =>
      runInBackground('dispatch_failed', logFieldsOf(c.var), serviceRuntimeOf(c.env).database, (database) =>
        afterWrite(tenant.id, c.env, database, followUp),
      ).catch(() => undefined)
    // Most tenants have no subscription for most topics, so a write without subscribers costs no round trip.
    if (followUp.hasSubscribers !== false || followUp.hasNearSchedule) c.executionCtx.waitUntil(runOnce())
    // Background work can write as well.
    if (backgroundWork.length > 0) c.executionCtx.waitUntil(Promise.all(backgroundWork).then(runOnce))
  }
}

function envelope(
  nameOf: (c: Context<AppEnv>) => string | null,
  messages: MessageReader,
): MiddlewareHandler<AppEnv> {
  return async function envelope(c, next) {
    const request = c.req.raw
    const url = urlOf(request)
    setRequestVariables(c, url ?? unknownUrl, nameOf(c))
    c.set('messagesIn', (locale) => messages(locale, c.env))
    if (url === null) c.res = await problemResponse(httpProblems.malformed_header({ header: 'Host' }), c)
    else await next()
    const variables = c.var
    setCommonHeaders(c.res, request, variables)
    measure(request, c.res, variables, c.env)
  }
}

function setRequestVariables(c: Context<AppEnv>, url: URL, operation: string | null): void {
  const { headers } = c.req.raw
  const requestId = uuidv7()
  const preferences = preferencesIn(headers)
  const responseHeaders = new Headers({ 'RateLimit-Policy': rateLimitPolicy })
  if (preferences.size > 0) responseHeaders.set('Preference-Applied', [...preferences].join(', '))
  c.set('requestId', requestId)
  c.set('trace', traceIn(headers.get('traceparent'), requestId))
  c.set('operation', operation)
  c.set('url', url)
  c.set('now', new Date())
  c.set('started', performance.now())
  c.set('locale', requestedLocale(headers, ['en-US']).locale)
  c.set('isVersionRequested', headers.has('service-api-version'))
  c.set('isStrict', preferences.has('handling=strict'))
  c.set('isLenient', preferences.has('handling=lenient'))
  c.set('isMinimal', preferences.has('return=minimal'))
  c.set('ignoredProperties', new Set())
  c.set('backgroundWork', [])
  c.set('responseHeaders', responseHeaders)
  c.set('responseBytes', 0)
}

/**
 * Rejects every request with 503 if the settings are invalid. Only `/health`, which reports that the Worker
 * runs, is exempt.
 */
const configured: MiddlewareHandler<AppEnv> = async function configured(c, next) {
  if (c.req.path !== '/health') settingsOf(c.env)
  await next()
}

/** Reports a response to the operator: a data point, and a log line if the response was slow. */
function measure(
  { method }: Request,
  { status, body }: Response,
  variables: VariablesSoFar,
  bindings: Bindings,
): void {
  // The response has already reported invalid settings.
  if (!areConsistent(bindings)) return
  const fields = logFieldsOf(variables)
  const { tenant, operation, version, statements } = fields
  const durationMs = performance.now() - variables.started
  const bytes = body === null || method === 'HEAD' ? 0 : variables.responseBytes
  serviceRuntimeOf(bindings).metrics.request({
    tenant,
    operation,
    status,
    version,
    durationMs,
    statements: statements ?? 0,
    bytes,
  })
  const { SLOW_REQUEST: thresholdMs } = settingsOf(bindings)
  if (durationMs >= thresholdMs) log('request_slow', fields, { status, thresholdMs })
}

/** Resolves the tenant, which only the host identifies. */
const tenant: MiddlewareHandler<AppEnv> = async function tenant(c, next) {
  const url = c.get('url')
  const now = c.get('now')
  const { headers } = c.req.raw
  requireShortQuery(url)
  const host = hostOf(url, c.env)
  const { database, tenants } = serviceRuntimeOf(c.env)
  const lookupSession = database.open(null)
  c.set('lookupSession', lookupSession)
  const tenant = await tenants.at(host, now, lookupSession)
  if (!tenant) throw await countRejection(httpProblems.tenant_not_found({ host }), headers, c)
  const { locale, problem: localeProblem } = requestedLocale(headers, tenant.locales)
  const { apiVersion, problem: versionProblem } = requestedVersion(headers, tenant.defaultApiVersion, now)
  c.set('tenant', tenant)
  c.set('session', database.open(tenant.id))
  c.set('dryRun', null)
  c.set('locale', locale)
  c.set('localeProblem', localeProblem)
  c.set('apiVersion', apiVersion)
  c.set('versionProblem', versionProblem)
  await withOrigins(originCheck(url, tenant.hosts, c.env), next)
}

/**
 * Whether an origin is the tenant's. The function refers to nothing else of the request: workerd keeps the value of an
 * AsyncLocalStorage after the response, so a reference to Hono's context would keep each response in memory.
 */
function originCheck(url: URL, hosts: readonly string[], bindings: Bindings): (origin: URL) => boolean {
  return (origin) => isOriginOf(origin, url, hosts, bindings)
}

const crossOrigin: MiddlewareHandler<AppEnv> = async function crossOrigin(c, next) {
  if (isPreflight(c.req.raw)) return preflight()
  return next()
}

/** Runs after preflights, so that pages of other origins can read the error. */
const served: MiddlewareHandler<AppEnv> = async function served(c, next) {
  if (c.get('tenant').isSuspended) {
    throw serverProblems.tenant_suspended(undefined, { headers: { 'Retry-After': '300' } })
  }
  if (c.get('tenant').storefront && staffPaths.test(c.req.path)) throw httpProblems.not_found()
  await next()
}

/**
 * The tool endpoint accepts only POST, from programs or from pages of this host. If Origin names another
 * site, the request is rejected whatever its token is.
 */
const toolCallers: MiddlewareHandler<AppEnv> = async function toolCallers(c, next) {
  if (c.req.method !== 'POST') return c.notFound()
  const origin = c.req.raw.headers.get('origin')
  if (origin !== null && origin !== c.get('url').origin) {
    const help = `Origin is ${truncate(origin, 100)}, and this host is ${c.get('url').origin}. ${httpProblems.foreign_origin.description}`
    throw httpProblems.foreign_origin(undefined, { help })
  }
  return next()
}

const token: MiddlewareHandler<AppEnv> = async function token(c, next) {
  const options: AuthenticationOptions = {
    now: c.get('now'),
    fetch: globalThis.fetch,
    sharedKeys: serviceRuntimeOf(c.env).sharedKeys,
    failed: (error, hasKeys) =>
      log('issuer_unreachable', logFieldsOf(c.var), { reason: error.reason, hasKeys }),
  }
  const { headers } = c.req.raw
  if (isReadableByOthers(c) && headers.has('authorization')) throw authProblems.insecure_transport()
  const actor = await authenticate(headers, c.get('url'), c.get('tenant'), options).catch(async (error) => {
    const isRejected = error instanceof Problem && error.kind.status === 401
    if (!isRejected) throw error
    throw await countRejection(error, headers, c)
  })
  // Before the request is announced as a write.
  if (actor.isPublic && !isReading(c.req.method)) {
    throw authProblems.not_public({}, { help: `The method is ${c.req.method}. Use GET.` })
  }
  c.set('actor', actor)
  c.set('requiredScopes', [])
  await next()
}

/** Counts each request before the first database query, even if the request fails. */
const rate: MiddlewareHandler<AppEnv> = async function rate(c, next) {
  // Tool calls use POST but only read.
  await countRequest(isToolPath(c.req.path) ? 'GET' : c.req.method, c)
  await next()
}

/** Announces a write while it reads, so that the announcement costs it no time. Dry runs are not announced. */
const announced: MiddlewareHandler<AppEnv> = async function announced(c, next) {
  if (isWrite(c) && isDryRun(c.req.raw.headers)) {
    const dryRun = dryRunOf(c.var.session)
    c.set('dryRun', dryRun)
    c.set('session', dryRun.session)
    c.var.responseHeaders.set(dryRunHeader, 'true')
  } else if (isWrite(c)) c.var.session.announceWrite()
  await next()
}

/** Whether a request may write. Tool calls use POST but only read. */
function isWrite({ req }: Context<AppEnv>): boolean {
  return req.method !== 'GET' && req.method !== 'HEAD' && !isToolPath(req.path)
}

/** Runs after authentication, so that an invalid token is reported before an invalid locale or version. */
const negotiated: MiddlewareHandler<AppEnv> = async function negotiated(c, next) {
  const localeProblem = c.get('localeProblem')
  const versionProblem = c.get('versionProblem')
  if (localeProblem) throw localeProblem
  if (versionProblem) throw versionProblem
  await next()
}
