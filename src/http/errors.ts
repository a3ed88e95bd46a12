import type { Context } from 'hono'
import { byteLimits } from '../core/limits.ts'
import { log } from '../core/log.ts'
import { englishMessages, localizedMessage, type Message, Problem, type Violation } from '../core/problem.ts'
import { serverProblems } from '../core/problems/server.ts'
import { problemOfStorage } from '../core/problems/storage.ts'
import { TooLargeForStorage } from '../db/client.ts'
import { InvalidSettings } from '../env.ts'
import { TokenError } from './jwt.ts'
import { type AppEnv, logFieldsOf, type VariablesSoFar } from './request.ts'

/**
 * The only place that turns an error into a response: a problem document (RFC 9457) in the caller's language. It logs errors that
 * the operator needs to know.
 */
export async function problemResponse(error: unknown, c: Context<AppEnv>): Promise<Response> {
  const problem = problemOf(error)
  const variables: VariablesSoFar = c.var
  logProblem(problem, variables)
  const { kind, values, extras } = problem
  const instance = `/api/requests/${variables.requestId}`
  const { requested } = variables.locale
  const messages = await variables.messagesIn(requested)
  const text = (values: Violation['values'], message: Message, advice?: Message) =>
    [message, ...(advice ? [advice] : [])].map((part) => localizedMessage(part, messages, values)).join(' ')
  const document = {
    '@context': '/api/contexts/Error',
    '@id': instance,
    // A conflict can have violations too, but only invalid input violates constraints.
    '@type': extras.violations && kind.status === 422 ? 'ConstraintViolation' : 'Error',
    type: `/api/error-codes/${kind.code}`,
    title: kind.slug,
    status: kind.status,
    detail: extras.detail ?? kind.description,
    instance,
    code: kind.code,
    slug: kind.slug,
    message: text(values, kind, extras.advice),
    description: kind.description,
    ...(extras.violations && {
      violations: extras.violations
        .slice(0, byteLimits.violations)
        .map(({ propertyPath, problem, occurrence, values }) => ({
          propertyPath,
          message: text(values, problem, occurrence?.advice),
          ...(occurrence && { detail: occurrence.detail }),
          code: problem.code,
          slug: problem.slug,
        })),
      violationsTotal: extras.violations.length,
    }),
    ...extras.members,
  }
  const body = new TextEncoder().encode(JSON.stringify(document))
  c.set('responseBytes', body.byteLength)
  return new Response(body, {
    status: kind.status,
    headers: {
      ...extras.headers,
      'Content-Language': messages === englishMessages && !requested.startsWith('en-') ? 'en' : requested,
      'Content-Type': 'application/problem+json',
    },
  })
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InvalidSettings) {
    const headers = { 'Retry-After': '60' }
    return serverProblems.invalid_settings({}, { headers, detail: error.help, cause: error })
  }
  const problem = problemOfStorage(error)
  return problem instanceof Problem ? problem : serverProblems.unexpected({}, { cause: error })
}

/** Logs failures of the service, and rejections whose reason the response does not contain. */
function logProblem(problem: Problem, variables: VariablesSoFar): void {
  const { kind, extras } = problem
  const { status, slug } = kind
  // The operator has chosen this, so a line for each request says nothing new.
  if (slug === serverProblems.tenant_suspended.slug) return
  if (status >= 500) log('answer_failed', logFieldsOf(variables), { status, problem: slug }, problem)
  // A byte limit of the service was exceeded. The response says what helps; the operator needs to know that it happened.
  else if (extras.cause instanceof TooLargeForStorage && extras.cause.wasSent)
    log('budget_exceeded', logFieldsOf(variables), { status, problem: slug }, problem)
  else if (kind.domain === 'auth') {
    const check = extras.cause instanceof TokenError ? extras.cause.reason : slug.slice('auth.'.length)
    log('token_refused', logFieldsOf(variables), { status, check })
  }
}
