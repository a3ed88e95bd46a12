/** The HTTP pipeline: the middleware that runs before and after each operation, in order. */
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { uuidv7 } from 'uuidv7'
import { shapesOf } from './core/access.ts'
import { log, runInBackground } from './core/log.ts'
import type { Resource } from './core/operation.ts'
import { Problem } from './core/problem.ts'
import { httpProblems } from './core/problems/http.ts'
import { serverProblems } from './core/problems/server.ts'
import { traceIn } from './core/trace.ts'
import type { Database } from './db/client.ts'
import { areConsistent, type Bindings, settingsOf } from './env.ts'
import { authenticate, hasBearerToken, requireScopes, toolPath } from './http/auth.ts'
import { jsonIn, readBytes } from './http/body.ts'
import { contextOf } from './http/context.ts'
import { isPreflight, preflight } from './http/cors.ts'
import { problemResponse } from './http/errors.ts'
import { prefersStrictHandling, requestedLocale, requestedVersion } from './http/headers.ts'
import type { Fetching } from './http/jwks.ts'
import { handlersOf } from './http/operation.ts'
import {
  type DocumentReaders,
  hostlessPages,
  type PublicPage,
  publicPages,
  publishedDocuments,
} from './http/pages.ts'
import { picturePages } from './http/pictures.ts'
import { requireShortQuery } from './http/query.ts'
import { addressOf, countRequest, isRejectedTooOften, rateLimitPolicy, refusal } from './http/rate-limit.ts'
import {
  type AppEnv,
  hostOf,
  logFieldsOf,
  originsOf,
  type RequestContext,
  required,
  unknownUrl,
  urlOf,
} from './http/request.ts'
import { setCommonHeaders } from './http/response.ts'
import { honoPath, methodHeaders, methodsAt } from './http/routes.ts'
import { serviceRuntimeOf } from './http/runtime.ts'
import { staticPages } from './http/static-pages.ts'
import { mcpHandler } from './mcp/server.ts'
import { resources as allResources } from './resources/index.ts'

type Parts = {
  readonly resources?: readonly Resource[]
  /** Readers of the published documents. The default reads the files that `npm run build` writes. */
  readonly libraries?: DocumentReaders
  /** Pages that need no token. */
  readonly pages?: readonly PublicPage[]
  readonly afterWrite?: AfterWrite | null
}

/** The service as a Hono application. `resources` need a token, `pages` do not. */
export function createApp({
  resources = allResources,
  libraries = publishedDocuments(),
  pages = [...publicPages(libraries), ...staticPages, ...picturePages],
  afterWrite = null,
}: Parts = {}): Hono<AppEnv> {
  const operations = resources.flatMap((resource) => resource.operations)
  const shapes = shapesOf(resources)
  const methodsIn = methodsAt([
    ...[...hostlessPages, ...pages].map(({ path }) => ({ path, method: 'GET' as const })),
    { path: toolPath, method: 'POST' },
    ...operations,
  ])
  const methods = (c: Context<AppEnv>) => methodsIn(c.req.path, c.var.call.dialect?.version.name)
  const tools = mcpHandler(operations, shapes)
  const names = new Map([
    ...[...hostlessPages, ...pages].map(({ path }): [string, string] => [`GET ${honoPath(path)}`, path]),
    [`POST ${toolPath}`, 'callTools'],
    ...operations.map(({ method, path, name }): [string, string] => [`${method} ${honoPath(path)}`, name]),
  ])
  const nameOf = (c: Context<AppEnv>) =>
    matchedRoutes(c)
      .map(({ method, path }) => names.get(`${method} ${path}`))
      .find((name) => name !== undefined) ?? null

  const app = new Hono<AppEnv>()
  app.onError((error, c) => problemResponse(error, c.var.call))
  app.notFound((c) => {
    const endpoints = methods(c)
    if (endpoints.allowed.length === 0) return problemResponse(httpProblems.not_found(), c.var.call)
    const headers = methodHeaders(endpoints)
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers })
    const problem = httpProblems.method_not_allowed({ method: c.req.method }, { headers })
    return problemResponse(problem, c.var.call)
  })

  const addPage = ({ path, answer }: PublicPage) => {
    app.get(honoPath(path), (c) => answer(c.var.call, c.req.param(), { request: c.req.raw, env: c.env }))
    // OPTIONS of a public page needs no token either.
    app.options(honoPath(path), (c) => {
      return isPreflight(c.req.raw)
        ? preflight()
        : new Response(null, { status: 204, headers: methodHeaders(methods(c)) })
    })
  }
  app.use(envelope(nameOf), configured)
  hostlessPages.forEach(addPage)
  app.use(tenant, crossOrigin, served)
  pages.forEach(addPage)
  app.use(toolPath, toolCallers)
  app.use(token, rate, negotiated)
  if (afterWrite) app.use(runAfterWrite(afterWrite))
  app.post(toolPath, async function callTools(c) {
    const { call } = c.var
    return tools({
      request: c.req.raw,
      read: async () => jsonIn(await readBytes(c.req.raw)),
      context: contextOf(c, { ifMatch: null, idempotency: null, outline: null }),
      dialect: required(call.dialect),
      library: libraries(c.env),
      demand: (scope) => requireScopes(required(call.actor), [scope], call.url),
      count: () => countRequest('GET', call, c.env),
      problem: (error) => problemResponse(error, call).text(),
    })
  })
  for (const operation of operations) {
    app.on(operation.method, [honoPath(operation.path)], ...handlersOf(operation, shapes, libraries))
  }
  return app
}

/**
 * Runs after a successful write of a tenant. The cron repeats failed runs. `soon` is true if the write
 * scheduled an offer boundary within the next two minutes.
 */
export type AfterWrite = (
  tenantId: string,
  bindings: Bindings,
  database: Database,
  soon: boolean,
) => Promise<unknown>

function runAfterWrite(afterWrite: AfterWrite): MiddlewareHandler<AppEnv> {
  return async function runAfterWrite(c, next) {
    await next()
    if (c.req.method === 'GET' || c.req.method === 'HEAD' || c.req.path === toolPath || !c.res.ok) return
    const { call } = c.var
    const { tenant, session, later } = call
    const runOnce = () =>
      runInBackground('relay_failed', logFieldsOf(call), serviceRuntimeOf(c.env).database, (database) =>
        afterWrite(required(tenant).id, c.env, database, session?.soon === true),
      ).catch(() => undefined)
    // Most tenants have no subscription for most topics, so a write without subscribers costs no round trip.
    if (session?.awaited !== false || session.soon) c.executionCtx.waitUntil(runOnce())
    // Background work can write as well.
    if (later.length > 0) c.executionCtx.waitUntil(Promise.all(later).then(runOnce))
  }
}

function envelope(nameOf: (c: Context<AppEnv>) => string | null): MiddlewareHandler<AppEnv> {
  return async function envelope(c, next) {
    const request = c.req.raw
    const url = urlOf(request)
    const call = newCall(request, url ?? unknownUrl, nameOf(c))
    c.set('call', call)
    if (call.strict) call.headers.set('Preference-Applied', 'handling=strict')
    if (url === null) c.res = problemResponse(httpProblems.malformed_header({ header: 'Host' }), call)
    else await next()
    setCommonHeaders(c.res, request, call)
    measure(request, c.res, call, c.env)
  }
}

function newCall(request: Request, url: URL, operation: string | null): RequestContext {
  const requestId = uuidv7()
  return {
    requestId,
    trace: traceIn(request.headers.get('traceparent'), requestId),
    operation,
    url,
    origins: [],
    now: new Date(),
    started: performance.now(),
    locale: requestedLocale(request.headers, ['en-US']).locale,
    localeProblem: null,
    tenant: null,
    dialect: null,
    versionProblem: null,
    versionAsked: request.headers.has('service-api-version'),
    actor: null,
    demanded: [],
    session: null,
    lookUp: null,
    strict: prefersStrictHandling(request.headers),
    ignored: new Set<string>(),
    bytes: 0,
    later: [],
    headers: new Headers({ 'RateLimit-Policy': rateLimitPolicy }),
  }
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
  call: RequestContext,
  bindings: Bindings,
): void {
  // The response has already reported invalid settings.
  if (!areConsistent(bindings)) return
  const about = logFieldsOf(call)
  const { tenant, operation, version, statements } = about
  const durationMs = performance.now() - call.started
  const bytes = body === null || method === 'HEAD' ? 0 : call.bytes
  serviceRuntimeOf(bindings).metrics.request({
    ...{ tenant, operation, status, version },
    ...{ durationMs, statements: statements ?? 0, bytes },
  })
  const { SLOW_REQUEST: thresholdMs } = settingsOf(bindings)
  if (durationMs >= thresholdMs) log('request_slow', about, { status, thresholdMs })
}

/** Resolves the tenant, which only the host identifies. */
const tenant: MiddlewareHandler<AppEnv> = async function tenant(c, next) {
  const { call } = c.var
  const { headers } = c.req.raw
  requireShortQuery(call.url)
  const host = hostOf(call.url, c.env)
  const { database, tenants, refusals } = serviceRuntimeOf(c.env)
  if (!tenants.isExpected(host, call.now) && refusals.isBeyond(addressOf(headers), call.now)) {
    if (!hasBearerToken(headers) || !refusals.mayLookUp(call.now)) throw isRejectedTooOften(call)
  }
  call.lookUp = database.open(null)
  const resolvedTenant = await tenants.at(host, call.now, call.lookUp)
  if (!resolvedTenant)
    throw await refusal(httpProblems.tenant_not_found({ host }), headers, call, refusals, c.env)
  const language = requestedLocale(headers, resolvedTenant.locales)
  const version = requestedVersion(headers, resolvedTenant.defaultApiVersion, call.now)
  Object.assign(call, {
    tenant: resolvedTenant,
    origins: originsOf(call.url, resolvedTenant.hosts, c.env),
    session: database.open(resolvedTenant.id),
    locale: language.locale,
    localeProblem: language.problem,
    dialect: version.dialect,
    versionProblem: version.problem,
  })
  await next()
}

const crossOrigin: MiddlewareHandler<AppEnv> = async function crossOrigin(c, next) {
  if (isPreflight(c.req.raw)) return preflight()
  return next()
}

/** Runs after preflights, so that pages of other origins can read the error. */
const served: MiddlewareHandler<AppEnv> = async function served(c, next) {
  if (required(c.var.call.tenant).isSuspended) {
    throw serverProblems.tenant_suspended(undefined, { headers: { 'Retry-After': '300' } })
  }
  await next()
}

/**
 * The tool endpoint accepts only POST, from programs or from pages of this host. If Origin names another
 * site, the request is rejected whatever its token is.
 */
const toolCallers: MiddlewareHandler<AppEnv> = async function toolCallers(c, next) {
  if (c.req.method !== 'POST') return c.notFound()
  const origin = c.req.raw.headers.get('origin')
  if (origin !== null && origin !== c.var.call.url.origin) throw httpProblems.foreign_origin()
  return next()
}

const token: MiddlewareHandler<AppEnv> = async function token(c, next) {
  const { call } = c.var
  const fetching: Fetching = {
    now: call.now,
    fetch: (...args) => fetch(...args),
    failed: (error, hasKeys) =>
      log('issuer_unreachable', logFieldsOf(call), { reason: error.reason, hasKeys }),
  }
  const { headers } = c.req.raw
  call.actor = await authenticate(headers, call.url, required(call.tenant), fetching).catch(async (error) => {
    const isRefused = error instanceof Problem && error.kind.status === 401
    throw isRefused ? await refusal(error, headers, call, serviceRuntimeOf(c.env).refusals, c.env) : error
  })
  await next()
}

/** Counts each request before the first database query, even if the request fails. */
const rate: MiddlewareHandler<AppEnv> = async function rate(c, next) {
  // Tool calls use POST but only read.
  await countRequest(c.req.path === toolPath ? 'GET' : c.req.method, c.var.call, c.env)
  await next()
}

/** Runs after authentication, so that an invalid token is reported before an invalid locale or version. */
const negotiated: MiddlewareHandler<AppEnv> = async function negotiated(c, next) {
  const { localeProblem, versionProblem } = c.var.call
  if (localeProblem) throw localeProblem
  if (versionProblem) throw versionProblem
  await next()
}
