import { byteLimits } from '../core/limits.ts'
import { log } from '../core/log.ts'
import { localizedMessage, Problem, type Violation } from '../core/problem.ts'
import { serverProblems } from '../core/problems/server.ts'
import { toProblem } from '../core/write.ts'
import { TooLargeForStorage } from '../db/client.ts'
import { InvalidSettings } from '../env.ts'
import { TokenError } from './jwt.ts'
import { logFieldsOf, type RequestContext } from './request.ts'

/**
 * The one place where an error becomes an answer: a problem document (RFC 9457) in the caller's language. What the operator has to
 * know of it is logged.
 */
export function problemResponse(error: unknown, call: RequestContext): Response {
  const problem = problemOf(error)
  tell(problem, call)
  const { kind, values, extras } = problem
  const instance = `/api/requests/${call.requestId}`
  const text = (message: Violation['problem']['message'], of: Violation['values']) =>
    localizedMessage({ message }, call.locale.asked, of)
  const document = {
    '@context': '/api/contexts/Error',
    '@id': instance,
    // A conflict may name its places too; only what is invalid is a violation of constraints.
    '@type': extras.violations && kind.status === 422 ? 'ConstraintViolation' : 'Error',
    type: `/api/error-codes/${kind.code}`,
    title: kind.slug,
    status: kind.status,
    detail: extras.detail ?? kind.description,
    instance,
    code: kind.code,
    slug: kind.slug,
    message: text(extras.message ?? kind.message, values),
    description: kind.description,
    ...(extras.violations && {
      violations: extras.violations.slice(0, byteLimits.violations).map((each) => ({
        propertyPath: each.propertyPath,
        message: text((each.occurrence ?? each.problem).message, each.values),
        ...(each.occurrence && { detail: each.occurrence.detail }),
        code: each.problem.code,
        slug: each.problem.slug,
      })),
      violationsTotal: extras.violations.length,
    }),
    ...extras.members,
  }
  const body = new TextEncoder().encode(JSON.stringify(document))
  call.bytes = body.byteLength
  return new Response(body, {
    status: kind.status,
    headers: { ...extras.headers, 'Content-Type': 'application/problem+json' },
  })
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InvalidSettings) {
    const headers = { 'Retry-After': '60' }
    return serverProblems.invalid_settings({}, { headers, detail: error.help, cause: error })
  }
  const known = toProblem(error)
  return known instanceof Problem ? known : serverProblems.unexpected({}, { cause: error })
}

/** Failures of the service, and what was refused without the caller being told why. */
function tell(problem: Problem, call: RequestContext): void {
  const { kind, extras } = problem
  const { status, slug } = kind
  // The operator's own choice, which each request would tell anew.
  if (slug === serverProblems.tenant_suspended.slug) return
  if (status >= 500) log('answer_failed', logFieldsOf(call), { status, problem: slug }, problem)
  // A budget of ours did not hold: the caller is told what helps, the operator that it happened.
  else if (extras.cause instanceof TooLargeForStorage && extras.cause.sent)
    log('budget_exceeded', logFieldsOf(call), { status, problem: slug }, problem)
  else if (kind.domain === 'auth') {
    const check = extras.cause instanceof TokenError ? extras.cause.reason : slug.slice('auth.'.length)
    log('token_refused', logFieldsOf(call), { status, check })
  }
}
