import type { Context } from 'hono'
import { byteLimits } from '../core/limits.ts'
import { log } from '../core/log.ts'
import {
  type CataloguedProblem,
  englishMessages,
  localizedMessage,
  type Message,
  Problem,
  type Violation,
} from '../core/problem.ts'
import { problemOfStorage, serverProblems } from '../core/problems/server.ts'
import { truncate } from '../core/sizes.ts'
import { shortJson, valueAt } from '../core/violations.ts'
import { TooLargeForStorage } from '../db/client.ts'
import { InvalidSettings, settingsOf } from '../env.ts'
import { messageLocale } from './headers.ts'
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
  const violations = extras.violations?.slice(0, byteLimits.violations)
  const details = violations?.map((violation) => violationDetail(violation, variables)) ?? []
  const instance = `/api/requests/${variables.requestId}`
  const requested = messageLocale(c.req.raw.headers, variables.locale)
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
    detail: problemDetail(problem, details, `${c.req.method} ${variables.url.pathname}`),
    instance,
    code: kind.code,
    slug: kind.slug,
    message: text(values, kind, extras.advice),
    description: kind.description,
    ...(violations && {
      violations: violations.map(({ propertyPath, problem, advice, values, conflictingResource }, index) => ({
        propertyPath,
        message: text(values, problem, advice),
        detail: details[index],
        ...(conflictingResource && { conflictingResource }),
        code: problem.code,
        slug: problem.slug,
      })),
      violationsTotal: extras.violations?.length,
    }),
    ...tokenHint(problem, c),
    ...extras.members,
  }
  const body = new TextEncoder().encode(JSON.stringify(document))
  c.set('responseBytes', body.byteLength)
  return new Response(body, {
    status: kind.status,
    headers: {
      ...extras.headers,
      'Content-Language': messages === englishMessages && !/^en\b/i.test(requested) ? 'en' : requested,
      'Content-Type': 'application/problem+json',
    },
  })
}

/** The English explanation of a problem: the request or the places, the values of its message, and what to do. */
function problemDetail(
  { kind, values, extras }: Problem,
  details: readonly string[],
  request: string,
): string {
  const { violations = [], help } = extras
  const [first] = violations
  const explanation = `${withValues(kind, values)}${help ?? kind.description}`
  if (!first) return kind.domain === 'server' ? explanation : `${truncate(request, 200)}: ${explanation}`
  const [firstDetail = ''] = details
  if (violations.length === 1) return firstDetail
  const places = violations.slice(0, 5).map(({ propertyPath }) => placeOf(propertyPath))
  const more = violations.length > places.length ? ', …' : ''
  return `${violations.length} violations: ${places.join(', ')}${more}. ${first.problem === kind ? firstDetail : kind.description}`
}

/** The same for a violation: its place, the values of its message, the received value, and what to do. */
function violationDetail(
  { propertyPath, problem, values, help }: Violation,
  { url, received }: VariablesSoFar,
) {
  // A violation does not name which of several values it is about.
  const [sent, ...more] = url.searchParams.getAll(propertyPath)
  const value = valueAt(propertyPath, received) ?? (more.length === 0 ? sent : undefined)
  const isNamed = value === undefined || Object.values(values).some((named) => named === value)
  return `${placeOf(propertyPath)}: ${withValues(problem, values)}${isNamed ? '' : `Received ${shortJson(value)}. `}${help ?? problem.description}`
}

/**
 * The failed check of a rejected token and the command for a valid one, on a developer's machine only: elsewhere all rejected tokens
 * get the same response.
 */
function tokenHint({ extras: { cause } }: Problem, { env, var: { tenant } }: Context<AppEnv>) {
  if (!(cause instanceof TokenError) || settingsOf(env).ENVIRONMENT !== 'local') return {}
  const failed = `The check of the token that failed is ${cause.reason}.`
  // src/local/token.ts creates no tokens of other issuers.
  if (!tenant.issuer.startsWith('https://issuer.localhost/'))
    return {
      hint: `${failed} A valid token has the issuer ${tenant.issuer} and the audience ${tenant.audience}.`,
    }
  const command = `npm run --silent token -- --tenant ${tenant.host.replace(/\.localhost$/, '')}`
  const advice =
    cause.reason === 'key_unknown' ? ' with the DATA_DIRECTORY that the service was started with' : ''
  return {
    hint: `${failed} "${command}"${advice} prints a valid token.`,
  }
}

function placeOf(path: string): string {
  return path === '' ? 'The request' : truncate(path, 100)
}

/** The English message, if it contains values; other messages say less than the description. */
function withValues(problem: CataloguedProblem, values: Violation['values']): string {
  return problem.message.includes('{') ? `${localizedMessage(problem, englishMessages, values)} ` : ''
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InvalidSettings) {
    const headers = { 'Retry-After': '60' }
    return serverProblems.invalid_settings({}, { headers, help: error.help, cause: error })
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
