import { budgets } from '../core/budgets.ts'
import { localizedMessage, Problem, type Violation } from '../core/problem.ts'
import { serverProblems } from '../core/problems/index.ts'
import { readable } from '../core/write.ts'
import { DatabaseError, TooLargeForStorage } from '../db/client.ts'
import type { Call } from './call.ts'

/** The one place where an error becomes an answer: a problem document (RFC 9457) in the caller's language. */
export function problemResponse(error: unknown, call: Call): Response {
  const { kind, values, extras } = problemOf(error, call)
  const instance = `/api/requests/${call.requestId}`
  const text = (problem: Violation['problem'], of: Violation['values']) =>
    localizedMessage(problem, call.locale.asked, of)
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
    message: text(kind, values),
    description: kind.description,
    ...(extras.violations && {
      violations: extras.violations.slice(0, budgets.violations).map((each) => ({
        propertyPath: each.propertyPath,
        message: text(each.problem, each.values),
        code: each.problem.code,
        slug: each.problem.slug,
      })),
      violationsTotal: extras.violations.length,
    }),
    ...extras.members,
  }
  return new Response(JSON.stringify(document), {
    status: kind.status,
    headers: { ...extras.headers, 'Content-Type': 'application/problem+json' },
  })
}

function problemOf(error: unknown, call: Call): Problem {
  if (error instanceof Problem) return error
  const known = readable(error)
  // A budget of ours did not hold: the caller is told what helps, the operator that it happened.
  if (error instanceof TooLargeForStorage && error.sent) log(error, call)
  if (known instanceof Problem) return known
  log(error, call)
  return serverProblems.unexpected()
}

/** Names the defect without a message's text: messages of strangers hold values of the tenant. */
function log(error: unknown, { requestId, tenant, url }: Call): void {
  const cause = error instanceof Error ? error : new Error('not an Error')
  const frames = (cause.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const database =
    error instanceof DatabaseError ? { sqlstate: error.sqlstate, constraint: error.constraint } : {}
  const tooLarge = error instanceof TooLargeForStorage ? { what: error.what } : {}
  console.error(
    JSON.stringify({
      level: 'error',
      event: 'unexpected',
      requestId,
      tenant: tenant?.id,
      path: url.pathname.replace(/[0-9a-f-]{36}/g, '{id}'),
      name: cause.name,
      ...database,
      ...tooLarge,
      frames: frames.slice(0, 8).map((line) => line.trim()),
    }),
  )
}
