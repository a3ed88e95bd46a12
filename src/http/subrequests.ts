/** Requests inside a request: several operations of one caller in one commit, with the responses that HTTP would give. */

import { type Context, type ExecutionContext, Hono, type MiddlewareHandler } from 'hono'
import type { Json } from '../core/json.ts'
import type { Operation } from '../core/operation.ts'
import type { Session } from '../db/client.ts'
import { type JointOptions, JointWriteRejected, runJointly } from '../db/joint-session.ts'
import type { Bindings } from '../env.ts'
import { problemResponse } from './errors.ts'
import type { AppEnv } from './request.ts'
import { honoPath, methodsAt, unservedProblem } from './routes.ts'

type CallerVariables = Omit<AppEnv['Variables'], 'idempotencyKey' | 'received' | 'body' | 'ignoredMembers'>

/** The caller of the requests: the variables that the middleware before an operation sets. */
type Caller = {
  readonly variables: CallerVariables
  readonly bindings: Bindings
  readonly executionContext: ExecutionContext
}

/** A request of an operation. The path begins with `/api/`, and may have a query. */
export type Subrequest = {
  readonly method: string
  readonly path: string
  readonly body?: Json
  readonly headers: Readonly<Record<string, string>>
}

/** The response of a request. `document` is null without a body. */
export type Subresponse = {
  readonly status: number
  readonly headers: Headers
  readonly document: Json
}

/**
 * Performs requests with joint round trips, and at most one commit each. Their responses have the order of the requests. Requests
 * that another one prevents have the status 424 (RFC 4918 §11.4) and no document.
 */
export type PerformJointly = (
  caller: Caller,
  requests: readonly Subrequest[],
  options: JointOptions<Subresponse> & {
    /** Parses the text of a response. */
    readonly documentOf?: (response: Response, text: string) => Json
  },
) => Promise<readonly Subresponse[]>

type HandlersOf = (operation: Operation) => MiddlewareHandler<AppEnv>[]

/** Performs operations without the middleware before them, which has authenticated the caller. */
export function subrequestsOf(operations: readonly Operation[], handlersOf: HandlersOf): PerformJointly {
  const variablesByRequest = new WeakMap<Request, CallerVariables>()
  let app: Hono<AppEnv> | undefined

  return async ({ variables, bindings, executionContext }, requests, options) => {
    const { documentOf = (_, text) => JSON.parse(text) } = options
    const workOf =
      ({ method, path, body, headers }: Subrequest) =>
      async (session: Session): Promise<Subresponse> => {
        const url = new URL(path, variables.url.origin)
        const request = new Request(url, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const own = {
          url,
          session,
          dryRun: null,
          requiredScopes: [],
          ignoredProperties: new Set<string>(),
          responseHeaders: new Headers(),
        }
        variablesByRequest.set(request, { ...variables, ...own })
        // Created when it is first used: most isolates never need it.
        app ??= appOf(operations, handlersOf, variablesByRequest)
        const response = await app.fetch(request, bindings, executionContext)
        const text = await response.text()
        return {
          status: response.status,
          headers: new Headers([...own.responseHeaders, ...response.headers]),
          document: text === '' ? null : documentOf(response, text),
        }
      }
    return runJointly(variables.session, requests.map(workOf), options)
  }
}

function appOf(
  operations: readonly Operation[],
  handlersOf: HandlersOf,
  variablesByRequest: WeakMap<Request, CallerVariables>,
): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.onError((error, c) =>
    error instanceof JointWriteRejected ? new Response(null, { status: 424 }) : problemResponse(error, c),
  )
  const methodsIn = methodsAt(operations)
  app.notFound((c) => {
    const methods = methodsIn(c.req.path, c.var.apiVersion.version.name)
    return problemResponse(unservedProblem(methods, c.req.method), c)
  })
  app.use(async (c, next) => {
    const variables = variablesByRequest.get(c.req.raw)
    if (variables) setVariables(c, variables)
    await next()
  })
  for (const operation of operations)
    app.on(operation.method, [honoPath(operation.path)], ...handlersOf(operation))
  return app
}

function setVariables<Name extends keyof AppEnv['Variables']>(
  c: Context<AppEnv>,
  variables: Pick<AppEnv['Variables'], Name>,
): void {
  for (const name in variables) c.set(name, variables[name])
}
